import type { Clock } from "../../ports/clock.ts";
import type { ActorSession } from "./actor-session.ts";
import type { Admission } from "./admit.ts";
import type { McpLimits } from "./mcp-limits.ts";

export interface ActorSessionsDeps {
  readonly clock: Clock;
  readonly limits: Pick<McpLimits, "sessions" | "idleMs">;
  openActorSession(admission: Admission): ActorSession;
}

/** Of clients whose requests stand alone, by client and actor: whoever comes back within the hour is still session. */
export class ActorSessions {
  readonly #deps: ActorSessionsDeps;
  /** The one that was used last comes last. */
  readonly #actorSessions = new Map<string, ActorSession>();

  constructor(deps: ActorSessionsDeps) {
    this.#deps = deps;
  }

  of(admission: Admission): ActorSession {
    const key = `${admission.client.name} ${admission.actor}`;
    const actorSession = this.#actorSessions.get(key) ?? this.#open(admission);
    this.#actorSessions.delete(key);
    this.#actorSessions.set(key, actorSession);
    actorSession.touch();
    return actorSession;
  }

  /** Forgets those that have been silent for too long. */
  sweep(): void {
    const { clock, limits } = this.#deps;
    for (const [key, { idleSince }] of this.#actorSessions)
      if (idleSince !== null && clock.now() - idleSince > limits.idleMs) this.#actorSessions.delete(key);
  }

  /** A client that acts for very many people loses the one it has not acted for the longest; nobody loses another's. */
  #open(admission: Admission): ActorSession {
    const own = [...this.#actorSessions].filter(([, { client }]) => client.name === admission.client.name);
    const [oldest] = own.filter(([, { idleSince }]) => idleSince !== null);
    if (own.length >= this.#deps.limits.sessions && oldest) this.#actorSessions.delete(oldest[0]);
    return this.#deps.openActorSession(admission);
  }
}
