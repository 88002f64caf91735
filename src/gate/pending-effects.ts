import { EarshotError } from "../domain/errors.ts";

/** How an effect ended whose answer nobody waited for: it never left, or it left and Discord has not answered. */
export type Unfinished = "failed" | "outcome_unknown";

/** An effect that was begun and whose outcome is not in the audit yet. */
export interface PendingEffect {
  /** Called right before the request goes to Discord. Throws `unavailable` when Earshot is shutting down. */
  leave(): void;
  /** Once it has left, an error without an answer from Discord does not say whether it was done. */
  readonly hasLeft: boolean;
  /** Notes the outcome, unless shutting down has noted one already. */
  end(note: () => void): void;
}

/**
 * Effects under way, so that a shutdown can wait for their outcome and note one for each: `_done`, `_failed` (not done) or `_outcome_unknown`.
 */
export class PendingEffects {
  readonly #pending = new Set<Pending>();
  #isClosing = false;

  /** `note` is told the outcome when a shutdown does not wait any longer. Throws `unavailable` when Earshot is shutting down. */
  begin(note: (outcome: Unfinished) => void): PendingEffect {
    this.#throwIfClosing();
    const effect = new Pending(note, {
      mayLeave: () => this.#throwIfClosing(),
      onEnd: () => this.#pending.delete(effect),
    });
    this.#pending.add(effect);
    return effect;
  }

  /** From now on nothing begins or leaves. Waits for what has left, at most this long, and notes how the rest ended. Safe to repeat. */
  async close(maxWaitMs: number): Promise<void> {
    this.#isClosing = true;
    const { promise: waited, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, maxWaitMs);
    await Promise.race([Promise.all([...this.#pending].map(({ ended }) => ended)), waited]);
    clearTimeout(timer);
    for (const effect of this.#pending) effect.giveUp();
  }

  #throwIfClosing(): void {
    if (this.#isClosing) throw new EarshotError("unavailable", "Earshot is shutting down; this was not done.");
  }
}

class Pending implements PendingEffect {
  readonly #note: (outcome: Unfinished) => void;
  readonly #hooks: { mayLeave(): void; onEnd(): void };
  readonly #end = Promise.withResolvers<void>();
  #hasEnded = false;
  hasLeft = false;

  constructor(note: (outcome: Unfinished) => void, hooks: { mayLeave(): void; onEnd(): void }) {
    this.#note = note;
    this.#hooks = hooks;
  }

  get ended(): Promise<void> {
    return this.#end.promise;
  }

  leave(): void {
    this.#hooks.mayLeave();
    this.hasLeft = true;
  }

  end(note: () => void): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#hooks.onEnd();
    try {
      note();
    } finally {
      this.#end.resolve();
    }
  }

  giveUp(): void {
    this.end(() => this.#note(this.hasLeft ? "outcome_unknown" : "failed"));
  }
}
