import { EarshotError } from "../domain/errors.ts";
import { idTime, type MessageId } from "../domain/ids.ts";
import type { FollowedAnswers } from "../gate/effects/effect-call.ts";
import type { QuestionLookup } from "../gate/effects/question-lookup.ts";
import type { Operation } from "../policy/operation.ts";
import {
  type AnswerJob,
  type AnswerStore,
  isClientQuestion,
  isCommand,
  isMessageQuestion,
  type PlannedAnswer,
  type PostedAnswer,
  toCommandQuestion,
} from "../ports/answer-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { Invocation } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import { toRef } from "../ports/stored-source.ts";
import type { SpokenText } from "./answering.ts";
import { toFollowed } from "./citations.ts";

export interface AnswerJobsDeps {
  readonly store: AnswerStore;
  readonly sources: {
    note(answer: PostedAnswer): Promise<void>;
    noteEarlier(answer: PostedAnswer): Promise<void>;
    noteLeaving(answer: PostedAnswer): Promise<void>;
    withdraw(answer: PostedAnswer, reason: string): Promise<void>;
  };
  readonly lookup: Pick<QuestionLookup, "isUnfilled" | "ownSince">;
  readonly clock: Clock;
  readonly log: Log;
  /** Delay before the lookup of client answers that Discord did not acknowledge; two minutes by default. */
  readonly recoverMs?: number;
}

/** A command with a question. `id`: Discord's id of the interaction. */
export type AskingCommand = Pick<Invocation, "channelId" | "userId"> & { readonly id: string };

/** An answer to a command that others will read. Its message exists already, without text. */
export interface OpenCommandAnswer {
  readonly command: AskingCommand;
  readonly answerId: MessageId;
  readonly operation: Operation;
  readonly spoken: SpokenText;
}

/** A message planned before a crash was sent within this time, or not at all. */
const MAX_LEAVING_MS = 60_000;
/** Maximum difference between Discord's clock and the local one. */
const CLOCK_SKEW_MS = 30_000;
/** By then the message was sent, and the client has not repeated the call. */
const RECOVER_MS = 120_000;

/** Jobs of questions that are not messages: commands, each answered once, and clients' answers. Their answers follow their sources like
 * any other. */
export class AnswerJobs implements FollowedAnswers {
  readonly #deps: AnswerJobsDeps;
  /** Questions begun by this process, until those of an earlier process are recovered. */
  #begun: Set<string> | null = new Set();

  constructor(deps: AnswerJobsDeps) {
    this.#deps = deps;
  }

  /** Runs `work` once per command, because Discord may deliver a command twice. */
  async once({ id, channelId, userId: actorId }: AskingCommand, work: () => Promise<void>): Promise<void> {
    const { store, clock } = this.#deps;
    const questionId = toCommandQuestion(id);
    this.#begun?.add(questionId);
    if (!(await store.claim({ questionId, channelId, actorId, operationId: "", claimedAt: clock.now() }))) return;
    try {
      await work();
    } finally {
      // The answer stays even if that fails: the next start checks it again.
      await this.#attempt(() => store.finish(questionId));
    }
  }

  /** Call before the answer is filled in, so that its sources are known even after a crash. */
  async noteBefore({ command, answerId, operation, spoken }: OpenCommandAnswer): Promise<void> {
    const { actor: actorId, origin, id: operationId } = operation;
    await this.#deps.sources.noteLeaving({
      ...{ questionId: toCommandQuestion(command.id), answerIds: [answerId] },
      ...{ channelId: origin.channelId, actorId, operationId, postedAt: this.#deps.clock.now() },
      sources: spoken.isOwnWords ? [] : toFollowed(operation, spoken),
    });
  }

  async plan(answer: PlannedAnswer): Promise<void> {
    this.#begun?.add(answer.questionId);
    await this.#deps.store.plan(answer);
  }

  async note(answer: PlannedAnswer, answerIds: readonly MessageId[], { isWhole }: { isWhole: boolean }): Promise<void> {
    const { store, sources, recoverMs = RECOVER_MS } = this.#deps;
    if (isWhole) return answerIds.length > 0 ? sources.note({ ...answer, answerIds }) : store.finish(answer.questionId);
    await store.plan({ ...answer, answerIds });
    setTimeout(() => void this.#attempt(() => this.#recoverLater(answer.questionId)), recoverMs).unref();
  }

  async extend(answer: PlannedAnswer & { readonly answerId: MessageId }): Promise<void> {
    await this.#deps.store.extend(answer);
  }

  async release(messageId: MessageId): Promise<void> {
    await this.#deps.store.removeAnswer(messageId);
  }

  /** Ends jobs that a crash interrupted: only the process that received a command can answer it, and messages sent right before the
   * crash are looked up. */
  async recover(): Promise<void> {
    try {
      const jobs = (await this.#deps.store.unfinished()).filter(({ questionId }) => !isMessageQuestion(questionId));
      for (const job of jobs) if (!this.#begun?.has(job.questionId)) await this.#attempt(() => this.#recoverOne(job));
    } finally {
      this.#begun = null;
    }
  }

  /** Does nothing if the answer was acknowledged meanwhile. */
  async #recoverLater(questionId: string): Promise<void> {
    const job = await this.#deps.store.find(questionId);
    if (job?.state === "leaving") await this.#recoverOne(job);
  }

  async #recoverOne(job: AnswerJob): Promise<void> {
    const { store, sources, lookup } = this.#deps;
    const { questionId, channelId } = job;
    const standing: MessageId[] = isClientQuestion(questionId) ? await this.#findLost(job) : [];
    for (const messageId of job.answerIds) {
      const isEmpty = isCommand(questionId) && (await lookup.isUnfilled({ channelId, messageId }));
      if (isEmpty) await sources.withdraw({ ...job, answerIds: [messageId] }, "interrupted");
      else standing.push(messageId);
    }
    if (standing.length > 0) await sources.noteEarlier({ ...job, answerIds: standing });
    else await store.finish(questionId);
  }

  /** Errs on the side of too many: includes the bot's other replies to the same message within that minute. */
  async #findLost({ channelId, postedAt, sources }: AnswerJob): Promise<MessageId[]> {
    const { lookup, store } = this.#deps;
    const own = await lookup.ownSince(channelId, postedAt - CLOCK_SKEW_MS);
    const lost: MessageId[] = [];
    for (const { messageId, replyTo } of own) {
      const isReply = replyTo === null || sources.some(({ ref }) => ref === toRef({ channelId, messageId: replyTo }));
      const isInTime = idTime(messageId) <= postedAt + MAX_LEAVING_MS + CLOCK_SKEW_MS;
      if (isReply && isInTime && !(await store.findAnswer(messageId))) lost.push(messageId);
    }
    return lost;
  }

  /** A failed job stays as it is, for the next start. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const code = error instanceof EarshotError ? error.code : "internal";
      this.#deps.log.warn({ code }, "that something was answered could not be noted or looked at");
    }
  }
}
