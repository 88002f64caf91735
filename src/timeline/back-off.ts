import type { Clock } from "../ports/clock.ts";

interface BackOffDeps {
  readonly clock: Clock;
  readonly minMs: number;
  readonly maxMs: number;
  onEnd(): void;
}

/** Pauses after failures, doubling until a success. Does not keep the process alive. */
export class BackOff {
  readonly #deps: BackOffDeps;
  #failures = 0;
  #timer: NodeJS.Timeout | null = null;
  #until: number | null = null;

  constructor(deps: BackOffDeps) {
    this.#deps = deps;
  }

  /** The end of the pause (ms since 1970); null without one. */
  get until(): number | null {
    return this.#until;
  }

  /** Lasts at least as long as requested, but never longer than the maximum. */
  pause(askedMs: number): void {
    const { clock, minMs, maxMs, onEnd } = this.#deps;
    const waitMs = Math.min(maxMs, Math.max(minMs * 2 ** this.#failures, askedMs));
    this.#failures += 1;
    this.#end();
    this.#until = clock.now() + waitMs;
    this.#timer = setTimeout(() => {
      this.#end();
      onEnd();
    }, waitMs);
    this.#timer.unref();
  }

  reset(): void {
    this.#failures = 0;
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#until = null;
  }
}
