import type { Grant } from "../../policy/grant.ts";
import { type DeliveryJob, type DeliveryRun, SKIP_COST } from "./delivery-run.ts";
import type { Entry, EventLog } from "./event-log.ts";

export interface GroupMember {
  /** The sequence of the last event that it took or that was passed over for it. */
  readonly position: number;
  /** Sends the event if it is for this client; leaves the group where there is no room for it. Returns what that cost. */
  take(entry: Entry, run: DeliveryRun): number;
  /** The log has moved on without the group: from now on the member goes on alone. */
  fallBehind(): void;
}

/** Clients with equal grants that have heard everything up to the same event. */
export class FeedGroup implements DeliveryJob {
  readonly #grant: Grant;
  readonly #events: EventLog;
  readonly #members = new Set<GroupMember>();
  /** Members still to be given the event after `position`. A set's iterator also comes to those that join meanwhile. */
  #unserved: Iterator<GroupMember> | null = null;
  #position: number;
  #cursor: string;

  constructor(grant: Grant, events: EventLog) {
    this.#grant = grant;
    this.#events = events;
    this.#position = events.head.sequence;
    this.#cursor = events.head.cursor;
  }

  /** The sequence of the last event that every member has taken or that was passed over for all. */
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
      // Decided again in each run: in the meantime the event may have been taken back, or rights lost.
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
