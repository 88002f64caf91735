import { MessageFlags, MessageReferenceType, MessageType } from "discord-api-types/v10";
import { mentionsIn } from "../render/mentions.ts";
import type {
  AttachmentRecord,
  InteractionMetadata,
  MessageExtras,
  MessageRecord,
  PollRecord,
  SnapshotRecord,
} from "../world/records.ts";
import type { World } from "../world/world.ts";
import { type Place, permissionsIn } from "./access.ts";
import { DiscordError } from "./errors.ts";
import type { AttachmentDraft, MessageDraft, PollDraft } from "./message-draft.ts";
import { resolveMentions } from "./resolve-mentions.ts";

/** Flags that the sender may set; the others are Discord's own. */
const SETTABLE_FLAGS =
  MessageFlags.SuppressEmbeds |
  MessageFlags.SuppressNotifications |
  MessageFlags.IsComponentsV2 |
  MessageFlags.IsVoiceMessage;

export interface Composition {
  readonly place: Place;
  readonly authorId: string;
  readonly draft: MessageDraft;
  readonly type?: MessageType;
  /** The message replied to or forwarded, already looked up and permitted. */
  readonly original?: MessageRecord;
  readonly webhook?: MessageExtras["webhook"];
  readonly interaction?: InteractionMetadata;
  readonly applicationId?: string;
  readonly ephemeralFor?: string;
  /** A forum post's first message has the id of its thread. */
  readonly id?: string;
}

/** Creates the record of a checked message, without adding it to the channel. */
export function composeMessage(world: World, composition: Composition): MessageRecord {
  const { place, draft, original } = composition;
  const now = world.clock.now();
  const isForward = draft.reference?.type === MessageReferenceType.Forward;
  const isReply = original !== undefined && !isForward;
  const extras: MessageExtras = {
    ...(draft.embeds?.length && { embeds: [...draft.embeds] }),
    ...(draft.attachments?.length && { attachments: draft.attachments.map((one) => toAttachment(world, one)) }),
    ...(draft.components?.length && { components: [...draft.components] }),
    ...(draft.stickerIds?.length && { stickers: draft.stickerIds.map((id) => findSticker(world, id)) }),
    ...(draft.poll && { poll: toPoll(draft.poll, now) }),
    ...(draft.tts && { tts: true }),
    ...(draft.nonce !== undefined && { nonce: draft.nonce }),
    ...(original && { reference: toReference(world, original, isForward ? 1 : 0) }),
    ...(original && isForward && { snapshots: [toSnapshot(original)] }),
    ...(composition.webhook && { webhook: composition.webhook }),
    ...(composition.interaction && { interaction: composition.interaction }),
    ...(composition.applicationId !== undefined && { applicationId: composition.applicationId }),
    ...(composition.ephemeralFor !== undefined && { ephemeralFor: composition.ephemeralFor }),
    ...recordedMentions(world, composition, isReply),
  };
  const settable = composition.ephemeralFor === undefined ? SETTABLE_FLAGS : SETTABLE_FLAGS | MessageFlags.Ephemeral;
  return {
    id: composition.id ?? world.mintId(),
    channelId: place.channel.id,
    authorId: composition.authorId,
    type: composition.type ?? (isReply ? MessageType.Reply : MessageType.Default),
    content: draft.content?.trim() ?? "",
    timestamp: now,
    editedAt: null,
    flags: ((draft.flags ?? 0) & settable) | (isForward ? MessageFlags.HasSnapshot : 0),
    more: Object.keys(extras).length > 0 ? extras : null,
  };
}

export function toAttachment(world: World, draft: AttachmentDraft): AttachmentRecord {
  return { ...draft, id: world.mintId(), size: draft.bytes.byteLength };
}

/** Mentions for the record: only if they differ from those in the content. */
export function recordedMentions(
  world: World,
  { place, authorId, draft, original, webhook }: Composition,
  isReply: boolean,
): Pick<MessageExtras, "mentions" | "mentionEveryone"> {
  const content = draft.content ?? "";
  const { users, roles, everyone } = resolveMentions(world, {
    content,
    components: draft.components ?? [],
    guild: place.guild,
    // A webhook may ping all people and roles.
    permissions: webhook ? ~0n : permissionsIn(world, place, authorId),
    allowed: draft.allowedMentions,
    repliedTo: isReply ? original : undefined,
  });
  const named = mentionsIn(content);
  const isPlain = !isReply && users.length === named.users.length && roles.length === named.roles.length;
  return { ...(!isPlain && { mentions: { users, roles } }), ...(everyone && { mentionEveryone: true }) };
}

function findSticker(world: World, id: string) {
  const sticker = world.stickers.get(id);
  if (!sticker) throw new DiscordError(400, 50081, "Invalid sticker sent");
  return { id, name: sticker.name, format_type: sticker.format_type };
}

function toPoll(draft: PollDraft, now: number): PollRecord {
  return {
    question: draft.question,
    answers: draft.answers.map((answer, index) => ({ id: index + 1, ...answer })),
    expiresAt: now + (draft.hours ?? 24) * 3_600_000,
    multiselect: draft.multiselect ?? false,
    votes: new Map(),
    finalized: false,
  };
}

function toReference(world: World, original: MessageRecord, type: 0 | 1) {
  const guildId = world.channels.get(original.channelId)?.guildId ?? null;
  return { type, messageId: original.id, channelId: original.channelId, guildId };
}

/** Forwarding a forward copies its snapshot: snapshots never nest. */
function toSnapshot(original: MessageRecord): SnapshotRecord {
  const carried = original.more?.snapshots?.[0];
  if (carried) return carried;
  const { embeds, attachments, stickers, components } = original.more ?? {};
  return {
    type: original.type,
    content: original.content,
    timestamp: original.timestamp,
    editedAt: original.editedAt,
    flags: original.flags,
    more: {
      ...(embeds && { embeds }),
      ...(attachments && { attachments }),
      ...(stickers && { stickers }),
      ...(components && { components }),
    },
  };
}
