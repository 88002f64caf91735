import { PermissionFlagsBits } from "discord-api-types/v10";
import { z } from "zod";
import { permissionsIn, requireMessage, requirePermission, requirePlace } from "../../actions/access.ts";
import { unknownEmoji } from "../../actions/errors.ts";
import { addReaction, clearReactions, findReaction, removeReaction } from "../../actions/reactions.ts";
import { toApiUserById } from "../../render/users.ts";
import { compareIds } from "../../world/snowflake.ts";
import { parseQuery, queryInteger, snowflake } from "../parse.ts";
import { type BotRequest, route } from "../route.ts";

const REACTIONS = "/channels/{channel_id}/messages/{message_id}/reactions";

export const reactionRoutes = [
  route("PUT", `${REACTIONS}/{emoji_name}/@me`, (request) => {
    addReaction(request.world, request.actor, addressOf(request));
  }),
  route("DELETE", `${REACTIONS}/{emoji_name}/@me`, (request) => {
    removeReaction(request.world, request.actor, addressOf(request));
  }),
  route("DELETE", `${REACTIONS}/{emoji_name}/{user_id}`, (request) => {
    const userId = request.param("user_id");
    removeReaction(request.world, request.actor, { ...addressOf(request), userId });
  }),
  route("GET", `${REACTIONS}/{emoji_name}`, listReactors),
  route("DELETE", `${REACTIONS}/{emoji_name}`, (request) => {
    clearReactions(request.world, request.actor, addressOf(request));
  }),
  route("DELETE", REACTIONS, ({ world, actor, param }) => {
    clearReactions(world, actor, { channelId: param("channel_id"), messageId: param("message_id") });
  }),
];

function addressOf({ param }: BotRequest) {
  return { channelId: param("channel_id"), messageId: param("message_id"), emoji: param("emoji_name") };
}

const reactorsQuery = z.object({
  limit: queryInteger(1, 100).default(25),
  after: snowflake.optional(),
  type: queryInteger(0, 1).default(0),
});

function listReactors({ world, actor, param, query }: BotRequest) {
  const { limit, after, type } = parseQuery(reactorsQuery, query);
  const place = requirePlace(world, actor, param("channel_id"));
  requirePermission(permissionsIn(world, place, actor), PermissionFlagsBits.ReadMessageHistory);
  const reaction = findReaction(requireMessage(place, param("message_id")), param("emoji_name"));
  if (!reaction) throw unknownEmoji();
  // There are no burst reactions (type 1) in the sandbox.
  if (type === 1) return [];
  const ids = [...reaction.users].sort(compareIds).filter((id) => after === undefined || compareIds(id, after) > 0);
  return ids.slice(0, limit).map((id) => toApiUserById(world, id));
}
