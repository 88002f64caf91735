import { EarshotError } from "../domain/errors.ts";
import { idTime, type MessageId } from "../domain/ids.ts";
import type { FollowedAnswers } from "../gate/effects/effect-call.ts";
import type { QuestionLookup } from "../gate/effects/question-lookup.ts";
import { type AnswerStore, isClientQuestion, type PlannedAnswer, type PostedAnswer } from "../ports/answer-store.ts";
import type { Log } from "../ports/log.ts";
import { toRef } from "../ports/stored-source.ts";

export interface ClientAnswersDeps {
  readonly store: AnswerStore;
  /** Has answers follow their sources. */
  readonly sources: {
    note(answer: PostedAnswer): Promise<void>;
    noteEarlier(answer: PostedAnswer): Promise<void>;
  };
  readonly lookup: Pick<QuestionLookup, "ownSince">;
  readonly log: Log;
  /** After this time it is looked for what may stand there although Discord did not say so; two minutes unless given. */
  readonly recoverMs?: number;
}

/** What was planned right before a crash has left within this time, or not at all. */
const MAX_LEAVING_MS = 60_000;
/** Discord's clock may differ from ours by this much. */
const CLOCK_SKEW_MS = 30_000;

/** By then it has left, and the client has not repeated the call. */
const RECOVER_MS = 120_000;

/** Answers that clients gave: they follow their sources as the agent's own do. */
export class ClientAnswers implements FollowedAnswers {
  readonly #deps: ClientAnswersDeps;

  constructor(deps: ClientAnswersDeps) {
    this.#deps = deps;
  }

  async plan(answer: PlannedAnswer): Promise<void> {
    await this.#deps.store.plan(answer);
  }

  async note(
    answer: PlannedAnswer,
    messageIds: readonly MessageId[],
    { isWhole }: { isWhole: boolean },
  ): Promise<void> {
    const { store, sources } = this.#deps;
    // All of them before the plan is forgotten.
    for (const answerId of messageIds) await store.notePosted({ ...answer, answerId }, { isPartial: true });
    if (!isWhole) {
      setTimeout(() => void this.#recover(answer), this.#deps.recoverMs ?? RECOVER_MS).unref();
      return;
    }
    for (const answerId of messageIds) await sources.note({ ...answer, answerId });
    await store.finish(answer.questionId);
  }

  async extend(answer: PostedAnswer): Promise<void> {
    await this.#deps.store.extend(answer);
  }

  async release(messageId: MessageId): Promise<void> {
    await this.#deps.store.removeAnswer(messageId);
  }

  /** What left right before a crash and was not noted is looked for. */
  async recover(): Promise<void> {
    for (const plan of await this.#deps.store.plans()) if (isClientQuestion(plan.questionId)) await this.#recover(plan);
  }

  /** Does nothing where all that stands of it was noted meanwhile. */
  async #recover(plan: PlannedAnswer): Promise<void> {
    const { store, sources, log } = this.#deps;
    try {
      if (!(await store.planFor(plan.questionId))) return;
      for (const answerId of await this.#findLost(plan)) await sources.noteEarlier({ ...plan, answerId });
      await store.finish(plan.questionId);
    } catch (error) {
      // It stays planned, and is looked for after the next start.
      log.warn(
        { code: error instanceof EarshotError ? error.code : "internal" },
        "a client's answer could not be found",
      );
    }
  }

  /** Too many rather than too few: what else the bot said in that minute in reply to the same message goes with it. */
  async #findLost({ channelId, postedAt, sources }: PlannedAnswer): Promise<MessageId[]> {
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
}
