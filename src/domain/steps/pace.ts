/** Long work that can be paused: each `yield` ends one step. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Counts work. One unit is the cost of reading one entry of the search index: about 10 ns on an idle core. */
export interface Pacer {
  /** True when the budget of the step is used up: the caller must then `yield` (or `await rest()`) before going on. */
  spend(units: number): boolean;
}

/** A step ends with the piece of work that reaches this budget. */
export const UNITS_PER_STEP = 300_000;
/** The maximum between two calls of `spend`; only a message of 20,000 characters without spaces comes close. */
export const MAX_UNITS_AT_ONCE = 1_500_000;

/** The cost of other kinds of work, in units. */
export const COST = {
  /** Splitting a text into words, per character. */
  character: 8,
  /** Reading one message from the index. */
  message: 1_500,
  /** Comparing a typed word with one word of the vocabulary, letter by letter. */
  comparison: 300,
} as const;

export interface PaceDeps {
  /** Resolves when the next step may run. */
  pause(): Promise<void>;
  /** Called after each pause. Throws if the work was cancelled or is outdated. */
  check(): void;
  readonly unitsPerStep?: number;
}

/** The steps of one call. All its work shares one budget, so that many small pieces pause as often as one large one. */
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

  /** Ends a step: pauses, then throws what `check` throws. */
  async rest(): Promise<void> {
    await this.#deps.pause();
    this.#deps.check();
  }

  /** Runs the steps, with a pause after each. When `check` throws, the error is thrown into the generator, so that its `finally` blocks run. */
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

/** Creates the pace of one call. */
export type OpenPace = (check: () => void) => Pace;

/** Runs all steps without pausing. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** For work that must not pause. */
export const UNPACED: Pacer = { spend: () => false };
