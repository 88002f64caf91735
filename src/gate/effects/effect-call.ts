import type { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, MessageId, UserId } from "../../domain/ids.ts";
import type { DiscordAction } from "../../policy/action.ts";
import type { Audit } from "../../policy/audit.ts";
import type { Confirmations } from "../../policy/confirmations.ts";
import type { DiscordEffect } from "../../policy/decide.ts";
import type { Operation } from "../../policy/operation.ts";
import type { QuestionHolders } from "../../policy/question-holders.ts";
import type { Rules } from "../../policy/rules.ts";
import type { PlannedAnswer, PostedAnswer } from "../../ports/answer-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Discord } from "../../ports/discord.ts";
import type { Timelines } from "../../ports/timelines.ts";
import type { SourceWatch } from "../../sources/source-watch.ts";
import type { DisclosureRate } from "./disclosures.ts";
import type { PendingEffects, SentOnce } from "./effects-under-way.ts";

/** Has answers that nobody confirmed follow their sources: they go when one of those does. Throws as the store of answers does. */
export interface FollowedAnswers {
  /** Before it leaves: after a crash it is known what a message rests on that did leave. */
  plan(answer: PlannedAnswer): Promise<void>;
  /** These messages of it stand there; all that do, if it is whole. Safe to repeat. */
  note(answer: PlannedAnswer, messageIds: readonly MessageId[], how: { readonly isWhole: boolean }): Promise<void>;
  /** Before one of its messages is changed: it follows these sources, too. */
  extend(answer: PostedAnswer): Promise<void>;
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
  readonly disclosureRate: DisclosureRate;
  /** Absent where nothing follows its sources. */
  readonly followed?: (() => FollowedAnswers) | undefined;
}

/** What a call may do. */
interface NeededAccess {
  learn(id: ChannelId): Promise<void>;
  /** Throws if the actor may not do this there, or if not everybody there may know what was read. The id of the decision. */
  mustAffect(effect: DiscordEffect, id: ChannelId, isAnswer: boolean): string;
  /** The same for what the actor chooses to tell although not everybody there may know what was read. */
  mustSpeakKnowingly(id: ChannelId): string;
  isBarredByLabelAlone(id: ChannelId): boolean;
  /** Whether the actor alone may be shown something based on everything that was read. */
  mayTellActor(): boolean;
  /** Whether the history may be read, not only what is being said now. */
  mayReadBack(id: ChannelId): boolean;
  /** Whether those who read the answer may read the channel. */
  mayRead(id: ChannelId): boolean;
  /** Whether those who read the answer may know of the message. */
  mayHandOut(id: ChannelId, messageId: MessageId): boolean;
  /** Whether a message may be replied to where it stands, which shows it to everybody there. */
  mayQuote(id: ChannelId, messageId: MessageId): boolean;
  /** Whether the audience of a channel may know the text of the request itself. */
  mayKnowRequest(id: ChannelId): boolean;
  /** Throws unless the actor may be shown something based on everything that was read. */
  mustTellActor(): void;
  /** The error for what cannot be found. */
  absent(words: string): EarshotError;
}

interface EffectRecord {
  event(name: string, detail: Readonly<Record<string, unknown>>): void;
}

/** The call that an effect belongs to. */
export interface EffectCall {
  readonly operation: Operation;
  readonly tool: string;
  readonly access: NeededAccess;
  readonly record: EffectRecord;
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
