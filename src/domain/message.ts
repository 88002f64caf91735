import { z } from "zod";
import { idSchema } from "./id-schema.ts";
import {
  type AttachmentId,
  type ChannelId,
  compareIds,
  type GuildId,
  type MessageId,
  toFirstId,
  type UserId,
} from "./ids.ts";

const timestamp = z.iso.datetime({ precision: 3 });

export const attachmentSchema = z.object({
  id: idSchema<AttachmentId>(),
  url: z.string(),
  filename: z.string(),
  content_type: z.string().nullable(),
  size: z.int().min(0).max(Number.MAX_SAFE_INTEGER),
  width: z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
  height: z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
});

/** A piece of a message's text by origin. The author wrote only `typed`. */
const partSchema = z.object({
  kind: z.enum(["typed", "forward", "embed", "component", "poll", "sticker", "notice"]),
  text: z.string(),
});

/**
 * The one shape of a message in events, tool results and the index.
 * `channel_id` is where the message was sent and where an answer belongs; in a thread it is the thread's id, and `thread_id` repeats it.
 */
export const messageSchema = z.object({
  message_id: idSchema<MessageId>(),
  channel_id: idSchema<ChannelId>(),
  guild_id: idSchema<GuildId>().nullable(),
  thread_id: idSchema<ChannelId>().nullable(),
  link: z.string(),
  author: z.object({ id: idSchema<UserId>(), name: z.string(), bot: z.boolean() }),
  ts: timestamp,
  edited_ts: timestamp.nullable(),
  kind: z.enum(["text", "reply", "command", "system", "forward"]),
  /** All readable text of the message. Mentions stay raw tokens. */
  content: z.string(),
  parts: z
    .array(partSchema)
    .describe(
      "The same text by where it comes from, joined by line breaks; only `typed` is what the author wrote there",
    ),
  reply_to: z
    .object({
      message_id: idSchema<MessageId>(),
      /** `unknown`: Discord did not say whether the message still exists. */
      state: z.enum(["known", "deleted", "unknown"]),
      /** The message is a reply to one of the bot's own, as far as Discord says. */
      to_bot: z.literal(true).optional(),
    })
    .nullable(),
  attachments: z.array(attachmentSchema),
});

export interface MessageRef {
  readonly channelId: ChannelId;
  readonly messageId: MessageId;
}

export type Attachment = z.infer<typeof attachmentSchema>;
export type Message = z.infer<typeof messageSchema>;
export type MessagePart = z.infer<typeof partSchema>;

/** The parts of a message with nothing but typed text. */
export function toTypedParts(content: string): MessagePart[] {
  return content === "" ? [] : [{ kind: "typed", text: content }];
}

/** The text the author typed, without previews, forwards and the like. */
export function typedText({ parts }: Pick<Message, "parts">): string {
  return joinParts(parts.filter(({ kind }) => kind === "typed"));
}

/** The `content` of a message with these parts. */
export function joinParts(parts: readonly MessagePart[]): string {
  const [first] = parts;
  if (first && parts.length === 1) return first.text;
  return parts.map(({ text }) => text).join("\n");
}

/** Removes the author of the replied-to message, whom only readers of that message know. */
export function withoutTarget(message: Message): Message {
  if (!message.reply_to?.to_bot) return message;
  const { to_bot: _, ...reply_to } = message.reply_to;
  return { ...message, reply_to };
}

/** A message as it was read. */
export interface MessageReading {
  readonly messageId: MessageId;
  readonly channelId: ChannelId;
  readonly authorId: UserId | null;
  /** The author's text and file names; null, like the author, once forgotten. */
  readonly text: string | null;
  /** Text that Discord added: a forwarded message, a link preview. */
  readonly added?: string;
  /** False if the message was examined but is not in the answer: it limits the audience, and later changes to it do not matter. */
  readonly isShown?: boolean;
}

export function toMessageReading(message: Message): MessageReading & { readonly text: string } {
  const { message_id, channel_id, author, content, attachments } = message;
  const files = attachments.map(({ filename }) => filename);
  // A bot writes its embeds itself; in a person's message Discord adds all text except the typed one.
  const words = author.bot ? content : typedText(message);
  return {
    ...{ messageId: message_id, channelId: channel_id, authorId: author.id },
    text: [words, ...files].join("\n"),
    ...(words !== content && { added: content }),
  };
}

/**
 * Messages of this age at the time of a request count as live: they may be repeated in their channel to everyone who can view it, even
 * people who cannot read its history. Long enough for the conversation around a question; too short to be called history.
 */
const LIVE_MS = 10 * 60_000;

interface LiveRequest {
  readonly openedAt: number;
  readonly origin: { readonly messageId: MessageId | null };
}

/** The time from which messages are live within an operation. */
export function liveSince({ openedAt }: Pick<LiveRequest, "openedAt">): number {
  return openedAt - LIVE_MS;
}

/** Cached: hundreds of messages are compared for one request. */
const firstLiveIds = new WeakMap<LiveRequest, MessageId>();

function firstLive(request: LiveRequest): MessageId {
  const known = firstLiveIds.get(request);
  if (known !== undefined) return known;
  const first = toFirstId<MessageId>(Math.ceil(liveSince(request)));
  firstLiveIds.set(request, first);
  return first;
}

/** The request itself is live however late it is answered, because its author asks for it. Messages in between are not. */
export function isLive(messageId: MessageId, request: LiveRequest): boolean {
  return messageId === request.origin.messageId || compareIds(messageId, firstLive(request)) >= 0;
}
