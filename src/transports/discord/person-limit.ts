import type { UserId } from "../../domain/ids.ts";

/** Limits concurrent work per person. */
export class PersonLimit {
  readonly #max: number;
  readonly #running = new Map<Promise<void>, UserId>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns false without calling `begin` if the maximum is already running for this person. The promise of `begin` must not reject. */
  tryRun(person: UserId, begin: () => Promise<void>): boolean {
    const own = [...this.#running.values()].filter((id) => id === person);
    if (own.length >= this.#max) return false;
    const run = begin();
    this.#running.set(run, person);
    void run.finally(() => this.#running.delete(run));
    return true;
  }

  /** Resolves when all current work has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.keys());
  }
}
