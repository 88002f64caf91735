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
  /** The people named last; if there is one, "he", "she" and "they" refer to that person. */
  readonly people: readonly { readonly id: UserId | null; readonly name: string }[];
  /** Messages shown in the answer, in order. */
  readonly shown: readonly ShownMessage[];
}
