import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

/** By what slow writes are measured, and to whom they are reported. */
export interface StorageWatch {
  readonly clock: Clock;
  readonly log: Log;
}

/** Commits since the start that took long, and how long the slowest took. */
export interface StorageStats {
  readonly slowWrites: number;
  readonly slowestMs: number;
}

/** A disk in order commits within a few milliseconds. Everything else waits meanwhile. */
const SLOW_MS = 100;
const LOG_EVERY_MS = 10 * 60_000;

/** Measures how long writes take. Without a watch nothing is measured. */
export class SlowWrites {
  readonly #watch: StorageWatch | undefined;
  #loggedAt = Number.NEGATIVE_INFINITY;
  stats: StorageStats = { slowWrites: 0, slowestMs: 0 };

  constructor(watch?: StorageWatch) {
    this.#watch = watch;
  }

  async measure<Result>(write: () => Promise<Result>): Promise<Result> {
    if (!this.#watch) return write();
    const { clock } = this.#watch;
    const from = clock.now();
    try {
      return await write();
    } finally {
      this.#note(clock.now() - from, this.#watch);
    }
  }

  #note(took: number, { clock, log }: StorageWatch): void {
    if (took < SLOW_MS) return;
    const slowWrites = this.stats.slowWrites + 1;
    this.stats = { slowWrites, slowestMs: Math.max(this.stats.slowestMs, took) };
    const now = clock.now();
    if (now - this.#loggedAt < LOG_EVERY_MS) return;
    this.#loggedAt = now;
    log.warn({ took_ms: took, slow_writes: slowWrites }, "the disk is slow: everything waits while it is written to");
  }
}
