import { setImmediate as turn } from "node:timers/promises";

const TURNS = 3;

/** Chooses what goes on next among the steps that wait, by its place in the list. */
export type Choose = (steps: readonly string[]) => number;

/** Everything that waits, waits here; whoever chooses says who goes on. */
export class Turns {
  readonly #waiting: { readonly name: string; go(): void }[] = [];
  readonly #choose: Choose;
  /** How often a step of a name has waited. */
  readonly #counts = new Map<string, number>();
  /** What went on, in this order. */
  readonly log: string[] = [];

  constructor(choose: Choose) {
    this.#choose = choose;
  }

  pause(name: string): Promise<void> {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    const own = count === 1 ? name : `${name} ${count}`;
    return new Promise((resolve) => this.#waiting.push({ name: own, go: resolve }));
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
    const [next] = this.#waiting.splice(this.#choose(this.#waiting.map(({ name }) => name)), 1);
    if (next) this.log.push(next.name);
    next?.go();
  }
}

/** Runs once for every sequence of choices there is. Gives back how many there were. */
export async function forEachOrder(run: (choose: Choose) => Promise<void>): Promise<number> {
  let choices: number[] = [];
  for (let orders = 1; ; orders += 1) {
    const counts: number[] = [];
    await run(({ length }) => {
      const choice = choices[counts.length] ?? 0;
      counts.push(length);
      return choice;
    });
    const taken = counts.map((_, index) => choices[index] ?? 0);
    const last = taken.findLastIndex((choice, index) => choice + 1 < (counts[index] ?? 0));
    if (last < 0) return orders;
    choices = [...taken.slice(0, last), (taken[last] ?? 0) + 1];
  }
}

/** Runs once for every set of steps that can come before a step; the order within the set, and after that step, is left as it comes. Gives back how many runs there were. */
export async function forEachMoment(step: string, run: (choose: Choose) => Promise<void>): Promise<number> {
  const seen = new Set<string>();
  const open: (readonly number[])[] = [[]];
  let runs = 0;
  for (let planned = open.pop(); planned; planned = open.pop(), runs += 1) {
    const choices: number[] = [];
    const taken: string[] = [];
    const plan = planned;
    await run((steps) => {
      const choice = plan[choices.length] ?? 0;
      if (choices.length >= plan.length && !taken.includes(step))
        for (const [index, name] of steps.entries()) {
          const key = [...taken, name].sort().join();
          if (!seen.has(key) && index !== choice) open.push([...choices, index]);
          seen.add(key);
        }
      choices.push(choice);
      taken.push(steps[choice] ?? "");
      return choice;
    });
  }
  return runs;
}
