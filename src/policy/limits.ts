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
 * The budgets of each person. Budgets are not shared: a refusal that depends on other people would reveal their activity, even in channels
 * that are hidden from the person who is refused.
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

  /** Throws `rate_limited`, and takes nothing, if the budget is too small. A cost of 0 checks for debts. */
  take(kind: Kind, actor: UserId, cost: number): void {
    const wait = this.#buckets[kind].of(actor).take(cost);
    if (wait > 0) throw rateLimited(KINDS[kind].words, Math.ceil(wait));
  }

  spend(kind: Kind, actor: UserId, cost: number): void {
    this.#bucket(kind, actor).spend(cost);
  }

  #bucket(kind: Kind, actor: UserId): TokenBucket {
    const { setting, seconds } = KINDS[kind];
    const burst = this.#rules.limits[setting].actor;
    const buckets = this.#buckets[kind];
    const known = buckets.get(actor);
    // After a change of the limit everyone starts with a full bucket.
    if (known?.rate.burst === burst) return known;
    // Evicting a full bucket loses nothing.
    if (buckets.size >= MAX_BUCKETS) buckets.deleteWhere(({ isFull }) => isFull);
    const bucket = new TokenBucket({ perSecond: burst / seconds, burst }, this.#clock);
    buckets.set(actor, bucket);
    return bucket;
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

/** Maximum disclosures by one person per hour. */
export const MAX_DISCLOSURES = 3;
const AN_HOUR_MS = 60 * 60_000;
const MAX_KEYS = 10_000;

/** A maximum per hour for each key. */
export class HourlyLimit {
  readonly #max: number;
  readonly #clock: Clock;
  readonly #times = new BoundedMap<string, readonly number[]>({ maxEntries: MAX_KEYS });

  constructor(max: number, clock: Clock) {
    this.#max = max;
    this.#clock = clock;
  }

  /** Seconds until the next use; 0 if one is available. */
  waitFor(key: string): number {
    const recent = this.#recent(key);
    const [oldest = 0] = recent;
    return recent.length < this.#max ? 0 : Math.ceil((oldest + AN_HOUR_MS - this.#clock.now()) / 1_000);
  }

  /** Throws `rate_limited` if none is available. */
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
   * Takes the cost and returns 0, or returns the seconds until it could be taken. A cost above the burst passes if the bucket is full; a
   * cost of zero passes without debts.
   */
  take(cost: number): number {
    const { perSecond, burst } = this.rate;
    this.#fill();
    const wait = Math.max(0, (Math.min(cost, burst) - this.#tokens) / perSecond);
    if (wait === 0) this.#tokens -= cost;
    return wait;
  }

  /** Takes the cost of past use, even into debt. */
  spend(cost: number): void {
    this.#fill();
    this.#tokens -= cost;
  }

  /** A full bucket can be dropped without loss. */
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
