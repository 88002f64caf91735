import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { CitedBy, StoredSource } from "./stored-source.ts";

export interface PlannedAnswer {
  /** The id of a message, of a command (`toCommandQuestion`) or of a client's send (`toClientQuestion`). */
  readonly questionId: string;
  readonly channelId: ChannelId;
  readonly actorId: UserId;
  readonly operationId: string;
  readonly postedAt: number;
  /** The sources that the answer follows. */
  readonly sources: readonly StoredSource[];
}

/** An answer shown in Discord. Its text is not stored. */
export interface PostedAnswer extends PlannedAnswer {
  readonly answerIds: readonly MessageId[];
}

/**
 * `claimed`: nothing was posted yet. `visible`: a part is posted or about to be, and more will follow. `leaving`: all of it was sent; only
 * Discord knows whether it arrived. `done`: complete, and follows its sources. `withdrawn`: its messages are gone.
 */
export type AnswerState = "claimed" | "visible" | "leaving" | "done" | "withdrawn";

/** One question and its answer, from the claim that keeps others from answering it until its last message is gone. */
export interface AnswerJob extends PostedAnswer {
  readonly state: AnswerState;
  /** Attempts so far, without those that a clean stop called off. */
  readonly attempts: number;
  readonly claimedAt: number;
  /** Start of the last attempt. */
  readonly attemptedAt: number;
}

type Claim = Pick<AnswerJob, "questionId" | "channelId" | "actorId" | "operationId" | "claimedAt">;

export type AnswerPosition = Pick<AnswerJob, "postedAt" | "questionId">;

/** Before the newest answer. */
export const NEWEST: AnswerPosition = { postedAt: Number.MAX_SAFE_INTEGER, questionId: "" };

/** `isPartial`: more will follow, so a crash leaves the answer unfinished. */
interface Completeness {
  readonly isPartial?: boolean;
}

const COMMAND = "command:";

/** A question asked by command is not a message: it cannot be looked up or deleted. */
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

/** A client's answer is keyed by the send: its operation may have no message, and other answerers may answer the same message. */
export function toClientQuestion(sendId: string): string {
  return `${CLIENT}${sendId}`;
}

export function isClientQuestion(questionId: string): boolean {
  return questionId.startsWith(CLIENT);
}

/** Keeps which questions were answered where, by ids alone. Failures are `unavailable`. */
export interface AnswerStore {
  /** False, with nothing changed, if the question is claimed already. */
  claim(claim: Claim): Promise<boolean>;
  /** Counts another attempt. False if the job changed since it was read: another process started it, or it ended. */
  claimAgain(job: Pick<AnswerJob, "questionId" | "state" | "attempts">, attemptedAt: number): Promise<boolean>;
  /** Takes a called-off attempt off the count. */
  discountAttempt(questionId: string): Promise<void>;
  find(questionId: string): Promise<AnswerJob | null>;
  findAnswer(answerId: MessageId): Promise<AnswerJob | null>;
  /** Channels in which people asked questions, the latest first. */
  channelsAskedIn(limit: number): Promise<readonly ChannelId[]>;
  /**
   * Called before a send, so that the sources of a message that left are known even after a crash: the job becomes `leaving`, or `visible`
   * if the answer is partial. Replaces the job's sources. `answerIds`: messages of the answer that are known already.
   */
  plan(answer: PlannedAnswer & Partial<PostedAnswer>, how?: Completeness): Promise<void>;
  /** Adds these messages to the job and replaces its sources. The job becomes `done`; a partial answer becomes `visible` unless it was
   * `done`. */
  notePosted(answer: PostedAnswer, how?: Completeness): Promise<void>;
  /** Adds these sources to the answer in this message. An unknown message becomes a job of its own. */
  extend(answer: PlannedAnswer & { readonly answerId: MessageId }): Promise<void>;
  /** Marks the answer complete. */
  finish(questionId: string): Promise<void>;
  /** Jobs whose answer is incomplete, the oldest first. */
  unfinished(): Promise<readonly AnswerJob[]>;
  /** Answers to this person's questions. Like the following methods, returns only answers that still have a message. */
  answersFor(actorId: UserId): Promise<readonly AnswerJob[]>;
  answersCiting(cited: CitedBy): Promise<readonly AnswerJob[]>;
  /** Answers with sources, the newest first, starting after `before`. */
  citing(limit: number, before?: AnswerPosition): Promise<readonly AnswerJob[]>;
  /** Marks a message that must be deleted but still exists: it becomes a job of its own, whose only source is `GONE`. */
  markGone(answerId: MessageId): Promise<void>;
  /**
   * The message is gone or follows nothing any more. A job without messages becomes `withdrawn`, unless it is `leaving`. Safe to repeat.
   */
  removeAnswer(answerId: MessageId): Promise<void>;
  /** Erases the person as the one who asked, and as the author cited by answers without a message. Their unfinished questions are not answered any more. */
  erase(person: UserId): Promise<void>;
  /** Deletes jobs last posted and attempted before this time. */
  forgetBefore(time: number): Promise<void>;
}
