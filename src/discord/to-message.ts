import {
  type AttachmentId,
  type ChannelId,
  type GuildId,
  idTime,
  type MessageId,
  toId,
  type UserId,
} from "../domain/ids.ts";
import { type Attachment, joinParts, type Message, type MessagePart } from "../domain/message.ts";
import { toMessageLink } from "../domain/text/message-link.ts";
import {
  count,
  countOrNull,
  isoTime,
  isRecord,
  list,
  type Raw,
  name as readName,
  record,
  text,
  textOrNull,
} from "./read.ts";
import { readableParts, readableText } from "./readable-text.ts";

/** Data about a message that the message itself does not contain. */
export interface MessageSurroundings {
  readonly botId: UserId;
  /** Web address of the server, for the link; Discord's own when absent. */
  readonly web?: string | undefined;
  /** REST messages contain no guild id; null in a DM. */
  readonly guildId: GuildId | null;
  readonly isThread: boolean;
  /** The member's name in that guild, if known. */
  memberName(userId: UserId): string | undefined;
}

/** The reason why something is not a valid message. */
export interface MessageRefusal {
  readonly refused: string;
}

const MAX_ATTACHMENTS = 20;

/** Converts data from a Discord-like server into a message, or returns the reason why not. Never throws, whatever the input. */
export function toMessage(raw: unknown, surroundings: MessageSurroundings): Message | MessageRefusal {
  if (!isRecord(raw)) return { refused: "not an object" };
  const messageId = toId<MessageId>(raw["id"]);
  if (!messageId) return { refused: "no message id" };
  const channelId = toId<ChannelId>(raw["channel_id"]);
  if (!channelId) return { refused: "no channel id" };
  if (!isRecord(raw["author"])) return { refused: "no author" };
  const authorId = toId<UserId>(raw["author"]["id"]);
  if (!authorId) return { refused: "no author id" };
  const { guildId, isThread } = surroundings;
  const kind = kindOf(raw);
  const name = authorName(raw, authorId, surroundings);
  const parts = kind === "system" ? noticeParts(raw, name) : readableParts(raw);
  return {
    message_id: messageId,
    channel_id: channelId,
    guild_id: guildId,
    thread_id: isThread ? channelId : null,
    link: toMessageLink({ guildId, channelId, messageId }, surroundings.web),
    author: { id: authorId, name, bot: isBot(raw) },
    ts: isoTime(raw["timestamp"]) ?? new Date(idTime(messageId)).toISOString(),
    edited_ts: isoTime(raw["edited_timestamp"]),
    kind,
    content: joinParts(parts),
    parts,
    reply_to: replyOf(raw, surroundings.botId),
    attachments: attachmentsOf(raw),
  };
}

export function isRefusal(value: Message | MessageRefusal): value is MessageRefusal {
  return "refused" in value;
}

function kindOf(raw: Raw): Message["kind"] {
  switch (raw["type"] ?? 0) {
    case 0:
      return record(raw["message_reference"])["type"] === 1 ? "forward" : "text";
    case 19:
      return "reply";
    case 20:
    case 23:
      return "command";
    default:
      return "system";
  }
}

function isBot(raw: Raw): boolean {
  return record(raw["author"])["bot"] === true || toId(raw["webhook_id"]) !== null;
}

function authorName(raw: Raw, authorId: UserId, surroundings: MessageSurroundings): string {
  const author = record(raw["author"]);
  return (
    readName(record(raw["member"])["nick"]) ??
    surroundings.memberName(authorId) ??
    readName(author["global_name"]) ??
    readName(author["username"]) ??
    authorId
  );
}

/** Many notices refer to a message; only a reply and the start of a thread reply to one. */
function replyOf(raw: Raw, botId: UserId): Message["reply_to"] {
  if (raw["type"] !== 19 && raw["type"] !== 21) return null;
  const messageId = toId<MessageId>(record(raw["message_reference"])["message_id"]);
  if (!messageId) return null;
  const referenced = raw["referenced_message"];
  return {
    message_id: messageId,
    state: referenced === undefined ? "unknown" : referenced === null ? "deleted" : "known",
    ...(record(record(referenced)["author"])["id"] === botId && { to_bot: true }),
  };
}

function attachmentsOf(raw: Raw): Attachment[] {
  const own = list(raw["attachments"]);
  if (own.length === 0 && list(raw["message_snapshots"]).length === 0) return [];
  const forwarded = list(raw["message_snapshots"]).flatMap((snapshot) =>
    list(record(record(snapshot)["message"])["attachments"]),
  );
  const attachments: Attachment[] = [];
  for (const value of [...own, ...forwarded].slice(0, MAX_ATTACHMENTS)) {
    const attachment = record(value);
    const id = toId<AttachmentId>(attachment["id"]);
    if (!id) continue;
    attachments.push({
      id,
      url: text(attachment["url"]),
      filename: text(attachment["filename"]),
      content_type: textOrNull(attachment["content_type"]),
      size: count(attachment["size"]),
      width: countOrNull(attachment["width"]),
      height: countOrNull(attachment["height"]),
    });
  }
  return attachments;
}

const POLL_RESULT = 46;

/** Message types that Discord writes itself, with its clients' texts.
 * https://discord.com/developers/docs/resources/message#message-object-message-types */
const NOTICES: Readonly<Record<number, (name: string, raw: Raw) => string>> = {
  1: (name) => `${name} added someone to the group.`,
  2: (name) => `${name} removed someone from the group.`,
  3: (name) => `${name} started a call.`,
  4: (name, raw) => `${name} changed the channel name: ${text(raw["content"])}`,
  5: (name) => `${name} changed the channel icon.`,
  6: (name) => `${name} pinned a message to this channel.`,
  7: (name) => `${name} joined the server.`,
  8: (name) => `${name} boosted the server.`,
  9: (name) => `${name} boosted the server, which reached level 1.`,
  10: (name) => `${name} boosted the server, which reached level 2.`,
  11: (name) => `${name} boosted the server, which reached level 3.`,
  12: (name, raw) => `${name} made this channel follow ${text(raw["content"])}.`,
  18: (name, raw) => `${name} started a thread: ${text(raw["content"])}`,
  21: () => "The thread starts from an earlier message.",
  22: () => "Discord reminds the server to invite people.",
  24: (_, raw) => `AutoMod acted on a message.${afterwards(readableText(raw))}`,
  25: (name) => `${name} bought a role subscription.`,
  27: (name) => `${name} started a stage.`,
  28: (name) => `${name} ended a stage.`,
  29: (name) => `${name} became a speaker.`,
  31: (name, raw) => `${name} changed the stage topic: ${text(raw["content"])}`,
};

/** The text of a notice. It counts as written by no author, even if it repeats a person's text. */
function noticeParts(raw: Raw, authorName: string): MessagePart[] {
  if (raw["type"] === POLL_RESULT)
    return readableParts(raw).map((part) => (part.kind === "typed" ? { ...part, kind: "notice" } : part));
  const notice = toSentence(raw, authorName);
  return notice === "" ? [] : [{ kind: "notice", text: notice }];
}

/** The notice as a sentence. Unknown types are named by number, with any text they contain. */
function toSentence(raw: Raw, authorName: string): string {
  const type = typeof raw["type"] === "number" ? raw["type"] : -1;
  const notice = Object.hasOwn(NOTICES, type) ? NOTICES[type] : undefined;
  return text(
    notice ? notice(authorName, raw) : `Notice by Discord (type ${type}).${afterwards(readableText(record(raw)))}`,
  );
}

function afterwards(content: string): string {
  return content === "" ? "" : ` ${content}`;
}
