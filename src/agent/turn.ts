import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";

export interface ShownMessage {
  readonly channelId: ChannelId;
  readonly messageId: MessageId;
  readonly link: string;
}

export function toShown({ channel_id, message_id, link }: Message): ShownMessage {
  return { channelId: channel_id, messageId: message_id, link };
}

/** A call that answered a question, so that the next question can change one part of it. */
export interface Turn {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The question as it was understood, in case one of its parts is replaced. */
  readonly question: string;
  /** ISO code of the language of the answer. */
  readonly language: string;
  /** Who was named last; "he", "she" and "they" are this person if there is one alone. */
  readonly people: readonly { readonly id: UserId | null; readonly name: string }[];
  /** Messages that the answer showed, the first shown first. */
  readonly shown: readonly ShownMessage[];
}
