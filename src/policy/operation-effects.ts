import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, MessageId } from "../domain/ids.ts";
import type { Action } from "./action.ts";

const MAX_EFFECTS = 5;

/** Something that was done. */
export interface DoneAction {
  readonly kind: Action["kind"];
  /** Where; null for what is remembered or forgotten. */
  readonly channelId: ChannelId | null;
  /** The message that was sent, changed, deleted or reacted to; null where there is none. */
  readonly messageId: MessageId | null;
}

/** What was done within one operation. */
export class OperationEffects {
  readonly #answerIds = new Set<MessageId>();
  /** By what and where: a message that is changed again and again is told once. */
  readonly #done = new Map<string, DoneAction>();
  #others = 0;

  /** As much was done besides the answer as may be. */
  get isUsedUp(): boolean {
    return this.#others >= MAX_EFFECTS;
  }

  get done(): readonly DoneAction[] {
    return [...this.#done.values()];
  }

  noteDone(action: DoneAction): void {
    const { kind, channelId, messageId } = action;
    this.#done.set(`${kind} ${channelId} ${messageId}`, { kind, channelId, messageId });
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
