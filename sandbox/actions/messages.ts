import { type APIEmbed, ChannelType, MessageFlags, MessageType, PermissionFlagsBits } from "discord-api-types/v10";
import type { MessageExtras, MessageRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { isVoice, type Place, permissionsIn, requireMessage, requirePermission, requirePlace } from "./access.ts";
import { announceMessage } from "./announce.ts";
import { checkDraft, checkFileSizes, isEmpty } from "./check-draft.ts";
import { composeMessage, recordedMentions, toAttachment } from "./compose-message.ts";
import { updateCopies } from "./crosspost-copies.ts";
import {
  DiscordError,
  emptyMessage,
  notATextChannel,
  notYourMessage,
  systemMessage,
  threadArchived,
} from "./errors.ts";
import { findOriginal } from "./find-original.ts";
import type { AttachmentDraft, MessageDraft, MessagePatch } from "./message-draft.ts";
import { requireReachable } from "./reach-dm.ts";
import { layMessage } from "./records.ts";
import { enterThreadBySpeaking } from "./speak-in-thread.ts";
import { SPEECH, SPOKEN_IN } from "./speech.ts";

const NONCE_MEMORY_MS = 5 * 60_000;

export function createMessage(
  world: World,
  actor: string,
  { channelId, draft }: { channelId: string; draft: MessageDraft },
): MessageRecord {
  const place = requirePlace(world, actor, channelId);
  requireSpeech(world, actor, { place, draft });
  checkDraft(draft);
  const earlier = draft.enforceNonce ? findByNonce(world, actor, { place, nonce: draft.nonce }) : undefined;
  if (earlier) return earlier;
  requirePatience(world, actor, place);
  const original = draft.reference ? findOriginal(world, actor, { place, reference: draft.reference }) : undefined;
  if (place.channel.thread) enterThreadBySpeaking(world, actor, place);
  const message = composeMessage(world, { place, authorId: actor, draft, ...(original && { original }) });
  postMessage(world, place, message);
  return message;
}

/** Adds a finished message to its channel and announces it. */
export function postMessage(world: World, place: Place, message: MessageRecord): void {
  layMessage(place.channel, message);
  announceMessage(world, "MESSAGE_CREATE", message);
}

export function editMessage(
  world: World,
  actor: string,
  { channelId, messageId, patch }: { channelId: string; messageId: string; patch: MessagePatch },
): MessageRecord {
  const place = requirePlace(world, actor, channelId);
  const message = requireMessage(place, messageId);
  if (place.channel.thread?.archived) throw threadArchived();
  if (message.more?.webhook || message.authorId !== actor) {
    const onlyFlags = Object.entries(patch).every(([field, value]) => field === "flags" || value === undefined);
    if (!onlyFlags) throw notYourMessage();
    requirePermission(permissionsIn(world, place, actor), PermissionFlagsBits.ManageMessages);
  }
  if (!SPEECH.has(message.type)) throw systemMessage();
  applyPatch(world, place, { message, patch });
  announceMessage(world, "MESSAGE_UPDATE", message);
  updateCopies(world, message, "edited");
  return message;
}

/** Applies an edit to the record, without checking permissions. */
export function applyPatch(
  world: World,
  place: Place,
  { message, patch }: { message: MessageRecord; patch: MessagePatch },
): void {
  const before = message.more ?? {};
  if (before.poll) throw new DiscordError(403, 520003, "Cannot edit a poll message");
  const flags = patch.flags == null ? message.flags : editedFlags(message.flags, patch.flags);
  const embeds = patch.embeds === undefined ? before.embeds : (patch.embeds ?? []);
  const components = patch.components === undefined ? before.components : (patch.components ?? []);
  const content = patch.content === undefined ? message.content : (patch.content?.trim() ?? "");
  const draft: MessageDraft = {
    content,
    flags,
    ...(embeds && { embeds }),
    ...(components && { components }),
    ...(patch.allowedMentions && { allowedMentions: patch.allowedMentions }),
  };
  const attachments = editedAttachments(world, before.attachments ?? [], patch.attachments);
  if (attachments.length === 0 && !before.stickers && !before.snapshots && isEmpty(draft)) throw emptyMessage();
  if (!isEmpty(draft)) checkDraft(draft);
  const more: MessageExtras = {
    ...(patch.content === undefined ? before : withMentionsOf(world, place, { message, draft })),
    ...(embeds && { embeds: [...embeds] }),
    ...(components && { components: [...components] }),
    ...(attachments.length > 0 || before.attachments ? { attachments } : {}),
  };
  const { flags: _flags, allowedMentions: _allowed, ...spoken } = patch;
  message.content = content;
  message.flags = flags;
  message.more = Object.keys(more).length > 0 ? more : null;
  if (Object.values(spoken).some((value) => value !== undefined)) message.editedAt = world.clock.now();
}

/** Parses the mentions of new content again, by the rules of the edit and not of the original. */
function withMentionsOf(
  world: World,
  place: Place,
  { message, draft }: { message: MessageRecord; draft: MessageDraft },
): MessageExtras {
  const { mentions: _mentions, mentionEveryone: _everyone, ...kept } = message.more ?? {};
  const { reference, webhook } = kept;
  const original = reference?.messageId ? place.channel.messages.get(reference.messageId) : undefined;
  const isReply = message.type === MessageType.Reply && original !== undefined;
  const composition = {
    place,
    authorId: message.authorId,
    draft,
    ...(original && { original }),
    ...(webhook && { webhook }),
  };
  return { ...kept, ...recordedMentions(world, composition, isReply) };
}

/** Adds a link preview after the message was sent. It is no edit, so `edited_timestamp` does not change. */
export function previewLinks(
  world: World,
  actor: string,
  { channelId, messageId, embeds }: { channelId: string; messageId: string; embeds: readonly APIEmbed[] },
): MessageRecord {
  const message = requireMessage(requirePlace(world, actor, channelId), messageId);
  if (message.flags & MessageFlags.SuppressEmbeds) return message;
  message.more = { ...message.more, embeds: [...(message.more?.embeds ?? []), ...embeds] };
  announceMessage(world, "MESSAGE_UPDATE", message);
  return message;
}

function requireSpeech(world: World, actor: string, { place, draft }: { place: Place; draft: MessageDraft }): void {
  const { channel } = place;
  if (channel.type === ChannelType.GuildForum || channel.type === ChannelType.GuildMedia) {
    throw new DiscordError(400, 40058, "Cannot send a message in a forum channel");
  }
  if (!SPOKEN_IN.has(channel.type)) throw notATextChannel();
  if (!place.guild) {
    requireReachable(world, actor, channel);
    return;
  }
  const { SendMessages, SendMessagesInThreads, Connect, AttachFiles, EmbedLinks, SendPolls, SendVoiceMessages } =
    PermissionFlagsBits;
  const permissions = permissionsIn(world, place, actor);
  const speech = channel.thread ? SendMessagesInThreads : SendMessages;
  requirePermission(permissions, speech | (isVoice(channel) ? Connect : 0n));
  if (draft.attachments?.length) requirePermission(permissions, AttachFiles);
  if (draft.embeds?.length) requirePermission(permissions, EmbedLinks);
  if (draft.poll) requirePermission(permissions, SendPolls);
  if ((draft.flags ?? 0) & MessageFlags.IsVoiceMessage) requirePermission(permissions, SendVoiceMessages);
}

/** Slow mode applies to people, not to bots and not to those who may bypass it. */
function requirePatience(world: World, actor: string, place: Place): void {
  const { slowmodeSeconds, messages } = place.channel;
  if (slowmodeSeconds === 0 || !place.guild || world.users.get(actor)?.bot) return;
  const { BypassSlowmode, ManageMessages, ManageChannels } = PermissionFlagsBits;
  if (permissionsIn(world, place, actor) & (BypassSlowmode | ManageMessages | ManageChannels)) return;
  const since = world.clock.now() - slowmodeSeconds * 1000;
  const spoke = messages
    .page({ limit: 100 })
    .some(({ authorId, timestamp }) => authorId === actor && timestamp > since);
  if (spoke) throw new DiscordError(429, 20016, "This action cannot be performed due to slowmode rate limit");
}

function findByNonce(
  world: World,
  actor: string,
  { place, nonce }: { place: Place; nonce: MessageDraft["nonce"] },
): MessageRecord | undefined {
  if (nonce === undefined) return undefined;
  const since = world.clock.now() - NONCE_MEMORY_MS;
  return place.channel.messages
    .page({ limit: 100 })
    .find((one) => one.authorId === actor && one.more?.nonce === nonce && one.timestamp >= since);
}

/** Only the suppression of embeds can be switched off again; version 2 of components can only be switched on. */
function editedFlags(before: number, wanted: number): number {
  const suppress = MessageFlags.SuppressEmbeds;
  return (before & ~suppress) | (wanted & (suppress | MessageFlags.IsComponentsV2));
}

function editedAttachments(
  world: World,
  before: NonNullable<MessageExtras["attachments"]>,
  wanted: MessagePatch["attachments"],
): NonNullable<MessageExtras["attachments"]> {
  if (wanted === undefined) return before;
  const isNew = (one: string | AttachmentDraft): one is AttachmentDraft => typeof one !== "string";
  checkFileSizes((wanted ?? []).filter(isNew));
  return (wanted ?? []).flatMap((one) => {
    const kept = isNew(one) ? toAttachment(world, one) : before.find(({ id }) => id === one);
    return kept ?? [];
  });
}
