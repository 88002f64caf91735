import type { Clock } from "../../ports/clock.ts";

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Lets so many things through by the second, and a burst of them after a pause. */
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

  /** 0 when it may pass; otherwise the seconds after which it could. What costs more than the burst passes when the bucket is full. */
  take(cost: number): number {
    const { perSecond, burst } = this.#rate;
    const now = this.#clock.now();
    const elapsed = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(burst, this.#tokens + (elapsed / 1000) * perSecond);
    this.#filledAt = now;
    const needed = Math.min(cost, burst);
    if (this.#tokens >= needed) {
      this.#tokens -= cost;
      return 0;
    }
    return (needed - this.#tokens) / perSecond;
  }
}
