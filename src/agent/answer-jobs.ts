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
  /** Has answers follow their sources. */
  readonly sources: {
    note(answer: PostedAnswer): Promise<void>;
    noteEarlier(answer: PostedAnswer): Promise<void>;
    noteLeaving(answer: PostedAnswer): Promise<void>;
    withdraw(answer: PostedAnswer, reason: string): Promise<void>;
  };
  readonly lookup: Pick<QuestionLookup, "isUnfilled" | "ownSince">;
  readonly clock: Clock;
  readonly log: Log;
  /** After this time it is looked for what a client may have said although Discord did not say so; two minutes unless given. */
  readonly recoverMs?: number;
}

/** A command by which somebody asked something. `id`: Discord's of the interaction. */
export type AskingCommand = Pick<Invocation, "channelId" | "userId"> & { readonly id: string };

/** An answer to a command that others will read. Its message stands there already, without words. */
export interface OpenCommandAnswer {
  readonly command: AskingCommand;
  readonly answerId: MessageId;
  readonly operation: Operation;
  readonly spoken: SpokenText;
}

/** What was planned right before a crash has left within this time, or not at all. */
const MAX_LEAVING_MS = 60_000;
/** Discord's clock may differ from ours by this much. */
const CLOCK_SKEW_MS = 30_000;
/** By then it has left, and the client has not repeated the call. */
const RECOVER_MS = 120_000;

/** The jobs that begin with no message: commands, each answered once, and what clients say. Their answers follow their sources as others do. */
export class AnswerJobs implements FollowedAnswers {
  readonly #deps: AnswerJobsDeps;
  /** Questions that began in this process, until what others left behind is recovered: these are under way. */
  #begun: Set<string> | null = new Set();

  constructor(deps: AnswerJobsDeps) {
    this.#deps = deps;
  }

  /** Does the work, unless the command was heard before: Discord may deliver it twice. */
  async once({ id, channelId, userId: actorId }: AskingCommand, work: () => Promise<void>): Promise<void> {
    const { store, clock } = this.#deps;
    const questionId = toCommandQuestion(id);
    this.#begun?.add(questionId);
    if (!(await store.claim({ questionId, channelId, actorId, operationId: "", claimedAt: clock.now() }))) return;
    try {
      await work();
    } finally {
      // What was answered stands, also where that cannot be noted: after the next start it is looked at once more.
      await this.#attempt(() => store.finish(questionId));
    }
  }

  /** Must run before the answer is filled in: if the process ends right afterwards, it is still known what the answer rests on. */
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

  /** What a crash cut off: only the process that heard a command can answer it, and what left right before the crash is looked for. */
  async recover(): Promise<void> {
    try {
      const jobs = (await this.#deps.store.unfinished()).filter(({ questionId }) => !isMessageQuestion(questionId));
      for (const job of jobs) if (!this.#begun?.has(job.questionId)) await this.#attempt(() => this.#recoverOne(job));
    } finally {
      this.#begun = null;
    }
  }

  /** Does nothing where all that stands of it was noted meanwhile. */
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

  /** Too many rather than too few: what else the bot said in that minute in reply to the same message goes with it. */
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

  /** What fails stays as it is, and is looked at again after the next start. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const code = error instanceof EarshotError ? error.code : "internal";
      this.#deps.log.warn({ code }, "that something was answered could not be noted or looked at");
    }
  }
}
