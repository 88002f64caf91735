import type { Clock } from "../ports/clock.ts";

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A token bucket: a rate per second, and a burst after a pause. */
export class TokenBucket {
  readonly #rate: Rate;
  readonly #clock: Clock;
  #tokens: number;
  #filledAt: number;

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#tokens = rate.burst;
    this.#filledAt = clock.now();
  }

  /** 0 when it may pass, and then it is taken; otherwise the seconds after which it could. */
  take(cost: number): number {
    const wait = this.wait(cost);
    if (wait === 0) this.spend(cost);
    return wait;
  }

  /** Takes nothing. What costs more than the burst passes when the bucket is full; what costs nothing, when there are no debts. */
  wait(cost: number): number {
    const { perSecond, burst } = this.#rate;
    this.#fill();
    return Math.max(0, (Math.min(cost, burst) - this.#tokens) / perSecond);
  }

  /** Takes what was used already, into debt if need be. */
  spend(cost: number): void {
    this.#fill();
    this.#tokens -= cost;
  }

  /** Forgetting it would lose nothing. */
  get isFull(): boolean {
    return this.wait(this.#rate.burst) === 0;
  }

  #fill(): void {
    const { perSecond, burst } = this.#rate;
    const now = this.#clock.now();
    const elapsed = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(burst, this.#tokens + (elapsed / 1000) * perSecond);
    this.#filledAt = now;
  }
}
