import type { Message } from "../domain/message.ts";
import { LiveAnswer, type LiveAnswerDeps, type LiveAnswerOptions } from "./live-answer.ts";

/** The answers that are being written, by their questions. */
export class LiveAnswers {
  readonly #live = new Map<string, LiveAnswer>();

  open(question: Message, options: LiveAnswerOptions, deps: LiveAnswerDeps): LiveAnswer {
    const live = new LiveAnswer(question, options, deps);
    this.#live.set(question.message_id, live);
    return live;
  }

  /** Something of it is visible, and more is to come. */
  isGrowing(questionId: string): boolean {
    return this.#live.get(questionId)?.isGrowing ?? false;
  }

  /** @see FollowSourcesDeps */
  stop(questionId: string): Promise<void> | null {
    const live = this.#live.get(questionId);
    return live?.isWriting ? live.stop() : null;
  }

  close(questionId: string, live: LiveAnswer): void {
    live.close();
    if (this.#live.get(questionId) === live) this.#live.delete(questionId);
  }
}
