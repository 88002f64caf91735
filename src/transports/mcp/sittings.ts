import type { Clock } from "../../ports/clock.ts";
import type { Admission } from "./admit.ts";
import type { McpLimits } from "./limits.ts";
import type { Sitting } from "./sitting.ts";

export interface SittingsDeps {
  readonly clock: Clock;
  readonly limits: Pick<McpLimits, "sessions" | "idleMs">;
  openSitting(admission: Admission): Sitting;
}

/** Of clients whose requests stand alone, by client and actor: whoever comes back within the hour is still sitting. */
export class Sittings {
  readonly #deps: SittingsDeps;
  /** The one that was used last comes last. */
  readonly #sittings = new Map<string, Sitting>();

  constructor(deps: SittingsDeps) {
    this.#deps = deps;
  }

  of(admission: Admission): Sitting {
    const key = `${admission.client.name} ${admission.actor}`;
    const sitting = this.#sittings.get(key) ?? this.#open(admission);
    this.#sittings.delete(key);
    this.#sittings.set(key, sitting);
    sitting.touch();
    return sitting;
  }

  /** Forgets those that have been silent for too long. */
  sweep(): void {
    const { clock, limits } = this.#deps;
    for (const [key, { idleSince }] of this.#sittings)
      if (idleSince !== null && clock.now() - idleSince > limits.idleMs) this.#sittings.delete(key);
  }

  /** A client that acts for very many people loses the one it has not acted for the longest; nobody loses another's. */
  #open(admission: Admission): Sitting {
    const own = [...this.#sittings].filter(([, { client }]) => client.name === admission.client.name);
    const [oldest] = own.filter(([, { idleSince }]) => idleSince !== null);
    if (own.length >= this.#deps.limits.sessions && oldest) this.#sittings.delete(oldest[0]);
    return this.#deps.openSitting(admission);
  }
}
