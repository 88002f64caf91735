import { z } from "zod";
import { requirePlace } from "../../actions/access.ts";
import { deleteAnswer, editAnswer, findAnswer, followUp } from "../../actions/interactions/follow-up.ts";
import {
  createWebhook,
  deleteWebhook,
  deleteWebhookMessage,
  editWebhookMessage,
  executeWebhook,
  findWebhook,
  findWebhookMessage,
  listWebhooks,
  requireWebhook,
} from "../../actions/webhooks.ts";
import { toApiMessage } from "../../render/messages.ts";
import { toApiUserById } from "../../render/users.ts";
import type { MessageRecord, WebhookRecord } from "../../world/records.ts";
import type { World } from "../../world/world.ts";
import { toDraft, toPatch } from "../bodies/message.ts";
import { parse, parseQuery, queryBoolean, snowflake } from "../parse.ts";
import { type OpenRequest, openRoute, route } from "../route.ts";

const BY_TOKEN = "/webhooks/{webhook_id}/{webhook_token}";

/** Webhooks, and under the same paths the answers to interactions, with the application in place of the webhook. */
export const webhookRoutes = [
  route("GET", "/channels/{channel_id}/webhooks", ({ world, actor, param }) =>
    listWebhooks(world, actor, { channelId: param("channel_id") }).map((one) => showWebhook(world, one)),
  ),
  route("POST", "/channels/{channel_id}/webhooks", async ({ world, actor, param, body }) => {
    const { name } = parse(z.object({ name: z.string() }), (await body()).json);
    const webhook = createWebhook(world, actor, { channelId: param("channel_id"), name });
    return showWebhook(world, webhook);
  }),
  route("GET", "/webhooks/{webhook_id}", ({ world, actor, param }) => {
    const webhook = findWebhook(world, param("webhook_id"));
    requirePlace(world, actor, webhook.channelId);
    listWebhooks(world, actor, { channelId: webhook.channelId });
    return showWebhook(world, webhook);
  }),
  route("DELETE", "/webhooks/{webhook_id}", ({ world, actor, param }) => {
    deleteWebhook(world, actor, { webhookId: param("webhook_id") });
  }),
  openRoute("GET", BY_TOKEN, ({ world, param }) =>
    showWebhook(world, requireWebhook(world, param("webhook_id"), param("webhook_token"))),
  ),
  openRoute("POST", BY_TOKEN, execute),
  openRoute("DELETE", BY_TOKEN, ({ world, param }) => {
    deleteWebhook(world, null, { webhookId: param("webhook_id"), token: param("webhook_token") });
  }),
  openRoute("GET", `${BY_TOKEN}/messages/@original`, (request) => show(request, "@original")),
  openRoute("PATCH", `${BY_TOKEN}/messages/@original`, (request) => edit(request, "@original")),
  openRoute("DELETE", `${BY_TOKEN}/messages/@original`, (request) => remove(request, "@original")),
  openRoute("GET", `${BY_TOKEN}/messages/{message_id}`, (request) => show(request, request.param("message_id"))),
  openRoute("PATCH", `${BY_TOKEN}/messages/{message_id}`, (request) => edit(request, request.param("message_id"))),
  openRoute("DELETE", `${BY_TOKEN}/messages/{message_id}`, (request) => remove(request, request.param("message_id"))),
];

export function showWebhook(world: World, webhook: WebhookRecord) {
  const source = webhook.sourceChannelId === undefined ? undefined : world.channels.get(webhook.sourceChannelId);
  const sourceGuild = source && world.guildOf(source);
  return {
    id: webhook.id,
    type: source ? 2 : 1,
    application_id: webhook.applicationId,
    avatar: null,
    channel_id: webhook.channelId,
    guild_id: webhook.guildId,
    name: webhook.name,
    user: toApiUserById(world, webhook.creatorId),
    ...(source &&
      sourceGuild && {
        source_channel: { id: source.id, name: source.name },
        source_guild: { id: sourceGuild.id, name: sourceGuild.name, icon: null },
      }),
    ...(!source && {
      token: webhook.token,
      url: `${world.origin()}/api/webhooks/${webhook.id}/${webhook.token}`,
    }),
  };
}

const executeQuery = z.object({ wait: queryBoolean.default(false), thread_id: snowflake.optional() });

/** Without `wait` a webhook is answered with nothing; an interaction always gets its message. */
async function execute({ world, param, query, body }: OpenRequest) {
  const { wait, thread_id: threadId } = parseQuery(executeQuery, query);
  const given = await body();
  const draft = toDraft(given);
  const webhookId = param("webhook_id");
  const token = param("webhook_token");
  if (world.applications.has(webhookId)) {
    return showOwn(world, followUp(world, { applicationId: webhookId, token, draft }));
  }
  const { username } = parse(z.object({ username: z.string().min(1).max(80).nullish() }), given.json);
  const message = executeWebhook(world, {
    webhookId,
    token,
    draft,
    ...(threadId !== undefined && { threadId }),
    ...(username != null && { username }),
  });
  return wait ? showOwn(world, message) : undefined;
}

function show(request: OpenRequest, messageId: string) {
  const { world, param } = request;
  const address = addressOf(request, messageId);
  if (world.applications.has(address.webhookId)) {
    return showOwn(world, findAnswer(world, { ...address, applicationId: param("webhook_id") }));
  }
  return showOwn(world, findWebhookMessage(world, address));
}

async function edit(request: OpenRequest, messageId: string) {
  const { world } = request;
  const patch = toPatch(await request.body());
  const address = addressOf(request, messageId);
  if (world.applications.has(address.webhookId)) {
    return showOwn(world, editAnswer(world, { ...address, applicationId: address.webhookId, patch }));
  }
  return showOwn(world, editWebhookMessage(world, { ...address, patch }));
}

function remove(request: OpenRequest, messageId: string): void {
  const { world } = request;
  const address = addressOf(request, messageId);
  if (world.applications.has(address.webhookId)) deleteAnswer(world, { ...address, applicationId: address.webhookId });
  else deleteWebhookMessage(world, address);
}

function addressOf({ param, query }: OpenRequest, messageId: string) {
  const { thread_id: threadId } = parseQuery(z.object({ thread_id: snowflake.optional() }), query);
  const address = { webhookId: param("webhook_id"), token: param("webhook_token"), messageId };
  return { ...address, ...(threadId !== undefined && { threadId }) };
}

function showOwn(world: World, message: MessageRecord) {
  return toApiMessage(world, message, { viewerId: message.authorId });
}
