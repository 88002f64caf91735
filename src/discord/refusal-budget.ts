import { EarshotError } from "../domain/errors.ts";
import type { Clock } from "../ports/clock.ts";

const WINDOW_MS = 600_000;
const SLOT_MS = 10_000;
/**
 * Discord bans an address after 10,000 refused requests in ten minutes, and other programs may share the address. Beyond this, reads are held back; the
 * distance to the limit for all is what may still be on its way then.
 */
const MAX_FOR_OPTIONAL = 800;
/** Beyond this nothing leaves. */
const MAX_FOR_ALL = 1_000;

/** How many refusals there may be before requests are held back. */
export interface RefusalLimits {
  readonly optional: number;
  readonly all: number;
}

/** Counts the requests that Discord refused (401, 403, 429) in the last ten minutes. */
export class RefusalBudget {
  readonly #clock: Clock;
  readonly #limits: RefusalLimits;
  /** Refusals by the 10-second slot in which they came, the oldest first. Not a BoundedMap: what is left of the window is counted. */
  readonly #slots = new Map<number, number>();

  constructor(clock: Clock, limits: RefusalLimits = { optional: MAX_FOR_OPTIONAL, all: MAX_FOR_ALL }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Gives back how many there are now. */
  note(): number {
    const slot = Math.floor(this.#clock.now() / SLOT_MS);
    this.#slots.set(slot, (this.#slots.get(slot) ?? 0) + 1);
    return this.#count();
  }

  /** Reads must not leave. */
  get holdsBackReads(): boolean {
    return this.#count() >= this.#limits.optional;
  }

  /** Throws `unavailable` when the request must not leave. */
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

  /** Until this many have left the window. */
  #secondsUntil(leaving: number): number {
    let left = leaving;
    for (const [slot, refusals] of this.#slots) {
      left -= refusals;
      if (left <= 0) return Math.max(1, Math.ceil(((slot + 1) * SLOT_MS + WINDOW_MS - this.#clock.now()) / 1_000));
    }
    return WINDOW_MS / 1_000;
  }
}
