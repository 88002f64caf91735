import {
  type APIMessage,
  type APIReaction,
  type GatewayMessageCreateDispatchData,
  MessageFlags,
  MessageType,
} from "discord-api-types/v10";
import type {
  AttachmentRecord,
  ChannelRecord,
  MessageExtras,
  MessageRecord,
  SnapshotRecord,
} from "../world/records.ts";
import type { World } from "../world/world.ts";
import { toApiAttachment } from "./attachments.ts";
import { toApiChannel } from "./channels.ts";
import { toApiComponents } from "./components.ts";
import { toApiInteractionMetadata } from "./interaction-metadata.ts";
import { toPartialMember } from "./members.ts";
import { mentionsIn, mentionsOf } from "./mentions.ts";
import { toApiPoll } from "./polls.ts";
import { toTimestamp } from "./timestamp.ts";
import { toApiUserById, toWebhookAuthor } from "./users.ts";

export interface MessageViewer {
  /** Decides what is "me" in reactions and polls. */
  readonly viewerId: string;
  /** Sent only once, when the message is created. */
  readonly withNonce?: boolean;
}

/** A message as REST returns it: without `guild_id`. */
export function toApiMessage(world: World, message: MessageRecord, viewer: MessageViewer): APIMessage {
  const basic = toBasicMessage(world, message, viewer);
  const extras = message.more;
  if (!extras) return basic;
  const { reference } = extras;
  return {
    ...basic,
    ...(extras.reactions?.size && { reactions: toApiReactions(extras, viewer.viewerId) }),
    ...(reference && showsOriginal(message) && { referenced_message: findOriginal(world, message, viewer) }),
  };
}

/** A message as the gateway sends it: with the guild and the author's membership in it. */
export function toGatewayMessage(
  world: World,
  message: MessageRecord,
  viewer: MessageViewer,
): GatewayMessageCreateDispatchData {
  const api = toApiMessage(world, message, viewer);
  const channel = world.channels.get(message.channelId);
  const guild = channel && world.guildOf(channel);
  if (!guild) return { ...api, channel_type: channel?.type } as GatewayMessageCreateDispatchData;
  const author = message.more?.webhook ? undefined : guild.members.get(message.authorId);
  return {
    ...api,
    guild_id: guild.id,
    channel_type: channel.type,
    ...(author && { member: toPartialMember(author) }),
    mentions: api.mentions.map((user) => {
      const member = guild.members.get(user.id);
      return member ? { ...user, member: toPartialMember(member) } : user;
    }),
  } as GatewayMessageCreateDispatchData;
}

function toBasicMessage(world: World, message: MessageRecord, viewer: MessageViewer): APIMessage {
  const extras = message.more ?? {};
  const channel = world.channels.get(message.channelId);
  const mentions = mentionsOf(world, message);
  const author = extras.webhook ? toWebhookAuthor(extras.webhook) : toApiUserById(world, message.authorId);
  return {
    id: message.id,
    channel_id: message.channelId,
    type: message.type,
    content: message.content,
    author,
    timestamp: toTimestamp(message.timestamp),
    edited_timestamp: message.editedAt === null ? null : toTimestamp(message.editedAt),
    tts: extras.tts ?? false,
    mention_everyone: extras.mentionEveryone ?? false,
    mentions: mentions.users.map((id) => toApiUserById(world, id)),
    mention_roles: [...mentions.roles],
    pinned: channel?.pins.has(message.id) ?? false,
    flags: message.flags,
    ...toApiBody(world, message.channelId, extras),
    ...(extras.stickers && { sticker_items: extras.stickers }),
    ...toApiOrigin(extras, channel),
    ...(extras.snapshots && { message_snapshots: extras.snapshots.map((one) => toApiSnapshot(world, message, one)) }),
    ...(extras.poll && { poll: toApiPoll(extras.poll, { viewerId: viewer.viewerId, now: world.clock.now() }) }),
    ...(extras.interaction && toApiInteractionMetadata(world, extras.interaction, channel?.guildId ?? null)),
    ...(viewer.withNonce && extras.nonce !== undefined && { nonce: extras.nonce }),
    ...(channel?.thread && { position: channel.messages.countBefore(message.id) }),
    ...threadOf(world, message, viewer.viewerId),
  };
}

/** Embeds, attachments and components: what a message and a snapshot have alike. */
function toApiBody(
  world: World,
  channelId: string,
  extras: Pick<MessageExtras, "embeds" | "attachments" | "components">,
): Pick<APIMessage, "embeds" | "attachments" | "components"> {
  const attachments = (extras.attachments ?? []).map((one) => toApiAttachment(world, channelId, one));
  const embeds = (extras.embeds ?? []).map((embed) => ({
    type: "rich" as NonNullable<typeof embed.type>,
    ...embed,
    ...(embed.fields && { fields: embed.fields.map((field) => ({ inline: false, ...field })) }),
  }));
  const resolveMedia = (url: string): object => {
    const named = attachments.find((one) => url === `attachment://${one.filename}`);
    if (!named) return {};
    const { width = null, height = null, content_type = null } = named;
    return { url: named.url, proxy_url: named.proxy_url, attachment_id: named.id, width, height, content_type };
  };
  return { embeds, attachments, components: extras.components ? toApiComponents(extras.components, resolveMedia) : [] };
}

function toApiOrigin(extras: MessageExtras, channel: ChannelRecord | undefined): Partial<APIMessage> {
  const { reference, webhook } = extras;
  const applicationId = webhook?.applicationId ?? extras.applicationId;
  const webhookId = webhook?.id ?? (extras.interaction ? applicationId : undefined);
  return {
    ...(webhookId !== undefined && { webhook_id: webhookId }),
    ...(applicationId && { application_id: applicationId }),
    ...(reference && {
      message_reference: {
        type: reference.type,
        channel_id: reference.channelId,
        ...(reference.messageId !== null && { message_id: reference.messageId }),
        ...((reference.guildId ?? channel?.guildId) && { guild_id: reference.guildId ?? channel?.guildId ?? "" }),
      },
    }),
  };
}

function toApiSnapshot(world: World, message: MessageRecord, snapshot: SnapshotRecord) {
  const mentions = mentionsIn(snapshot.content);
  return {
    message: {
      type: snapshot.type,
      content: snapshot.content,
      timestamp: toTimestamp(snapshot.timestamp),
      edited_timestamp: snapshot.editedAt === null ? null : toTimestamp(snapshot.editedAt),
      flags: snapshot.flags,
      mentions: mentions.users.filter((id) => world.users.has(id)).map((id) => toApiUserById(world, id)),
      mention_roles: [...mentions.roles],
      ...toApiBody(world, message.channelId, snapshot.more),
      ...(snapshot.more.stickers && { sticker_items: snapshot.more.stickers }),
    },
  };
}

function toApiReactions(extras: MessageExtras, viewerId: string): APIReaction[] {
  return [...(extras.reactions?.values() ?? [])].map(({ emoji, users }) => ({
    emoji: { id: emoji.id, name: emoji.name },
    count: users.size,
    count_details: { burst: 0, normal: users.size },
    burst_colors: [],
    me_burst: false,
    burst_me: false,
    burst_count: 0,
    me: users.has(viewerId),
  }));
}

/** Pin notices, crossposts and the like also carry a reference, but not the message behind it. */
function showsOriginal(message: MessageRecord): boolean {
  return message.type === MessageType.Reply || message.type === MessageType.ThreadStarterMessage;
}

/** Null if the original was deleted. */
function findOriginal(world: World, message: MessageRecord, viewer: MessageViewer): APIMessage | null {
  const { channelId, messageId } = message.more?.reference ?? {};
  const log = channelId === undefined ? undefined : world.channels.get(channelId)?.messages;
  const original = messageId ? log?.get(messageId) : undefined;
  return original ? toBasicMessage(world, original, { viewerId: viewer.viewerId }) : null;
}

/** A thread opened on a message has the message's id. */
function threadOf(world: World, message: MessageRecord, viewerId: string): Partial<APIMessage> {
  if (!(message.flags & MessageFlags.HasThread)) return {};
  const thread = world.channels.get(message.id);
  return thread?.thread ? ({ thread: toApiChannel(world, thread, viewerId) } as Partial<APIMessage>) : {};
}

/** The attachment of this id among everything a message carries, forwarded snapshots included. */
export function findAttachment(message: MessageRecord, attachmentId: string): AttachmentRecord | undefined {
  const carried = [message.more, ...(message.more?.snapshots ?? []).map((snapshot) => snapshot.more)];
  for (const part of carried) {
    const found = part?.attachments?.find((attachment) => attachment.id === attachmentId);
    if (found) return found;
  }
  return undefined;
}
