import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import type { DiscordAction } from "../../policy/action.ts";
import type { Audit } from "../../policy/audit.ts";
import type { Confirmations } from "../../policy/confirmations.ts";
import type { HourlyLimit } from "../../policy/limits.ts";
import type { Operation } from "../../policy/operation.ts";
import type { QuestionHolders } from "../../policy/question-holders.ts";
import type { Rules } from "../../policy/rules.ts";
import type { PlannedAnswer } from "../../ports/answer-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Discord } from "../../ports/discord.ts";
import type { Timelines } from "../../ports/timelines.ts";
import type { SourceWatch } from "../../sources/source-watch.ts";
import type { CallRecord } from "../call/call-record.ts";
import type { EffectAccess } from "../call/effect-access.ts";
import type { PendingEffects, SentOnce } from "./effects-under-way.ts";

/** Lets answers without confirmation follow their sources: they are withdrawn when a source is. Throws as the answer store does. */
export interface FollowedAnswers {
  /** Called before a send, so that the sources of a message that left are known even after a crash. */
  plan(answer: PlannedAnswer): Promise<void>;
  /** Notes posted messages; all of the answer's, if it is whole. Safe to repeat. */
  note(answer: PlannedAnswer, messageIds: readonly MessageId[], how: { readonly isWhole: boolean }): Promise<void>;
  /** Called before an edit: adds the sources of the new text. */
  extend(answer: PlannedAnswer & { readonly answerId: MessageId }): Promise<void>;
  /** Stops following. Safe to repeat. */
  release(messageId: MessageId): Promise<void>;
}

export interface EffectsDeps {
  readonly discord: Discord;
  readonly timelines: Pick<Timelines, "message">;
  readonly audit: Audit;
  readonly confirmations: Confirmations;
  readonly sentOnce: SentOnce;
  readonly pendingEffects: PendingEffects;
  readonly holders: QuestionHolders;
  isLeftOut(authorId: UserId): boolean;
  readonly sources: SourceWatch;
  readonly rules: Rules;
  readonly clock: Clock;
  /** Limits how often a person tells something knowingly. */
  readonly disclosureRate: HourlyLimit;
  /** Absent if answers do not follow their sources. */
  readonly followed?: (() => FollowedAnswers) | undefined;
}

export interface EffectCall {
  readonly operation: Operation;
  readonly tool: string;
  readonly access: EffectAccess;
  readonly record: CallRecord;
  readonly signal: AbortSignal | undefined;
  /** It posts or changes the agent's own answer. */
  readonly isAnswering?: true;
  /** Re-reads sources whose changes may have been missed. */
  refresh(): Promise<void>;
}

interface RespondAction {
  readonly kind: "respond";
  readonly channelId: ChannelId;
  readonly text: string;
}

/** A message that asks the actor for a review. It does not describe the action, but reveals that one is pending. */
export interface PromptAction {
  readonly kind: "prompt";
  readonly channelId: ChannelId;
  readonly isPrivate: boolean;
}

export type EffectAction = DiscordAction | RespondAction | PromptAction;
