import { BoundedMap } from "../domain/bounded-map.ts";
import { EarshotError } from "../domain/errors.ts";
import type { UserId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import { TokenBucket } from "./limits.ts";

/** Channel ids of any kind that one person may give. */
const PER_MINUTE = 120;
const WINDOW_SECONDS = 600;
/**
 * Limits lookups of unreadable ids, per person and in total; within ten minutes at most twice as many pass. After 800 refusals by Discord
 * in ten minutes all reads stop, and typed channel ids must not cause that. It counts charges, not requests: otherwise it would distinguish
 * known ids from unknown ones.
 */
const UNREADABLE_BURST = 60;
const GUARD_BURST = 300;
const MAX_BUCKETS = 10_000;
const RETRY_SECONDS = 60;

/**
 * Limits how many channel ids people may give, and how many names clients may have Discord search for. Each lookup costs one: a different
 * price would reveal the meaning of the id.
 */
export class Lookups {
  readonly #clock: Clock;
  /** By actor, or by client. */
  readonly #spent = new BoundedMap<string, Buckets>({ maxEntries: MAX_BUCKETS });
  readonly #guard: TokenBucket;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#guard = toBucket(GUARD_BURST, WINDOW_SECONDS, clock);
  }

  /** Whether an id may be looked up. A channel that the actor can read is charged to the general budget only. */
  charge(actor: UserId, isReadable: boolean): boolean {
    const { all, unreadable } = this.#bucketsOf(actor);
    if (all.take(1) > 0) return false;
    return isReadable || (unreadable.take(1) === 0 && this.#guard.take(1) === 0);
  }

  /** Charges a search by Discord for a name. Throws `rate_limited`. */
  chargeName(client: string): void {
    if (this.#bucketsOf(`client ${client}`).all.take(1) === 0) return;
    const problem = `Too many people were asked for by name; try again in ${RETRY_SECONDS} seconds, or use ids.`;
    throw new EarshotError("rate_limited", problem, { retryAfter: RETRY_SECONDS });
  }

  #bucketsOf(spender: string): Buckets {
    const known = this.#spent.get(spender);
    if (known) return known;
    // A full bucket can be dropped without loss.
    if (this.#spent.size >= MAX_BUCKETS)
      this.#spent.deleteWhere(({ all, unreadable }) => all.isFull && unreadable.isFull);
    const buckets = {
      all: toBucket(PER_MINUTE, 60, this.#clock),
      unreadable: toBucket(UNREADABLE_BURST, WINDOW_SECONDS, this.#clock),
    };
    this.#spent.set(spender, buckets);
    return buckets;
  }
}

interface Buckets {
  readonly all: TokenBucket;
  readonly unreadable: TokenBucket;
}

function toBucket(burst: number, seconds: number, clock: Clock): TokenBucket {
  return new TokenBucket({ perSecond: burst / seconds, burst }, clock);
}

/** The same error for every unreadable id, hidden or absent. */
export function tooManyLookups(): EarshotError {
  const problem = `Too many channels were asked for by id; try again in ${RETRY_SECONDS} seconds, or use names.`;
  return new EarshotError("rate_limited", problem, { retryAfter: RETRY_SECONDS });
}
