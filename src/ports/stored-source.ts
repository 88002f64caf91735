import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { BASIS_TYPES } from "../domain/memory/fact.ts";
import type { MessageRef } from "../domain/message.ts";

/** One source of a fact or an answer, as it is stored: without text. */
export interface StoredSource {
  /** As in the audit. `gone`: replaces a source that is gone, without a reference. A fact or answer that rested on it has to go. */
  readonly type: (typeof BASIS_TYPES)[number] | "gone";
  /** For a message `<channel>/<message>`. */
  readonly ref: string;
  /** The author, or the person that it is about; empty for none. Empty also for the sources of a fact, whose authors are sealed with the
   * fact. */
  readonly personId: UserId | "";
}

export type SourceRef = Pick<StoredSource, "type" | "ref">;

/** Cited things: references of one type, anything by or about a person, or messages of a channel. */
export type CitedBy =
  | { readonly type: StoredSource["type"]; readonly refs: readonly string[] }
  | { readonly personId: UserId }
  | { readonly channelId: ChannelId };

export const GONE: StoredSource = { type: "gone", ref: "", personId: "" };

export function toMessageSource({ channelId, messageId }: MessageRef, authorId: UserId | null): StoredSource {
  return { type: "discord_message", ref: toRef({ channelId, messageId }), personId: authorId ?? "" };
}

/** The question is a source of a client's answer. It has no author here, so that questions of people who are left out are answered all
 * the same. */
export function toQuestionSource(question: MessageRef): StoredSource {
  return toMessageSource(question, null);
}

/** A fact that an answer shows, or a profile value, whose references are paths. */
export function toFactSource({ factId, subjectId }: CitedFact): StoredSource {
  return { type: factId.includes("/") ? "crm" : "memory_fact", ref: factId, personId: subjectId ?? "" };
}

export function toPassageSource({ passageRef }: CitedPassage): StoredSource {
  return { type: "docs", ref: passageRef, personId: "" };
}

export function citedMessages(channelId: ChannelId, ids: readonly MessageId[]): CitedBy {
  return { type: "discord_message", refs: ids.map((messageId) => toRef({ channelId, messageId })) };
}

/** Null if the source is not a message. */
export function toMessageRef({ type, ref }: SourceRef): MessageRef | null {
  if (type !== "discord_message") return null;
  const [channelId, messageId] = ref.split("/");
  return { channelId: channelId as ChannelId, messageId: messageId as MessageId };
}

export function toRef({ channelId, messageId }: MessageRef): string {
  return `${channelId}/${messageId}`;
}

export interface CitedPassage {
  readonly passageRef: string;
}

export interface CitedFact {
  readonly factId: string;
  readonly subjectId: UserId | null;
}
