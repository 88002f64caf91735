import { type ChannelId, type GuildId, idTime, type MessageId, type UserId } from "../../domain/ids.ts";
import { type Attachment, type Message, type MessagePart, toTypedParts } from "../../domain/message.ts";
import { foldBare } from "../../domain/search/keywords.ts";
import { toMessageLink } from "../../domain/text/message-link.ts";

/** A stored message, without derivable fields. Integers are read as BigInt. */
export interface MessageRow {
  readonly id: bigint;
  readonly place: bigint;
  readonly author: bigint;
  readonly name: Text;
  /** Kind and bot; state of the replied-to message, and whether it is the bot's own; `FOLDS_BEYOND_ASCII`. */
  readonly traits: bigint;
  /** Milliseconds after the id's creation time. */
  readonly ts: bigint;
  /** Milliseconds after `ts`. */
  readonly edited: bigint | null;
  readonly reply: bigint | null;
  /** Null for the default. */
  readonly link: Text | null;
  readonly content: Text;
  /** The parts of the content, in order: `typed:5 embed:40`. Null if all of it was typed. */
  readonly parts: string | null;
  readonly attachments: string | null;
}

/** The place of messages; equal for nearly all messages of a channel. */
export interface StoredPlace {
  readonly channelId: ChannelId;
  readonly guildId: GuildId | null;
  readonly threadId: ChannelId | null;
}

/** SQLite stores only well-formed text without NUL; other text is stored as its UTF-16 bytes. */
type Text = string | Uint8Array;

const KINDS = ["text", "reply", "command", "system", "forward"] as const satisfies readonly Message["kind"][];
const STATES = ["known", "deleted", "unknown"] as const;
/** A bit of `traits`: the text needs more case folding than ASCII letters. */
export const FOLDS_BEYOND_ASCII = 128;
/** SQLite's integers are signed: shifted down, all 64-bit ids fit and keep their order. */
const SHIFT = 1n << 63n;

export function toKey(id: string | bigint): bigint {
  return BigInt(id) - SHIFT;
}

export function toIdOf<Id extends string>(key: bigint): Id {
  return String(key + SHIFT) as Id;
}

export function toRow(message: Message, place: bigint): MessageRow {
  const { message_id, author, reply_to, attachments } = message;
  const ts = Date.parse(message.ts);
  const content = toText(message.content);
  const reply = reply_to ? STATES.indexOf(reply_to.state) | (Number(reply_to.to_bot ?? false) << 2) : 0;
  return {
    id: toKey(message_id),
    place,
    author: toKey(author.id),
    name: toText(author.name),
    traits: BigInt(KINDS.indexOf(message.kind) | (Number(author.bot) << 3) | (reply << 4) | foldingOf(content)),
    ts: BigInt(ts - idTime(message_id)),
    edited: message.edited_ts === null ? null : BigInt(Date.parse(message.edited_ts) - ts),
    reply: reply_to && toKey(reply_to.message_id),
    link:
      message.link ===
      toMessageLink({ guildId: message.guild_id, channelId: message.channel_id, messageId: message_id })
        ? null
        : toText(message.link),
    content,
    parts: packParts(message.parts),
    attachments: attachments.length === 0 ? null : JSON.stringify(attachments),
  };
}

export function toMessage(row: MessageRow, { channelId, guildId, threadId }: StoredPlace): Message {
  const messageId = toIdOf<MessageId>(row.id);
  const ts = Number(row.ts) + idTime(messageId);
  const traits = Number(row.traits);
  const reply = {
    state: STATES[(traits >> 4) & 3] ?? "unknown",
    ...((traits & 64) !== 0 && { to_bot: true as const }),
  };
  const content = fromText(row.content);
  return {
    message_id: messageId,
    channel_id: channelId,
    guild_id: guildId,
    thread_id: threadId,
    link: row.link === null ? toMessageLink({ guildId, channelId, messageId }) : fromText(row.link),
    author: { id: toIdOf<UserId>(row.author), name: fromText(row.name), bot: (traits & 8) !== 0 },
    ts: new Date(ts).toISOString(),
    edited_ts: row.edited === null ? null : new Date(ts + Number(row.edited)).toISOString(),
    kind: KINDS[traits & 7] ?? "text",
    content,
    parts: row.parts === null ? toTypedParts(content) : unpackParts(row.parts, content),
    reply_to: row.reply === null ? null : { message_id: toIdOf<MessageId>(row.reply), ...reply },
    attachments: row.attachments === null ? [] : (JSON.parse(row.attachments) as Attachment[]),
  };
}

function foldingOf(content: Text): number {
  if (typeof content !== "string") return FOLDS_BEYOND_ASCII;
  const lower = content.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return foldBare(content) === lower ? 0 : FOLDS_BEYOND_ASCII;
}

/** Their texts are in the content, one line break apart: the lengths tell them apart. */
function packParts(parts: readonly MessagePart[]): string | null {
  const isTyped = parts.length < 2 && parts.every(({ kind }) => kind === "typed");
  return isTyped ? null : parts.map(({ kind, text }) => `${kind}:${text.length}`).join(" ");
}

function unpackParts(packed: string, content: string): MessagePart[] {
  let start = 0;
  return packed.split(" ").map((one) => {
    const [kind = "", length = ""] = one.split(":");
    const text = content.slice(start, start + Number(length));
    start += text.length + 1;
    return { kind: kind as MessagePart["kind"], text };
  });
}

function toText(text: string): Text {
  return text.isWellFormed() && !text.includes("\0") ? text : Buffer.from(text, "utf16le");
}

export function fromText(text: Text): string {
  return typeof text === "string" ? text : Buffer.from(text).toString("utf16le");
}
