import { z } from "zod";
import { readsHistory, requirePlace } from "../../actions/access.ts";
import { pinMessage, unpinMessage } from "../../actions/pins.ts";
import { toTimestamp } from "../../render/timestamp.ts";
import { parseQuery, queryInteger } from "../parse.ts";
import { type BotRequest, route } from "../route.ts";
import { showMessage } from "../show-message.ts";

/** The routes since 2025, and the ones they replaced. */
export const pinRoutes = [
  route("GET", "/channels/{channel_id}/messages/pins", listPins),
  route("PUT", "/channels/{channel_id}/messages/pins/{message_id}", pin),
  route("DELETE", "/channels/{channel_id}/messages/pins/{message_id}", unpin),
  route("GET", "/channels/{channel_id}/pins", (request) =>
    findPins(request)
      .slice(0, 50)
      .map(({ message }) => showMessage(request.world, request.application, message)),
  ),
  route("PUT", "/channels/{channel_id}/pins/{message_id}", pin),
  route("DELETE", "/channels/{channel_id}/pins/{message_id}", unpin),
];

const pinsQuery = z.object({
  limit: queryInteger(1, 50).default(50),
  before: z.iso.datetime({ offset: true }).optional(),
});

function listPins(request: BotRequest) {
  const { limit, before } = parseQuery(pinsQuery, request.query);
  const end = before === undefined ? Number.POSITIVE_INFINITY : Date.parse(before);
  const older = findPins(request).filter(({ pinnedAt }) => pinnedAt < end);
  const items = older.slice(0, limit).map(({ message, pinnedAt }) => ({
    pinned_at: toTimestamp(pinnedAt),
    message: showMessage(request.world, request.application, message),
  }));
  return { items, has_more: older.length > limit };
}

/** Newest pin first. */
function findPins({ world, actor, param }: BotRequest) {
  const place = requirePlace(world, actor, param("channel_id"));
  if (!readsHistory(world, place, actor)) return [];
  const pins = [...place.channel.pins].flatMap(([id, pinnedAt]) => {
    const message = place.channel.messages.get(id);
    return message ? [{ message, pinnedAt }] : [];
  });
  return pins.reverse().sort((a, b) => b.pinnedAt - a.pinnedAt);
}

function pin({ world, actor, param }: BotRequest): void {
  pinMessage(world, actor, { channelId: param("channel_id"), messageId: param("message_id") });
}

function unpin({ world, actor, param }: BotRequest): void {
  unpinMessage(world, actor, { channelId: param("channel_id"), messageId: param("message_id") });
}
