import type { ClientEvents, EventDecisions } from "../../policy/client-events.ts";
import type { ClientEvent } from "../../policy/describe-event.ts";
import type { Grant } from "../../policy/grant.ts";
import type { Client } from "../../policy/operation.ts";
import type { DiscordEvent } from "../../ports/discord.ts";
import type { Log } from "../../ports/log.ts";

export interface DeliveryDeps {
  readonly clientEvents: Pick<ClientEvents, "decide">;
  readonly log: Log;
}

/** What passing over an event costs, and what deciding about and sending one costs, in the same unit. */
export const SKIP_COST = 1;
export const DELIVERY_COST = 16;

/** Something that brings clients up to date, a bounded number of steps at a time. */
export interface DeliveryJob {
  /** Returns what it spent; as much as it was allowed to when there is more to do. */
  advance(run: DeliveryRun, allowance: number): number;
}

/**
 * The decisions of one uninterrupted run over the clients. Nothing can change during it, so clients with equal grants share a decision; the
 * next run decides again, because rights may have changed.
 */
export class DeliveryRun {
  readonly #deps: DeliveryDeps;
  readonly #decisions = new Map<DiscordEvent, EventDecisions>();

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  /** False when the event is pushed to no client with this grant. */
  mayConcern(event: DiscordEvent, grant: Grant): boolean {
    return this.#guard(event, null, () => this.#decide(event).mayConcern(grant)) ?? false;
  }

  /** Null when the client is told nothing. */
  toClientEvent(event: DiscordEvent, client: Client): ClientEvent | null {
    return this.#guard(event, client, () => this.#decide(event).toClientEvent(client));
  }

  #decide(event: DiscordEvent): EventDecisions {
    const known = this.#decisions.get(event);
    if (known) return known;
    const decisions = this.#deps.clientEvents.decide(event);
    this.#decisions.set(event, decisions);
    return decisions;
  }

  /** A fault in deciding about an event tells nobody of it, and takes nobody else down. */
  #guard<Value>(event: DiscordEvent, client: Client | null, decide: () => Value): Value | null {
    try {
      return decide();
    } catch (error) {
      const name = error instanceof Error ? error.name : typeof error;
      const fields = { ...(client && { client: client.name }), type: event.type, error: name };
      this.#deps.log.error(fields, "an event was not told");
      return null;
    }
  }
}
