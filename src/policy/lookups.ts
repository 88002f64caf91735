import { BoundedMap } from "../domain/bounded-map.ts";
import { EarshotError } from "../domain/errors.ts";
import type { UserId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import { TokenBucket } from "./limits.ts";

/** Ids of channels that one person may give, of whatever kind. */
const PER_MINUTE = 120;
/**
 * Discord bans an address after 10,000 refused requests in ten minutes. The guard closes at half of that, and counts what was charged for ids
 * that could not be read, not what was sent: otherwise it would tell ids that are known from ids that are not.
 */
const GUARD_SECONDS = 600;
const GUARD_BURST = 5_000;
const MAX_BUCKETS = 10_000;
const RETRY_SECONDS = 60;

/** How many ids of channels people may give. Each costs one, whatever it turns out to be: a different price would reveal what the id stands for. */
export class Lookups {
  readonly #clock: Clock;
  readonly #actors = new BoundedMap<UserId, TokenBucket>({ maxEntries: MAX_BUCKETS });
  readonly #guard: TokenBucket;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#guard = new TokenBucket({ perSecond: GUARD_BURST / GUARD_SECONDS, burst: GUARD_BURST }, clock);
  }

  /** Whether an id may be looked up. What the actor can read already needs no looking up: it is charged too, but not refused. */
  charge(actor: UserId, isReadable: boolean): boolean {
    const isWithin = this.#bucketOf(actor).take(1) === 0;
    return isWithin && (isReadable || this.#guard.take(1) === 0);
  }

  #bucketOf(actor: UserId): TokenBucket {
    const known = this.#actors.get(actor);
    if (known) return known;
    // Those that are full again lose nothing by being evicted.
    if (this.#actors.size >= MAX_BUCKETS) this.#actors.deleteWhere(({ isFull }) => isFull);
    const bucket = new TokenBucket({ perSecond: PER_MINUTE / 60, burst: PER_MINUTE }, this.#clock);
    this.#actors.set(actor, bucket);
    return bucket;
  }
}

/** The same for every id that cannot be read, hidden or absent. */
export function tooManyLookups(): EarshotError {
  const problem = `Too many channels were asked for by id; try again in ${RETRY_SECONDS} seconds, or use names.`;
  return new EarshotError("rate_limited", problem, { retryAfter: RETRY_SECONDS });
}
