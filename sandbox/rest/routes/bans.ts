import { z } from "zod";
import { banUser, liftBan, requireBanning, unknownBan } from "../../actions/bans.ts";
import { toApiUserById } from "../../render/users.ts";
import { compareIds } from "../../world/snowflake.ts";
import { parse, parseQuery, queryInteger, snowflake } from "../parse.ts";
import { type BotRequest, route } from "../route.ts";

const ONE = "/guilds/{guild_id}/bans/{user_id}";

export const banRoutes = [
  route("GET", "/guilds/{guild_id}/bans", listBans),
  route("GET", ONE, ({ world, actor, param }) => {
    const { bans } = requireBanning(world, actor, param("guild_id"));
    const userId = param("user_id");
    const reason = bans.get(userId);
    if (reason === undefined) throw unknownBan();
    return { user: toApiUserById(world, userId), reason };
  }),
  route("PUT", ONE, async ({ world, actor, param, body, reason }) => {
    const { delete_message_seconds: seconds, delete_message_days: days } = parse(banBody, (await body()).json);
    const deleteSeconds = seconds ?? (days ?? 0) * 86_400;
    banUser(world, actor, { guildId: param("guild_id"), userId: param("user_id"), reason, deleteSeconds });
  }),
  route("DELETE", ONE, ({ world, actor, param }) =>
    liftBan(world, actor, { guildId: param("guild_id"), userId: param("user_id") }),
  ),
];

const banBody = z.object({
  delete_message_seconds: z.int().min(0).max(604_800).nullish(),
  delete_message_days: z.int().min(0).max(7).nullish(),
});

const listQuery = z.object({
  limit: queryInteger(1, 1000).default(1000),
  before: snowflake.optional(),
  after: snowflake.optional(),
});

/** In the order of user ids, paged forwards or, with `before` alone, backwards. */
function listBans({ world, actor, param, query }: BotRequest) {
  const { limit, before, after } = parseQuery(listQuery, query);
  const { bans } = requireBanning(world, actor, param("guild_id"));
  const fitting = [...bans]
    .filter(([id]) => before === undefined || compareIds(id, before) < 0)
    .filter(([id]) => after === undefined || before !== undefined || compareIds(id, after) > 0)
    .sort(([a], [b]) => compareIds(a, b));
  const page = before === undefined ? fitting.slice(0, limit) : fitting.slice(-limit);
  return page.map(([id, reason]) => ({ user: toApiUserById(world, id), reason }));
}
