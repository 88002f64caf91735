import { EarshotError } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { HourlyLimit } from "../../policy/limits.ts";
import type { Clock } from "../../ports/clock.ts";

const MAX_PER_HOUR = 3;

/** How often people have told something knowingly within the last hour. */
export class DisclosureRate {
  readonly #limit: HourlyLimit;

  constructor(clock: Clock) {
    this.#limit = new HourlyLimit(MAX_PER_HOUR, clock);
  }

  isUsedUp(actor: UserId): boolean {
    return this.#limit.waitFor(actor) > 0;
  }

  /** Throws `rate_limited` when it is used up. */
  take(actor: UserId): void {
    const retryAfter = this.#limit.waitFor(actor);
    if (retryAfter > 0) {
      const problem = `No more than ${MAX_PER_HOUR} times an hour something may be shared that not everyone there can read.`;
      throw new EarshotError("rate_limited", problem, { retryAfter });
    }
    this.#limit.note(actor);
  }
}
