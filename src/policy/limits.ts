import { EarshotError } from "../domain/errors.ts";
import type { GuildId, UserId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { Operation } from "./operation.ts";
import type { Rules } from "./rules.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Who pays for a call: all three at once. */
export interface Payers {
  readonly actor: UserId;
  readonly client: string;
  readonly guild: GuildId | null;
}

export function payersOf({ actor, client, origin }: Operation): Payers {
  return { actor, client: client.name, guild: origin.guildId };
}

const KINDS = {
  calls: { setting: "callsPerMinute", seconds: 60, words: "calls" },
  scans: { setting: "scansPerMinute", seconds: 60, words: "messages looked at" },
  summaries: { setting: "summariesPerHour", seconds: 3_600, words: "summaries" },
} as const;

export type Kind = keyof typeof KINDS;

/** So many buckets are kept; those that are full again are forgotten first. */
const MOST_BUCKETS = 20_000;

/** Protects everybody from a flood by one person, one client or in one server. */
export class Limits {
  readonly #limits: Rules["limits"];
  readonly #clock: Clock;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(limits: Rules["limits"], clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Throws `rate_limited`, and takes nothing, when one of the payers has no more. A cost of 0 asks whether there are debts. */
  take(kind: Kind, payers: Payers, cost: number): void {
    const buckets = this.#bucketsOf(kind, payers);
    const wait = Math.max(...buckets.map(([, bucket]) => bucket.wait(cost)));
    if (wait > 0) {
      const retryAfter = Math.ceil(wait);
      const problem = `Too many ${KINDS[kind].words}; try again in ${retryAfter} seconds.`;
      throw new EarshotError("rate_limited", problem, { retryAfter });
    }
    for (const [, bucket] of buckets) bucket.spend(cost);
  }

  /** What turned out to have been used. */
  spend(kind: Kind, payers: Payers, cost: number): void {
    for (const [, bucket] of this.#bucketsOf(kind, payers)) bucket.spend(cost);
  }

  #bucketsOf(kind: Kind, payers: Payers): [string, TokenBucket][] {
    return (["actor", "client", "guild"] as const).flatMap((who) => {
      const payer = payers[who];
      return payer === null ? [] : [[who, this.#bucket(kind, who, payer)]];
    });
  }

  #bucket(kind: Kind, who: keyof Payers, payer: string): TokenBucket {
    const key = `${kind} ${who} ${payer}`;
    const known = this.#buckets.get(key);
    if (known) return known;
    if (this.#buckets.size >= MOST_BUCKETS) this.#forget();
    const { setting, seconds } = KINDS[kind];
    const burst = this.#limits[setting][who];
    const bucket = new TokenBucket({ perSecond: burst / seconds, burst }, this.#clock);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** Those that are full lose nothing; if there are none, the oldest goes. */
  #forget(): void {
    for (const [key, bucket] of this.#buckets) if (bucket.isFull) this.#buckets.delete(key);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size >= MOST_BUCKETS && oldest !== undefined) this.#buckets.delete(oldest);
  }
}
