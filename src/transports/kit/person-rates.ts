import { KeyedBuckets, rateLimited } from "../../policy/limits.ts";
import type { Clock } from "../../ports/clock.ts";

/** More than a person needs who decides for themselves. */
const RATE = { perSecond: 20 / 60, burst: 20 };

/** Limits each person's requests about themselves. No rule changes it. */
export class PersonRates {
  readonly #buckets: KeyedBuckets;

  constructor(clock: Clock) {
    this.#buckets = new KeyedBuckets(() => RATE, clock);
  }

  /** Throws `rate_limited` for a flood. */
  take(key: string): void {
    const wait = this.#buckets.of(key).take(1);
    if (wait > 0) throw rateLimited("requests", wait);
  }
}
