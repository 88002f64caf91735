import { PermissionFlagsBits } from "discord-api-types/v10";
import { z } from "zod";
import { permissionsIn, readsHistory, requireMessage, requirePermission, requirePlace } from "../../actions/access.ts";
import { crosspostMessage, followChannel } from "../../actions/announcements.ts";
import { bulkDeleteMessages, deleteMessage } from "../../actions/delete-messages.ts";
import { invalidForm } from "../../actions/errors.ts";
import { createMessage, editMessage } from "../../actions/messages.ts";
import { toDraft, toPatch } from "../bodies/message.ts";
import { parse, parseQuery, queryInteger, snowflake } from "../parse.ts";
import { type BotRequest, route } from "../route.ts";
import { showMessage } from "../show-message.ts";

export const messageRoutes = [
  route("GET", "/channels/{channel_id}/messages", listMessages),
  route("POST", "/channels/{channel_id}/messages", async ({ world, application, actor, param, body }) => {
    const draft = toDraft(await body());
    const message = createMessage(world, actor, { channelId: param("channel_id"), draft });
    return showMessage(world, application, message, { withNonce: true });
  }),
  route("POST", "/channels/{channel_id}/messages/bulk-delete", async ({ world, actor, param, body }) => {
    const { messages } = parse(z.object({ messages: z.array(snowflake) }), (await body()).json);
    bulkDeleteMessages(world, actor, { channelId: param("channel_id"), messageIds: messages });
  }),
  route("GET", "/channels/{channel_id}/messages/{message_id}", ({ world, application, actor, param }) => {
    const place = requirePlace(world, actor, param("channel_id"));
    if (place.guild) requirePermission(permissionsIn(world, place, actor), PermissionFlagsBits.ReadMessageHistory);
    return showMessage(world, application, requireMessage(place, param("message_id")));
  }),
  route("PATCH", "/channels/{channel_id}/messages/{message_id}", async ({ world, application, actor, param, body }) => {
    const patch = toPatch(await body());
    const address = { channelId: param("channel_id"), messageId: param("message_id") };
    return showMessage(world, application, editMessage(world, actor, { ...address, patch }));
  }),
  route("DELETE", "/channels/{channel_id}/messages/{message_id}", ({ world, actor, param }) => {
    deleteMessage(world, actor, { channelId: param("channel_id"), messageId: param("message_id") });
  }),
  route("POST", "/channels/{channel_id}/messages/{message_id}/crosspost", ({ world, application, actor, param }) => {
    const address = { channelId: param("channel_id"), messageId: param("message_id") };
    return showMessage(world, application, crosspostMessage(world, actor, address));
  }),
  route("POST", "/channels/{channel_id}/followers", async ({ world, actor, param, body }) => {
    const { webhook_channel_id: targetId } = parse(z.object({ webhook_channel_id: snowflake }), (await body()).json);
    const webhook = followChannel(world, actor, { channelId: param("channel_id"), targetId });
    return { channel_id: webhook.sourceChannelId, webhook_id: webhook.id };
  }),
];

const pageQuery = z.object({
  limit: queryInteger(1, 100).default(50),
  before: snowflake.optional(),
  after: snowflake.optional(),
  around: snowflake.optional(),
});

/** A caller who may view but not read the history gets an empty list, not an error. */
function listMessages({ world, application, actor, param, query }: BotRequest) {
  const { limit, before, after, around } = parseQuery(pageQuery, query);
  const place = requirePlace(world, actor, param("channel_id"));
  if ([before, after, around].filter((id) => id !== undefined).length > 1) {
    const message = "Only one of before, after, around can be given";
    throw invalidForm([{ path: ["around"], code: "MUTUALLY_EXCLUSIVE", message }]);
  }
  if (!readsHistory(world, place, actor)) return [];
  const page = place.channel.messages.page({
    limit,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(around !== undefined && { around }),
  });
  return page.map((message) => showMessage(world, application, message));
}
