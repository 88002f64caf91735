import type { ClientEvent, ClientEvents, EventDecisions } from "../../policy/client-events.ts";
import type { Grant } from "../../policy/grant.ts";
import { toEventGrantKey } from "../../policy/grant-key.ts";
import type { Client } from "../../policy/operation.ts";
import type { DiscordEvent } from "../../ports/discord.ts";
import type { Log } from "../../ports/log.ts";
import type { Entry, EventLog } from "./event-log.ts";

export interface FanOutDeps extends DeliveryDeps {
  readonly events: EventLog;
}

/** The cost of skipping an event, and of deciding and sending one, in the same unit. */
export const SKIP_COST = 1;
export const DELIVERY_COST = 16;
/** About 250 deliveries: then other waiting work is served. */
const MAX_COST_PER_TURN = 250 * DELIVERY_COST;
/** After this many deliveries, a job lets the others run first. */
const MAX_COST_PER_JOB = 50 * DELIVERY_COST;

/**
 * Delivers events to all connections. Clients that are up to date with equal grants share a group, which skips events for none of them in
 * one step; a connection that is behind advances alone. The work per turn of the event loop is limited over all of them.
 */
export class FanOut {
  readonly #deps: FanOutDeps;
  readonly #groups = new Map<string, FeedGroup>();
  /** In the order of service. */
  readonly #queue = new Set<DeliveryJob>();
  #costLeft = MAX_COST_PER_TURN;
  #nextTurn: NodeJS.Immediate | null = null;
  #isRunning = false;

  constructor(deps: FanOutDeps) {
    this.#deps = deps;
  }

  /** Call when an event was added to the log. */
  announce(): void {
    for (const [key, group] of this.#groups) {
      if (group.isEmpty) this.#groups.delete(key);
      else this.#queue.add(group);
    }
    this.#run();
  }

  /** Queues a job, and often runs it at once. Safe to repeat. */
  serve(job: DeliveryJob): void {
    this.#queue.add(job);
    this.#run();
  }

  cancel(job: DeliveryJob): void {
    this.#queue.delete(job);
  }

  /** Adds a member that has received everything up to now. */
  join(member: GroupMember, { grant }: Client): FeedGroup {
    const key = toEventGrantKey(grant);
    let group = this.#groups.get(key);
    if (!group) {
      group = new FeedGroup(grant, this.#deps.events);
      this.#groups.set(key, group);
    }
    group.add(member);
    return group;
  }

  close(): void {
    this.#queue.clear();
    if (this.#nextTurn) clearImmediate(this.#nextTurn);
  }

  /** For deliveries out of turn, without a pause in between. */
  openRun(): DeliveryRun {
    return new DeliveryRun(this.#deps);
  }

  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      this.#serveQueue(this.openRun());
    } finally {
      this.#isRunning = false;
      this.#nextTurn ??= setImmediate(() => this.#continue());
    }
  }

  #serveQueue(run: DeliveryRun): void {
    for (const job of this.#queue) {
      if (this.#costLeft <= 0) break;
      this.#queue.delete(job);
      const allowance = Math.min(MAX_COST_PER_JOB, this.#costLeft);
      const cost = job.advance(run, allowance);
      this.#costLeft -= cost;
      // At the end of the queue, this loop reaches it again.
      if (cost >= allowance) this.#queue.add(job);
    }
  }

  #continue(): void {
    this.#nextTurn = null;
    this.#costLeft = MAX_COST_PER_TURN;
    if (this.#queue.size > 0) this.#run();
  }
}

export interface DeliveryDeps {
  readonly clientEvents: Pick<ClientEvents, "decide">;
  readonly log: Log;
}

/** Updates clients, a bounded number of steps at a time. */
export interface DeliveryJob {
  /** Returns the cost; the full allowance if there is more to do. */
  advance(run: DeliveryRun, allowance: number): number;
}

/**
 * The decisions of one uninterrupted run over the clients. Nothing can change during it, so clients with equal grants share a decision; the
 * next run decides again, because permissions may have changed.
 */
export class DeliveryRun {
  readonly #deps: DeliveryDeps;
  readonly #decisions = new Map<DiscordEvent, EventDecisions>();

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  /** False if the event is pushed to no client with this grant. */
  mayConcern(event: DiscordEvent, grant: Grant): boolean {
    return this.#guard(event, null, () => this.#decide(event).mayConcern(grant)) ?? false;
  }

  /** Null if nothing is pushed to the client. */
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

  /** If deciding about an event throws, no client gets the event, and no other event is affected. */
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

export interface GroupMember {
  /** The sequence of the last event that it took or skipped. */
  readonly position: number;
  /** Sends the event if it is for this client; leaves the group if there is no room. Returns the cost. */
  take(entry: Entry, run: DeliveryRun): number;
  /** Call if the log has moved on without the group: the member advances alone from now on. */
  fallBehind(): void;
}

/** Clients with equal grants that have received all events up to the same one. */
export class FeedGroup implements DeliveryJob {
  readonly #grant: Grant;
  readonly #events: EventLog;
  readonly #members = new Set<GroupMember>();
  /** Members that have yet to get the event after `position`. A set's iterator includes members that join meanwhile. */
  #unserved: Iterator<GroupMember> | null = null;
  #position: number;
  #cursor: string;

  constructor(grant: Grant, events: EventLog) {
    this.#grant = grant;
    this.#events = events;
    this.#position = events.head.sequence;
    this.#cursor = events.head.cursor;
  }

  /** The sequence of the last event that every member took or skipped. */
  get position(): number {
    return this.#position;
  }

  get cursor(): string {
    return this.#cursor;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  add(member: GroupMember): void {
    if (this.isEmpty) this.#moveTo(this.#events.head);
    this.#members.add(member);
  }

  remove(member: GroupMember): void {
    this.#members.delete(member);
  }

  advance(run: DeliveryRun, allowance: number): number {
    let cost = 0;
    while (!this.isEmpty && this.#position < this.#events.head.sequence && cost < allowance) {
      if (this.#position + 1 < this.#events.first) {
        for (const member of this.#members) member.fallBehind();
        return cost;
      }
      const entry = this.#events.at(this.#position + 1);
      // Decided again in each run, because the event may have been removed, or permissions lost.
      const mayConcern = entry.event !== null && run.mayConcern(entry.event, this.#grant);
      cost += SKIP_COST;
      if (mayConcern) cost += this.#serve(entry, run, allowance - cost);
      else this.#moveTo(entry);
    }
    return cost;
  }

  /** Gives the event to members until all have it or the allowance is spent. */
  #serve(entry: Entry, run: DeliveryRun, allowance: number): number {
    this.#unserved ??= this.#members.values();
    let cost = 0;
    while (cost < allowance) {
      const next = this.#unserved.next();
      if (next.done) {
        this.#moveTo(entry);
        break;
      }
      cost += next.value.position < entry.sequence ? next.value.take(entry, run) : SKIP_COST;
    }
    return cost;
  }

  #moveTo({ sequence, cursor }: Entry): void {
    this.#position = sequence;
    this.#cursor = cursor;
    this.#unserved = null;
  }
}
