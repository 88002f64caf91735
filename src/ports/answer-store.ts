import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { CitedBy, StoredSource } from "./stored-source.ts";

/** What an answer rests on, and within which operation it is given. */
export interface PlannedAnswer {
  /** A message's id, a command's (`toCommandQuestion`), or that of a client's send (`toClientQuestion`). */
  readonly questionId: string;
  readonly channelId: ChannelId;
  readonly actorId: UserId;
  readonly operationId: string;
  readonly postedAt: number;
  /** What it follows. */
  readonly sources: readonly StoredSource[];
}

/** An answer that stands in Discord. No words of it are kept. */
export interface PostedAnswer extends PlannedAnswer {
  /** The messages in which it stands. */
  readonly answerIds: readonly MessageId[];
}

/**
 * `claimed`: nothing was said yet. `visible`: a part of it stands there or is about to, and more is to come. `leaving`: all of it is on its way; only Discord
 * knows whether it arrived. `done`: nothing more is to come, and what stands there follows its sources. `withdrawn`: what stood there is gone.
 */
export type AnswerState = "claimed" | "visible" | "leaving" | "done" | "withdrawn";

/** One question and its answer, from the moment that its answerer begins, so that no other one answers it too, until nothing of it stands any more. */
export interface AnswerJob extends PostedAnswer {
  readonly state: AnswerState;
  /** How often it was begun, without attempts that a clean stop called off. */
  readonly attempts: number;
  readonly claimedAt: number;
  /** When it was last begun. */
  readonly attemptedAt: number;
}

type Claim = Pick<AnswerJob, "questionId" | "channelId" | "actorId" | "operationId" | "claimedAt">;

/** A place in the order of answers. */
export type AnswerPosition = Pick<AnswerJob, "postedAt" | "questionId">;

/** Before all of them. */
export const NEWEST: AnswerPosition = { postedAt: Number.MAX_SAFE_INTEGER, questionId: "" };

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
  claim(claim: Claim): Promise<boolean>;
  /** Counts another attempt. False if the job is not as it was read: another process has begun it, or it is over. */
  claimAgain(job: Pick<AnswerJob, "questionId" | "state" | "attempts">, attemptedAt: number): Promise<boolean>;
  /** Takes the last attempt off the count: it was called off. */
  discountAttempt(questionId: string): Promise<void>;
  find(questionId: string): Promise<AnswerJob | null>;
  findAnswer(answerId: MessageId): Promise<AnswerJob | null>;
  /** Where people asked questions, the latest first. */
  channelsAskedIn(limit: number): Promise<readonly ChannelId[]>;
  /**
   * Before something leaves: the job is `leaving`, or `visible` if it is partial. After a crash it is known what a message rests on that did leave. In the place of
   * the sources before. `answerIds`: messages in which it will stand, as far as they are known.
   */
  plan(answer: PlannedAnswer & Partial<PostedAnswer>, how?: Completeness): Promise<void>;
  /** These messages stand there now, besides others of the job, and these are its sources. It is `done` unless it is partial, and then `visible` unless it was `done`. */
  notePosted(answer: PostedAnswer, how?: Completeness): Promise<void>;
  /** Adds these sources to those of the answer that stands in this message, which is kept from now on if it was not. */
  extend(answer: PlannedAnswer & { readonly answerId: MessageId }): Promise<void>;
  /** Nothing more is to come. */
  finish(questionId: string): Promise<void>;
  /** Those of which more is to come, the oldest first. */
  unfinished(): Promise<readonly AnswerJob[]>;
  /** To what somebody asked; only those that stand somewhere, like the following ones. */
  answersFor(actorId: UserId): Promise<readonly AnswerJob[]>;
  answersCiting(cited: CitedBy): Promise<readonly AnswerJob[]>;
  /** Everything that cites something, the newest first; from `before` on where that is given, which is not included. */
  citing(limit: number, before?: AnswerPosition): Promise<readonly AnswerJob[]>;
  /** A message has to go and still stands: it is a job of its own from now on, which follows `GONE` and nothing else. */
  markGone(answerId: MessageId): Promise<void>;
  /**
   * The message stands there no longer, or follows nothing any more. A job whose last one it was is `withdrawn`, unless it is
   * `leaving`. Safe to repeat.
   */
  removeAnswer(answerId: MessageId): Promise<void>;
  /** Who asked, and whom answers cite that stand nowhere. Their questions are answered no more. */
  erase(person: UserId): Promise<void>;
  /** Forgets what was last said or begun before that time. */
  forgetBefore(time: number): Promise<void>;
}
