import type { RpcGap } from "../../domain/rpc/rpc-frames.ts";
import type { ClientEvents } from "../../policy/client-events.ts";
import type { Client } from "../../policy/operation.ts";
import type { DiscordEvent } from "../../ports/discord.ts";
import type { Entry, EventLog } from "./event-log.ts";
import type { FanOut, FeedGroup, GroupMember } from "./fan-out.ts";
import { DELIVERY_COST, type DeliveryJob, type DeliveryRun, SKIP_COST } from "./fan-out.ts";
import type { Outbox } from "./frames.ts";

export interface FeedDeps {
  readonly clientEvents: Pick<ClientEvents, "mayStillPush">;
  readonly events: EventLog;
  readonly fanOut: FanOut;
  readonly counters: { events: number; gaps: number };
  /** Serialised payloads, because one event often goes to many clients. */
  readonly written: WeakMap<object, string>;
}

export interface Listener {
  readonly client: Client;
  readonly outbox: Pick<Outbox, "hasRoom" | "send">;
  /** The context window at the start of the operation; null if the client does not want it with the event. */
  readonly windowOf: ((operationId: string) => Promise<unknown>) | null;
}

/** Maximum delay of an event by its context window. */
const WINDOW_MS = 5_000;

/**
 * One client's position in the event log. When up to date, it advances with the group of all clients with an equal grant. When behind, it
 * advances alone while the client reads, and pauses otherwise; if the log no longer has the next event, the client gets one gap. Each event
 * is decided when it is sent, not when it happened.
 */
export class EventFeed implements DeliveryJob, GroupMember {
  readonly #listener: Listener;
  readonly #deps: FeedDeps;
  #position: number;
  #cursor: string;
  /** Null while it advances alone. */
  #group: FeedGroup | null = null;
  /** An event waits for its window, and blocks all later ones. */
  #isHeld = false;
  #isClosed = false;

  /** Continues after the cursor, or from now. */
  constructor(listener: Listener, cursor: string | null, deps: FeedDeps) {
    this.#listener = listener;
    this.#deps = deps;
    const { sequence, cursor: start } = (cursor === null ? null : deps.events.find(cursor)) ?? deps.events.head;
    this.#position = sequence;
    this.#cursor = start;
  }

  /** The cursor of the last event sent. */
  get cursor(): string {
    return this.#group && this.#group.position > this.#position ? this.#group.cursor : this.#cursor;
  }

  get position(): number {
    return this.#group ? Math.max(this.#group.position, this.#position) : this.#position;
  }

  /** Whether this client has received all events. */
  get isCurrent(): boolean {
    return this.#group !== null;
  }

  /** Continues where it stopped, as far as there is room. Safe to call at any time. */
  resume(): void {
    if (!this.#group && !this.#isHeld && !this.#isClosed) this.#deps.fanOut.serve(this);
  }

  /** @see DeliveryJob */
  advance(run: DeliveryRun, allowance: number): number {
    const { events, fanOut } = this.#deps;
    let cost = 0;
    while (cost < allowance && !this.#group && !this.#isHeld && !this.#isClosed) {
      if (this.#position === events.head.sequence) this.#group = fanOut.join(this, this.#listener.client);
      else if (!this.#listener.outbox.hasRoom()) return cost;
      else cost += this.#takeNext(run);
    }
    return cost;
  }

  /** @see GroupMember */
  take(entry: Entry, run: DeliveryRun): number {
    if (!this.#listener.outbox.hasRoom()) {
      this.#leaveGroup();
      return SKIP_COST;
    }
    this.#position = entry.sequence;
    this.#cursor = entry.cursor;
    return entry.event && this.#tell(entry.event, run) ? DELIVERY_COST : SKIP_COST;
  }

  /** @see GroupMember */
  fallBehind(): void {
    this.#leaveGroup();
    this.resume();
  }

  /** Reports that the events after a cursor are lost. */
  tellGap(from: string, reason: RpcGap["reason"]): void {
    const gap: RpcGap = { from_cursor: from, to_cursor: this.#cursor, reason };
    this.#deps.counters.gaps += 1;
    this.#listener.outbox.send(
      `"op":"event/gap","cursor":${JSON.stringify(this.#cursor)},"payload":${JSON.stringify(gap)}}`,
    );
  }

  /** Reports missed times on Discord's side, as far as they are stored: a client from before a restart does not know them. */
  tellMissedTimes(): void {
    const { events, fanOut } = this.#deps;
    const run = fanOut.openRun();
    for (let sequence = events.first; sequence <= events.head.sequence; sequence += 1) {
      const { event } = events.at(sequence);
      if (event?.type === "gap") this.#tell(event, run);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#leaveGroup();
    this.#deps.fanOut.cancel(this);
  }

  #takeNext(run: DeliveryRun): number {
    const { events } = this.#deps;
    if (this.#position + 1 < events.first) this.#skipTo(events.first - 1);
    return this.take(events.at(this.#position + 1), run);
  }

  #leaveGroup(): void {
    const { position, cursor } = this;
    this.#group?.remove(this);
    this.#group = null;
    this.#position = position;
    this.#cursor = cursor;
  }

  #skipTo(sequence: number): void {
    const from = this.#cursor;
    this.#position = sequence;
    this.#cursor = this.#deps.events.cursorBefore;
    this.tellGap(from, "slow_reader");
  }

  /** Returns whether the event is pushed to the client. */
  #tell(event: DiscordEvent, run: DeliveryRun): boolean {
    const { client, outbox } = this.#listener;
    const told = run.toClientEvent(event, client);
    if (!told) return false;
    const operation = told.operation_id === undefined ? "" : `"operation_id":${JSON.stringify(told.operation_id)},`;
    const [sequence, cursor] = [this.#position, this.#cursor];
    const send = (payload: unknown, more = "") => {
      this.#deps.counters.events += 1;
      const rest = `"cursor":${JSON.stringify(cursor)},${more}"payload":${this.#write(payload)}}`;
      outbox.send(`"op":"event/${told.name}",${operation}${rest}`);
    };
    const { windowOf } = this.#listener;
    if (!windowOf || told.operation_id === undefined) {
      send(told.payload);
      return true;
    }
    void this.#hold(windowOf(told.operation_id), (more) => {
      const payload = this.#standing(sequence, client);
      if (payload !== null) send(payload, more);
    });
    return true;
  }

  /** The current message after a wait; null if it may no longer be pushed. */
  #standing(sequence: number, client: Client): unknown {
    const { events, clientEvents } = this.#deps;
    const event = sequence >= events.first ? events.at(sequence).event : null;
    return event?.type === "message" && clientEvents.mayStillPush(event, client) ? event.message : null;
  }

  /** Keeps the order of events, however long a window takes. A window that fails is left out: the client can request it. */
  async #hold(window: Promise<unknown>, send: (more: string) => void): Promise<void> {
    this.#leaveGroup();
    this.#isHeld = true;
    const patience = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => patience.resolve(undefined), WINDOW_MS);
    const value = await Promise.race([window.catch(() => undefined), patience.promise]);
    clearTimeout(timer);
    this.#isHeld = false;
    if (this.#isClosed) return;
    send(value === undefined ? "" : `"context":${JSON.stringify(value)},`);
    this.resume();
  }

  #write(payload: unknown): string {
    if (typeof payload !== "object" || payload === null) return JSON.stringify(payload ?? null);
    const known = this.#deps.written.get(payload);
    if (known !== undefined) return known;
    const text = JSON.stringify(payload);
    this.#deps.written.set(payload, text);
    return text;
  }
}
