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

/** Has answers that nobody confirmed follow their sources: they go when one of those does. Throws as the store of answers does. */
export interface FollowedAnswers {
  /** Before it leaves: after a crash it is known what a message rests on that did leave. */
  plan(answer: PlannedAnswer): Promise<void>;
  /** These messages of it stand there; all that do, if it is whole. Safe to repeat. */
  note(answer: PlannedAnswer, messageIds: readonly MessageId[], how: { readonly isWhole: boolean }): Promise<void>;
  /** Before one of its messages is changed: it follows these sources, too. */
  extend(answer: PlannedAnswer & { readonly answerId: MessageId }): Promise<void>;
  /** It follows nothing any more. Safe to repeat. */
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
  /** Counts how often one person tells something knowingly. */
  readonly disclosureRate: HourlyLimit;
  /** Absent where nothing follows its sources. */
  readonly followed?: (() => FollowedAnswers) | undefined;
}

/** The call that an effect belongs to. */
export interface EffectCall {
  readonly operation: Operation;
  readonly tool: string;
  readonly access: EffectAccess;
  readonly record: CallRecord;
  readonly signal: AbortSignal | undefined;
  /** It posts or changes the agent's own answer. */
  readonly isAnswering?: true;
  /** Reads again what may have changed unheard. */
  refresh(): Promise<void>;
}

/** The answer to a command. */
interface RespondAction {
  readonly kind: "respond";
  readonly channelId: ChannelId;
  readonly text: string;
}

/** A message that asks the actor for their review. It says nothing of what waits; that it stands there tells that something does. */
export interface PromptAction {
  readonly kind: "prompt";
  readonly channelId: ChannelId;
  /** By direct message. */
  readonly isPrivate: boolean;
}

export type EffectAction = DiscordAction | RespondAction | PromptAction;
