import { setImmediate as turn } from "node:timers/promises";

const TURNS = 3;

/** Everything that waits, waits here; whoever chooses says who goes on. */
export class Turns {
  readonly #waiting: { readonly name: string; go(): void }[] = [];
  readonly #choose: (count: number) => number;
  /** What went on, in this order. */
  readonly log: string[] = [];

  /** `choose` is given how many there are to choose from. */
  constructor(choose: (count: number) => number) {
    this.#choose = choose;
  }

  pause(name: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ name, go: resolve }));
  }

  /** Runs the tasks, of which each waits to begin, until all have ended. */
  async run(tasks: Readonly<Record<string, () => Promise<void>>>): Promise<void> {
    const unfinished = new Set(Object.keys(tasks));
    const running = Object.entries(tasks).map(async ([name, task]) => {
      await this.pause(`${name} begins`);
      await task().finally(() => unfinished.delete(name));
    });
    const all = Promise.all(running);
    all.catch(() => {});
    while (unfinished.size > 0) {
      if (this.#waiting.length > 0) this.#next();
      // Who goes on may let others take a turn of the event loop before it waits again.
      for (let count = 0; count < TURNS; count += 1) await turn();
    }
    await all;
  }

  #next(): void {
    const [next] = this.#waiting.splice(this.#choose(this.#waiting.length), 1);
    if (next) this.log.push(next.name);
    next?.go();
  }
}

/** Runs once for every sequence of choices there is. Gives back how many there were. */
export async function forEachOrder(run: (choose: (count: number) => number) => Promise<void>): Promise<number> {
  let choices: number[] = [];
  for (let orders = 1; ; orders += 1) {
    const counts: number[] = [];
    await run((count) => {
      const choice = choices[counts.length] ?? 0;
      counts.push(count);
      return choice;
    });
    const taken = counts.map((_, index) => choices[index] ?? 0);
    const last = taken.findLastIndex((choice, index) => choice + 1 < (counts[index] ?? 0));
    if (last < 0) return orders;
    choices = [...taken.slice(0, last), (taken[last] ?? 0) + 1];
  }
}
