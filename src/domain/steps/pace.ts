/** Long work that can be paused: each `yield` ends one step. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Counts work. One unit is what it takes to look at one entry of the search index: about 10 ns on a calm core. */
export interface Pacer {
  /** True when the step's budget is used up: whoever spends must `yield` (or rest) before going on. */
  spend(units: number): boolean;
}

/** A step spends at most this much and what its last piece of work takes. */
export const UNITS_PER_STEP = 300_000;
/** No single piece of work between two calls of `spend` takes more; only a message of 20,000 signs without spaces takes nearly as much. */
export const MAX_UNITS_AT_ONCE = 1_500_000;

/** What other kinds of work cost, in units. */
export const COST = {
  /** Reading one character of a text into words. */
  character: 8,
  /** Reading one message out of the index. */
  message: 1_500,
  /** Comparing a typed word with one of the vocabulary, letter by letter. */
  comparison: 300,
} as const;

export interface PaceDeps {
  /** Resolves when the next step may run. */
  pause(): Promise<void>;
  /** Called after each pause. Throws where going on makes no sense: cancelled, or outdated. */
  check(): void;
  readonly unitsPerStep?: number;
}

/** The steps of one call. All its work spends from the same budget, so that many small pieces pause as often as one large one. */
export class Pace implements Pacer {
  readonly #deps: PaceDeps;
  readonly #unitsPerStep: number;
  #spent = 0;

  constructor(deps: PaceDeps) {
    this.#deps = deps;
    this.#unitsPerStep = deps.unitsPerStep ?? UNITS_PER_STEP;
  }

  spend(units: number): boolean {
    this.#spent += units;
    if (this.#spent < this.#unitsPerStep) return false;
    this.#spent = 0;
    return true;
  }

  /** Ends a step. Throws what `check` throws. */
  async rest(): Promise<void> {
    await this.#deps.pause();
    this.#deps.check();
  }

  /** Runs the steps, with a pause after each. What the work holds is released (`finally`) also when `check` throws. */
  async run<Result>(steps: Steps<Result>): Promise<Result> {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      try {
        await this.rest();
      } catch (error) {
        steps.throw(error);
        throw error;
      }
    }
  }
}

/** Opens the pace of one call. */
export type OpenPace = (check: () => void) => Pace;

/** Runs all steps at once. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** For work that is to be run at once. */
export const UNPACED: Pacer = { spend: () => false };
