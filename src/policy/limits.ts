import { BoundedMap } from "../domain/bounded-map.ts";
import { EarshotError } from "../domain/errors.ts";
import type { UserId } from "../domain/ids.ts";
import { formatSeconds } from "../domain/text/format-seconds.ts";
import type { Clock } from "../ports/clock.ts";
import type { Rules } from "./rules.ts";

const KINDS = {
  calls: { setting: "callsPerMinute", seconds: 60, words: "calls" },
  scans: { setting: "scansPerMinute", seconds: 60, words: "messages looked at" },
  summaries: { setting: "summariesPerHour", seconds: 3_600, words: "summaries" },
} as const;

type Kind = keyof typeof KINDS;

/** Per kind. */
const MAX_BUCKETS = 20_000;

/**
 * The budgets of each person. Budgets are not shared: a refusal that depends on other people would reveal their activity, also in channels that are hidden from
 * the person who is refused.
 */
export class Limits {
  readonly #buckets: Readonly<Record<Kind, KeyedBuckets>>;

  constructor(rules: Pick<Rules, "limits">, clock: Clock) {
    const toBuckets = (kind: Kind) => {
      const { setting, seconds } = KINDS[kind];
      const toRate = (burst: number) => ({ perSecond: burst / seconds, burst });
      return new KeyedBuckets(() => toRate(rules.limits[setting].actor), clock);
    };
    this.#buckets = { calls: toBuckets("calls"), scans: toBuckets("scans"), summaries: toBuckets("summaries") };
  }

  /** Throws `rate_limited`, and takes nothing, when the actor has no more. A cost of 0 asks whether there are debts. */
  take(kind: Kind, actor: UserId, cost: number): void {
    const wait = this.#buckets[kind].of(actor).take(cost);
    if (wait > 0) throw rateLimited(KINDS[kind].words, Math.ceil(wait));
  }

  /** Charges the actual use. */
  spend(kind: Kind, actor: UserId, cost: number): void {
    this.#buckets[kind].of(actor).spend(cost);
  }
}

/** For a person or client that has to wait this long. */
export function rateLimited(what: string, seconds: number): EarshotError {
  const retryAfter = Math.ceil(seconds * 1000) / 1000;
  return new EarshotError("rate_limited", `Too many ${what}; try again in ${formatSeconds(retryAfter)}.`, {
    retryAfter,
  });
}

/** A token bucket for each person or client. */
export class KeyedBuckets {
  readonly #toRate: () => Rate;
  readonly #clock: Clock;
  readonly #buckets = new BoundedMap<string, TokenBucket>({ maxEntries: MAX_BUCKETS });

  /** The rate is asked for each time: it may be changed. */
  constructor(toRate: () => Rate, clock: Clock) {
    this.#toRate = toRate;
    this.#clock = clock;
  }

  of(key: string): TokenBucket {
    const rate = this.#toRate();
    const known = this.#buckets.get(key);
    // With another limit everybody begins with a full bucket.
    if (known?.rate.burst === rate.burst) return known;
    // Evicting a full bucket loses nothing.
    if (this.#buckets.size >= MAX_BUCKETS) this.#buckets.deleteWhere(({ isFull }) => isFull);
    const bucket = new TokenBucket(rate, this.#clock);
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

/** How often a person may tell something knowingly within an hour. */
export const MAX_DISCLOSURES = 3;
const AN_HOUR_MS = 60 * 60_000;
const MAX_KEYS = 10_000;

/** A maximum within any hour, for each key. */
export class HourlyLimit {
  readonly #max: number;
  readonly #clock: Clock;
  readonly #times = new BoundedMap<string, readonly number[]>({ maxEntries: MAX_KEYS });

  constructor(max: number, clock: Clock) {
    this.#max = max;
    this.#clock = clock;
  }

  /** The seconds after which there is one more; 0 when there is one now. */
  waitFor(key: string): number {
    const recent = this.#recent(key);
    const [oldest = 0] = recent;
    return recent.length < this.#max ? 0 : Math.ceil((oldest + AN_HOUR_MS - this.#clock.now()) / 1_000);
  }

  /** Throws `rate_limited` when there is none now. */
  take(key: string, rule: string): void {
    const retryAfter = this.waitFor(key);
    const problem = `${rule}; try again in ${formatSeconds(retryAfter)}.`;
    if (retryAfter > 0) throw new EarshotError("rate_limited", problem, { retryAfter });
    this.note(key);
  }

  note(key: string): void {
    this.#times.set(key, [...this.#recent(key), this.#clock.now()]);
  }

  #recent(key: string): readonly number[] {
    const since = this.#clock.now() - AN_HOUR_MS;
    return (this.#times.get(key) ?? []).filter((at) => at > since);
  }
}

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A token bucket: a rate per second, and a burst after a pause. */
export class TokenBucket {
  readonly rate: Rate;
  readonly #clock: Clock;
  #tokens: number;
  #filledAt: number;

  constructor(rate: Rate, clock: Clock) {
    this.rate = rate;
    this.#clock = clock;
    this.#tokens = rate.burst;
    this.#filledAt = clock.now();
  }

  /**
   * 0 if the request passes, and then its cost is taken; otherwise the seconds until it could. A cost above the burst passes when the bucket is full; a cost of
   * zero passes without debts.
   */
  take(cost: number): number {
    const { perSecond, burst } = this.rate;
    this.#fill();
    const wait = Math.max(0, (Math.min(cost, burst) - this.#tokens) / perSecond);
    if (wait === 0) this.#tokens -= cost;
    return wait;
  }

  /** Takes what was used already, into debt if need be. */
  spend(cost: number): void {
    this.#fill();
    this.#tokens -= cost;
  }

  /** Forgetting it would lose nothing. */
  get isFull(): boolean {
    this.#fill();
    return this.#tokens >= this.rate.burst;
  }

  #fill(): void {
    const { perSecond, burst } = this.rate;
    const now = this.#clock.now();
    const elapsed = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(burst, this.#tokens + (elapsed / 1000) * perSecond);
    this.#filledAt = now;
  }
}
