import type { UserId } from "../../domain/ids.ts";

/** Lets each person have so many things under way at once. */
export class Turns {
  readonly #most: number;
  readonly #running = new Map<Promise<void>, UserId>();

  constructor(most: number) {
    this.#most = most;
  }

  /** False, and nothing is begun, when the person has enough under way. What is begun must not reject. */
  take(person: UserId, begin: () => Promise<void>): boolean {
    const mine = [...this.#running.values()].filter((id) => id === person);
    if (mine.length >= this.#most) return false;
    const run = begin();
    this.#running.set(run, person);
    void run.finally(() => this.#running.delete(run));
    return true;
  }

  /** Resolves when everything that is under way now has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.keys());
  }
}
