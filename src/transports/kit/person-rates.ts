import { BoundedMap } from "../../domain/bounded-map.ts";
import { type Rate, TokenBucket } from "../../policy/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import { rateLimited } from "./client-rates.ts";

/** More than a person needs who decides for themselves. */
const RATE: Rate = { perSecond: 20 / 60, burst: 20 };
const MAX_BUCKETS = 20_000;

/** How often each person can ask for what concerns themselves. No rule changes it. */
export class PersonRates {
  readonly #clock: Clock;
  readonly #buckets = new BoundedMap<string, TokenBucket>({ maxEntries: MAX_BUCKETS });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws `rate_limited` for a flood. */
  take(key: string): void {
    const bucket = this.#buckets.get(key) ?? new TokenBucket(RATE, this.#clock);
    this.#buckets.set(key, bucket);
    const wait = bucket.take(1);
    if (wait > 0) throw rateLimited("requests", wait);
  }
}
