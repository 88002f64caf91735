import { ChannelType, PermissionFlagsBits } from "discord-api-types/v10";
import type { ChannelRecord, MessageRecord, WebhookRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { type Place, permissionsIn, requirePermission, requirePlace } from "./access.ts";
import { announceIn, announceMessage } from "./announce.ts";
import { checkDraft } from "./check-draft.ts";
import { composeMessage } from "./compose-message.ts";
import { dropMessage } from "./delete-messages.ts";
import {
  DiscordError,
  invalidForm,
  invalidWebhookToken,
  unknownChannel,
  unknownMessage,
  unknownWebhook,
  wrongChannelType,
} from "./errors.ts";
import type { MessageDraft, MessagePatch } from "./message-draft.ts";
import { applyPatch, postMessage } from "./messages.ts";

export function createWebhook(
  world: World,
  actor: string,
  { channelId, name }: { readonly channelId: string; readonly name: string },
): WebhookRecord {
  const place = requireWebhookHome(world, actor, channelId);
  if (name.length < 1 || name.length > 80 || /clyde|discord/i.test(name)) {
    const message =
      name.length < 1 || name.length > 80 ? "Must be between 1 and 80 in length." : "Username is not allowed";
    throw invalidForm([{ path: ["name"], code: "BASE_TYPE_BAD_LENGTH", message }]);
  }
  return layWebhook(world, actor, { channel: place.channel, name });
}

/** Creates a webhook without checking permissions. */
export function layWebhook(
  world: World,
  actor: string,
  { channel, name, sourceChannelId }: { channel: ChannelRecord; name: string; sourceChannelId?: string },
): WebhookRecord {
  const id = world.mintId();
  const webhook: WebhookRecord = {
    id,
    token: world.deriveSecret(`webhook:${id}`),
    guildId: channel.guildId ?? "",
    channelId: channel.id,
    applicationId: world.applicationOf(actor)?.id ?? null,
    creatorId: actor,
    name,
    ...(sourceChannelId !== undefined && { sourceChannelId }),
  };
  world.webhooks.set(id, webhook);
  announceWebhooks(world, channel);
  return webhook;
}

export function listWebhooks(
  world: World,
  actor: string,
  { channelId }: { readonly channelId: string },
): WebhookRecord[] {
  requireWebhookHome(world, actor, channelId);
  return [...world.webhooks.values()].filter((webhook) => webhook.channelId === channelId);
}

/** Managing a webhook takes its token, or else the permission in its channel. */
export function deleteWebhook(
  world: World,
  actor: string | null,
  { webhookId, token }: { readonly webhookId: string; readonly token?: string },
): void {
  const webhook = token === undefined ? findWebhook(world, webhookId) : requireWebhook(world, webhookId, token);
  if (token === undefined) requireWebhookHome(world, actor ?? "", webhook.channelId);
  world.webhooks.delete(webhookId);
  const channel = world.channels.get(webhook.channelId);
  if (channel) announceWebhooks(world, channel);
}

export interface WebhookExecution {
  readonly webhookId: string;
  readonly token: string;
  readonly draft: MessageDraft;
  readonly threadId?: string;
  readonly username?: string;
}

export function executeWebhook(world: World, request: WebhookExecution): MessageRecord {
  const webhook = requireWebhook(world, request.webhookId, request.token);
  const channel = findTarget(world, webhook, request.threadId);
  if (channel.type === ChannelType.GuildForum || channel.type === ChannelType.GuildMedia) {
    throw new DiscordError(400, 220001, "Webhooks posted to forum channels must have a thread_name or thread_id");
  }
  checkDraft(request.draft);
  const place: Place = { channel, guild: world.guildOf(channel) ?? null };
  const { applicationId } = webhook;
  const message = composeMessage(world, {
    place,
    authorId: webhook.id,
    draft: request.draft,
    webhook: { id: webhook.id, name: request.username ?? webhook.name, applicationId },
  });
  postMessage(world, place, message);
  return message;
}

export interface WebhookMessageAddress {
  readonly webhookId: string;
  readonly token: string;
  readonly messageId: string;
  readonly threadId?: string;
}

export function findWebhookMessage(world: World, address: WebhookMessageAddress): MessageRecord {
  const webhook = requireWebhook(world, address.webhookId, address.token);
  const message = findTarget(world, webhook, address.threadId).messages.get(address.messageId);
  if (!message || message.more?.webhook?.id !== webhook.id) throw unknownMessage();
  return message;
}

export function editWebhookMessage(
  world: World,
  { patch, ...address }: WebhookMessageAddress & { readonly patch: MessagePatch },
): MessageRecord {
  const message = findWebhookMessage(world, address);
  const channel = world.channels.get(message.channelId);
  if (!channel) throw unknownChannel();
  applyPatch(world, { channel, guild: world.guildOf(channel) ?? null }, { message, patch });
  announceMessage(world, "MESSAGE_UPDATE", message);
  return message;
}

export function deleteWebhookMessage(world: World, address: WebhookMessageAddress): void {
  const message = findWebhookMessage(world, address);
  const channel = world.channels.get(message.channelId);
  if (!channel) throw unknownChannel();
  dropMessage(channel, message.id);
  const { id: channel_id, guildId: guild_id } = channel;
  announceIn(world, channel, "MESSAGE_DELETE", { id: message.id, channel_id, guild_id });
}

export function findWebhook(world: World, webhookId: string): WebhookRecord {
  const webhook = world.webhooks.get(webhookId);
  if (!webhook) throw unknownWebhook();
  return webhook;
}

export function requireWebhook(world: World, webhookId: string, token: string): WebhookRecord {
  const webhook = findWebhook(world, webhookId);
  if (webhook.token !== token || webhook.sourceChannelId !== undefined) throw invalidWebhookToken();
  return webhook;
}

function findTarget(world: World, webhook: WebhookRecord, threadId: string | undefined): ChannelRecord {
  const channel = world.channels.get(threadId ?? webhook.channelId);
  if (!channel || (threadId !== undefined && channel.parentId !== webhook.channelId)) throw unknownChannel();
  return channel;
}

export function requireWebhookHome(world: World, actor: string, channelId: string): Place {
  const place = requirePlace(world, actor, channelId);
  if (!place.guild || place.channel.thread || place.channel.type === ChannelType.GuildCategory)
    throw wrongChannelType();
  requirePermission(permissionsIn(world, place, actor), PermissionFlagsBits.ManageWebhooks);
  return place;
}

function announceWebhooks(world: World, channel: ChannelRecord): void {
  announceIn(world, channel, "WEBHOOKS_UPDATE", { guild_id: channel.guildId, channel_id: channel.id });
}
