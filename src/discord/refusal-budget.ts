import { EarshotError } from "../domain/errors.ts";
import type { Clock } from "../ports/clock.ts";

const WINDOW_MS = 600_000;
const SLOT_MS = 10_000;
/**
 * Discord bans an address after 10,000 refused requests in ten minutes, and other programs may share the address. Beyond this, reads are
 * not sent; the distance to `MAX_FOR_ALL` covers requests in progress.
 */
const MAX_FOR_OPTIONAL = 800;
/** Beyond this, nothing is sent. */
const MAX_FOR_ALL = 1_000;

/** Maximum refusals before requests are no longer sent. */
export interface RefusalLimits {
  readonly optional: number;
  readonly all: number;
}

/** Counts the requests that Discord refused (401, 403, 429) in the last ten minutes. */
export class RefusalBudget {
  readonly #clock: Clock;
  readonly #limits: RefusalLimits;
  /** Refusals by 10-second slot, the oldest first. Not a BoundedMap: the rest of the window is counted. */
  readonly #slots = new Map<number, number>();

  constructor(clock: Clock, limits: RefusalLimits = { optional: MAX_FOR_OPTIONAL, all: MAX_FOR_ALL }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Returns their current number. */
  note(): number {
    const slot = Math.floor(this.#clock.now() / SLOT_MS);
    this.#slots.set(slot, (this.#slots.get(slot) ?? 0) + 1);
    return this.#count();
  }

  /** Reads must not be sent. */
  get holdsBackReads(): boolean {
    return this.#count() >= this.#limits.optional;
  }

  /** Throws `unavailable` if the request must not be sent. */
  mustAllow(isNeeded: boolean): void {
    const max = isNeeded ? this.#limits.all : this.#limits.optional;
    const count = this.#count();
    if (count < max) return;
    const retryAfter = this.#secondsUntil(count - max + 1);
    const problem = `Discord has refused too many requests and bans addresses for that, so this one was not sent; retry in ${retryAfter} s.`;
    throw new EarshotError("unavailable", problem, { retryAfter });
  }

  #count(): number {
    const oldest = Math.floor((this.#clock.now() - WINDOW_MS) / SLOT_MS);
    let count = 0;
    for (const [slot, refusals] of this.#slots) {
      if (slot < oldest) this.#slots.delete(slot);
      else count += refusals;
    }
    return count;
  }

  /** Time until this many have left the window. */
  #secondsUntil(leaving: number): number {
    let left = leaving;
    for (const [slot, refusals] of this.#slots) {
      left -= refusals;
      if (left <= 0) return Math.max(1, Math.ceil(((slot + 1) * SLOT_MS + WINDOW_MS - this.#clock.now()) / 1_000));
    }
    return WINDOW_MS / 1_000;
  }
}
