import { EarshotError } from "../../domain/errors.ts";
import { formatSeconds } from "../../domain/text/format-seconds.ts";
import { type Rate, TokenBucket } from "../../policy/limits.ts";
import type { Clock } from "../../ports/clock.ts";

/** The rate limit of each client, shared by all of its connections. There are as many as clients are configured. */
export class ClientRates {
  readonly #rate: Rate;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  of(client: string): TokenBucket {
    const known = this.#buckets.get(client);
    if (known) return known;
    const bucket = new TokenBucket(this.#rate, this.#clock);
    this.#buckets.set(client, bucket);
    return bucket;
  }
}

/** For a client that has to wait this long. */
export function rateLimited(what: "calls" | "requests", seconds: number): EarshotError {
  const retryAfter = Math.ceil(seconds * 1000) / 1000;
  return new EarshotError("rate_limited", `Too many ${what}; try again in ${formatSeconds(retryAfter)}.`, {
    retryAfter,
  });
}
