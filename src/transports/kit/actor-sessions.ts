import type { UserId } from "../../domain/ids.ts";
import type { Client } from "../../policy/operation.ts";
import type { Clock } from "../../ports/clock.ts";
import type { SessionLabel } from "../../sources/session-label.ts";
import type { ActorSession } from "./actor-session.ts";

export interface ActingClient {
  readonly client: Client;
  readonly actor: UserId;
  /** The channel in which the results will be repeated. */
  readonly for: string | undefined;
}

export interface ActorSessionsDeps {
  readonly clock: Clock;
  /** `sessions`: maximum per client. */
  readonly limits: { readonly sessions: number; readonly idleMs: number };
  /** With a label, earlier reads under it count for this session, too. */
  openActorSession(acting: ActingClient, label?: SessionLabel): ActorSession;
}

/** Sessions of clients with independent requests, by client, actor and repeat channel. A session expires when it has been idle for
 * `idleMs`. */
export class ActorSessions {
  readonly #deps: ActorSessionsDeps;
  /** The most recently used comes last. Not a BoundedMap: busy sessions stay, and each client has its own maximum. */
  readonly #actorSessions = new Map<string, ActorSession>();

  constructor(deps: ActorSessionsDeps) {
    this.#deps = deps;
  }

  of(acting: ActingClient): ActorSession {
    const key = JSON.stringify([acting.client.name, acting.actor, acting.for]);
    const known = this.#actorSessions.get(key);
    // A client with a new token still knows what it has read, so it keeps the label.
    const actorSession = known?.client === acting.client ? known : this.#open(acting, known?.label);
    this.#actorSessions.delete(key);
    this.#actorSessions.set(key, actorSession);
    actorSession.touch();
    return actorSession;
  }

  sweep(): void {
    const { clock, limits } = this.#deps;
    for (const [key, { idleSince }] of this.#actorSessions)
      if (idleSince !== null && clock.now() - idleSince > limits.idleMs) this.#actorSessions.delete(key);
  }

  /** A client with too many sessions loses its own least recently used one, never another client's. */
  #open(acting: ActingClient, label: SessionLabel | undefined): ActorSession {
    const own = [...this.#actorSessions].filter(([, { client }]) => client.name === acting.client.name);
    const [oldest] = own.filter(([, { idleSince }]) => idleSince !== null);
    if (own.length >= this.#deps.limits.sessions && oldest) this.#actorSessions.delete(oldest[0]);
    return this.#deps.openActorSession(acting, label);
  }
}
