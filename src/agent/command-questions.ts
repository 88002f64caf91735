import { EarshotError } from "../domain/errors.ts";
import type { MessageId } from "../domain/ids.ts";
import type { QuestionLookup } from "../gate/effects/question-lookup.ts";
import type { Operation } from "../policy/operation.ts";
import { type AnswerStore, isCommand, type PostedAnswer, toCommandQuestion } from "../ports/answer-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { Invocation } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import type { SpokenText } from "./answering.ts";
import { toFollowed } from "./citations.ts";

export interface CommandQuestionsDeps {
  readonly store: AnswerStore;
  /** Has answers follow their sources. */
  readonly sources: {
    note(answer: PostedAnswer): Promise<void>;
    noteEarlier(answer: PostedAnswer): Promise<void>;
    withdraw(answer: PostedAnswer, reason: string): Promise<void>;
  };
  readonly lookup: Pick<QuestionLookup, "isUnfilled">;
  readonly clock: Clock;
  readonly log: Log;
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

/** Questions asked by command: each is answered once, and what others read of the answer follows its sources. */
export class CommandQuestions {
  readonly #deps: CommandQuestionsDeps;

  constructor(deps: CommandQuestionsDeps) {
    this.#deps = deps;
  }

  /** Does the work, unless the command was heard before: Discord may deliver it twice. */
  async once({ id, channelId, userId: actorId }: AskingCommand, work: () => Promise<void>): Promise<void> {
    const { store, clock } = this.#deps;
    const questionId = toCommandQuestion(id);
    if (!(await store.claim({ questionId, channelId, actorId, operationId: "", claimedAt: clock.now() }))) return;
    try {
      await work();
    } finally {
      // What was answered stands, also where that cannot be noted: after the next start it is looked at once more.
      await store.finish(questionId).catch((error: unknown) => this.#noteProblem(error));
    }
  }

  /** Must run before the answer is filled in: if the process ends right afterwards, it is still known what the answer rests on. */
  async noteBefore({ command, answerId, operation, spoken }: OpenCommandAnswer): Promise<void> {
    const { actor: actorId, origin, id: operationId } = operation;
    await this.#deps.sources.note({
      ...{ answerId, questionId: toCommandQuestion(command.id), channelId: origin.channelId, actorId, operationId },
      postedAt: this.#deps.clock.now(),
      sources: spoken.isOwnWords ? [] : toFollowed(operation, spoken),
    });
  }

  /** What a crash cut off cannot be answered any more: only the process that heard a command can. */
  async recover(): Promise<void> {
    const { store } = this.#deps;
    for (const { questionId } of await store.unfinished()) {
      if (!isCommand(questionId)) continue;
      try {
        await this.#recoverOne(questionId);
      } catch (error) {
        this.#noteProblem(error);
      }
    }
  }

  async #recoverOne(questionId: string): Promise<void> {
    const { store, sources, lookup } = this.#deps;
    for (const answer of await store.answersTo(questionId)) {
      const { channelId, answerId: messageId } = answer;
      if (await lookup.isUnfilled({ channelId, messageId })) await sources.withdraw(answer, "interrupted");
      else await sources.noteEarlier(answer);
    }
    await store.finish(questionId);
  }

  #noteProblem(error: unknown): void {
    const code = error instanceof EarshotError ? error.code : "internal";
    this.#deps.log.warn({ code }, "that a command was answered could not be noted or looked at");
  }
}
