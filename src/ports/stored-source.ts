import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { BASIS_TYPES } from "../domain/memory/fact.ts";
import type { MessageRef } from "../domain/message.ts";

/** One thing that a fact or an answer rests on, as it is kept: without words. */
export interface StoredSource {
  /** As the audit calls it. `gone`: in the place of a source that is gone, of which no reference is kept. What rested on it has to go. */
  readonly type: (typeof BASIS_TYPES)[number] | "gone";
  /** Which one: `<channel>/<message>` for a message. */
  readonly ref: string;
  /** Who wrote it, or whom it is about; empty for nobody. Of what a fact rests on that is sealed with the fact, so it is empty there. */
  readonly personId: UserId | "";
}

export type SourceRef = Pick<StoredSource, "type" | "ref">;

/** What is cited: some things of one type, something of somebody's, or messages of a channel. */
export type CitedBy =
  | { readonly type: StoredSource["type"]; readonly refs: readonly string[] }
  | { readonly personId: UserId }
  | { readonly channelId: ChannelId };

export const GONE: StoredSource = { type: "gone", ref: "", personId: "" };

export function toMessageSource({ channelId, messageId }: MessageRef, authorId: UserId | null): StoredSource {
  return { type: "discord_message", ref: toRef({ channelId, messageId }), personId: authorId ?? "" };
}

/** The message that asked is a source of a client's answer: of nobody, so that who is left out is answered all the same. */
export function toQuestionSource(question: MessageRef): StoredSource {
  return toMessageSource(question, null);
}

/** A fact that an answer shows, or what a profile says, whose references are paths. */
export function toFactSource({ factId, subjectId }: CitedFact): StoredSource {
  return { type: factId.includes("/") ? "crm" : "memory_fact", ref: factId, personId: subjectId ?? "" };
}

export function toPassageSource({ passageRef }: CitedPassage): StoredSource {
  return { type: "docs", ref: passageRef, personId: "" };
}

/** Messages of one channel that are cited. */
export function citedMessages(channelId: ChannelId, ids: readonly MessageId[]): CitedBy {
  return { type: "discord_message", refs: ids.map((messageId) => toRef({ channelId, messageId })) };
}

/** Null for what is no message. */
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
