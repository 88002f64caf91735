import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { CitedBy, StoredSource } from "./stored-source.ts";

/** That a question is being answered, so that nobody answers it again. */
export interface Claim {
  /** A message's id, or a command's (`toCommandQuestion`). */
  readonly questionId: string;
  readonly channelId: ChannelId;
  readonly actorId: UserId;
  readonly operationId: string;
  /** `claimed`: nothing was said yet. `visible`: something stands there. `done`: nothing more is to come. */
  readonly state: "claimed" | "visible" | "done";
  /** How often it was begun, without attempts that a clean stop called off. */
  readonly attempts: number;
  readonly claimedAt: number;
  /** When it was last begun. */
  readonly attemptedAt: number;
}

/** An answer that stands in Discord. No words of it are kept. */
export interface PostedAnswer {
  readonly answerId: MessageId;
  readonly questionId: string;
  readonly channelId: ChannelId;
  readonly actorId: UserId;
  readonly operationId: string;
  readonly postedAt: number;
  /** What it follows. */
  readonly sources: readonly StoredSource[];
}

/** A place in the order of answers. */
export type AnswerPosition = Pick<PostedAnswer, "postedAt" | "answerId">;

/** Before all of them. */
export const NEWEST: AnswerPosition = { postedAt: Number.MAX_SAFE_INTEGER, answerId: "" as MessageId };

export type PlannedAnswer = Omit<PostedAnswer, "answerId">;

/** `isPartial`: more of it is to come, so that a crash leaves it unfinished. */
interface Completeness {
  readonly isPartial?: boolean;
}

const COMMAND = "command:";

/** A question that was asked by command is no message: it cannot be looked up or deleted. */
export function toCommandQuestion(interactionId: string): string {
  return `${COMMAND}${interactionId}`;
}

export function isCommand(questionId: string): boolean {
  return questionId.startsWith(COMMAND);
}

/** Whether the question is a message, which can be looked up and deleted. */
export function isMessageQuestion(questionId: string): boolean {
  return !isCommand(questionId) && !isClientQuestion(questionId);
}

const CLIENT = "client:";

/** What a client answers is found by the send: its operation may have no message, and another may answer the same one. */
export function toClientQuestion(sendId: string): string {
  return `${CLIENT}${sendId}`;
}

export function isClientQuestion(questionId: string): boolean {
  return questionId.startsWith(CLIENT);
}

/** Keeps which questions were answered where, by ids alone. Failures are `unavailable`. */
export interface AnswerStore {
  /** False if the question was claimed before: then nothing changes. */
  claim(claim: Omit<Claim, "state" | "attempts" | "attemptedAt">): Promise<boolean>;
  /** Counts another attempt to answer what was claimed and never said, or not all of it. */
  claimAgain(questionId: string, attemptedAt: number): Promise<void>;
  /** Takes the last attempt off the count: it was called off. */
  discountAttempt(questionId: string): Promise<void>;
  find(questionId: string): Promise<Claim | null>;
  /** Where questions were asked, the latest first. */
  channelsAskedIn(limit: number): Promise<readonly ChannelId[]>;
  /** What is about to be said: after a crash, it is known what a message rests on that did leave. Replaces an earlier plan. */
  plan(answer: PlannedAnswer, how?: Completeness): Promise<void>;
  planFor(questionId: string): Promise<(PlannedAnswer & Required<Completeness>) | null>;
  /** Everything that is planned. */
  plans(): Promise<readonly PlannedAnswer[]>;
  /** Something stands there now: kept together with the claim's state, in the place of the plan unless it is partial. */
  notePosted(answer: PostedAnswer, how?: Completeness): Promise<void>;
  /** Adds these sources to those of an answer, which is kept from now on if it was not. */
  extend(answer: PostedAnswer): Promise<void>;
  /** Nothing more is to come. */
  finish(questionId: string): Promise<void>;
  /** Those that are not done, the oldest first. */
  unfinished(): Promise<readonly Claim[]>;
  findAnswer(answerId: MessageId): Promise<PostedAnswer | null>;
  answersTo(questionId: string): Promise<readonly PostedAnswer[]>;
  /** To what somebody asked. */
  answersFor(actorId: UserId): Promise<readonly PostedAnswer[]>;
  answersCiting(cited: CitedBy): Promise<readonly PostedAnswer[]>;
  /** Everything that cites something, the newest first; from `before` on where that is given, which is not included. */
  citing(limit: number, before?: AnswerPosition): Promise<readonly PostedAnswer[]>;
  /** A source of the answer is gone and the answer still stands: it follows `GONE` from now on, and nothing else. */
  markGone(answerId: MessageId): Promise<void>;
  /** It stands there no longer. */
  removeAnswer(answerId: MessageId): Promise<void>;
  /** Who asked, and whom answers cite. Answers of which nobody's source is left are forgotten. */
  erase(person: UserId): Promise<void>;
  /** Forgets what was claimed before that time and is done, and answers of before. */
  forgetBefore(time: number): Promise<void>;
}
