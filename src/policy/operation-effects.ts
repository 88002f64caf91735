import { EarshotError } from "../domain/errors.ts";
import type { MessageId } from "../domain/ids.ts";

const MAX_EFFECTS = 5;

/** What was done in Discord within one operation. */
export class OperationEffects {
  readonly #answerIds = new Set<MessageId>();
  #others = 0;

  /** As much was done besides the answer as may be. */
  get isUsedUp(): boolean {
    return this.#others >= MAX_EFFECTS;
  }

  noteAnswer(messageId: MessageId): void {
    this.#answerIds.add(messageId);
  }

  /** Whether a message was sent as the answer, or a part of it. */
  isAnswer(messageId: MessageId): boolean {
    return this.#answerIds.has(messageId);
  }

  mustNotBeUsedUp(): void {
    if (!this.isUsedUp) return;
    const problem = `No more than ${MAX_EFFECTS} messages, threads, reactions and changes are made for one request besides its answer; this was not done. Make another request.`;
    throw new EarshotError("rate_limited", problem);
  }

  /** Counts something other than the answer, in the moment in which it leaves. Throws `rate_limited` when there may be no more. */
  take(): void {
    this.mustNotBeUsedUp();
    this.#others += 1;
  }
}
