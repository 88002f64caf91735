import type { ChannelId, MessageId, UserId } from "./ids.ts";
import { type Message, typedText } from "./message.ts";

/** A message, as it was when it was read. */
export interface MessageReading {
  readonly messageId: MessageId;
  readonly channelId: ChannelId;
  readonly authorId: UserId | null;
  /** What its author wrote, with its file names; null, like the author, when no longer known. */
  readonly text: string | null;
  /** What stands there with what Discord added to it: a forwarded message, the preview of a link. */
  readonly added?: string;
  /** False for a message that was looked at and is not in the answer: it limits who may hear, and what becomes of it later does not matter. */
  readonly isShown?: boolean;
}

export function toMessageReading(message: Message): MessageReading & { readonly text: string } {
  const { message_id, channel_id, author, content, attachments } = message;
  const files = attachments.map(({ filename }) => filename);
  // A bot writes its embeds itself; in a person's message Discord adds everything but the typed text.
  const words = author.bot ? content : typedText(message);
  return {
    ...{ messageId: message_id, channelId: channel_id, authorId: author.id },
    text: [words, ...files].join("\n"),
    ...(words !== content && { added: content }),
  };
}
