import type { UserId } from "../domain/ids.ts";
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

  /** What is being written and cites a person. Resolves when nothing of it is visible any more. */
  async stopCiting(person: UserId): Promise<void> {
    const citing = [...this.#live.values()].filter((live) => live.isWriting && live.cites(person));
    await Promise.all(citing.map((live) => live.stop()));
  }

  close(questionId: string, live: LiveAnswer): void {
    live.close();
    if (this.#live.get(questionId) === live) this.#live.delete(questionId);
  }
}
