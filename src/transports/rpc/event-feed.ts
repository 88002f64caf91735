import type { RpcGap } from "../../domain/rpc/rpc-frames.ts";
import type { Hearing } from "../../policy/hearing.ts";
import type { Client } from "../../policy/operation.ts";
import type { DiscordEvent } from "../../ports/discord.ts";
import type { Log } from "../../ports/log.ts";
import type { EventLog } from "./event-log.ts";
import type { Outbox } from "./outbox.ts";

export interface FeedDeps {
  readonly hearing: Pick<Hearing, "toClientEvent" | "mayStillTell">;
  readonly events: EventLog;
  readonly log: Log;
  readonly counters: { events: number; gaps: number };
  /** Payloads already written out: one event often goes to many clients. */
  readonly written: WeakMap<object, string>;
}

export interface Listener {
  readonly client: Client;
  readonly outbox: Outbox;
  /** What is going on where the operation began; null where the client does not want to be told with the event. */
  readonly windowOf: ((operationId: string) => Promise<unknown>) | null;
}

const MOST_IN_ONE_GO = 200;
/** An event does not wait longer for what comes with it. */
const WINDOW_MS = 5_000;

/**
 * One client's place in the event log. It goes on while the client reads, and waits while it does not; where the log has moved on without
 * it, the client is told of one gap. Each event is judged when it is sent, not when it happened.
 */
export class EventFeed {
  readonly #listener: Listener;
  readonly #deps: FeedDeps;
  #position: number;
  #cursor: string;
  #continuing: NodeJS.Immediate | null = null;
  /** An event waits for its window, and all others behind it. */
  #isHeld = false;
  #isClosed = false;

  /** Goes on after the cursor, or from now. */
  constructor(listener: Listener, cursor: string | null, deps: FeedDeps) {
    this.#listener = listener;
    this.#deps = deps;
    const { sequence, cursor: start } = (cursor === null ? null : deps.events.find(cursor)) ?? deps.events.head;
    this.#position = sequence;
    this.#cursor = start;
  }

  /** Everything up to here has been sent. */
  get cursor(): string {
    return this.#cursor;
  }

  get isCurrent(): boolean {
    return !this.#isHeld && this.#position === this.#deps.events.head.sequence;
  }

  /** Sends what there is, as far as there is room. Safe to call at any time. */
  advance(): void {
    const { events } = this.#deps;
    if (this.#continuing || this.#isClosed) return;
    for (let examined = 0; !this.#isHeld && !this.isCurrent && this.#listener.outbox.hasRoom(); examined += 1) {
      if (examined === MOST_IN_ONE_GO) {
        this.#continueLater();
        return;
      }
      if (this.#position + 1 < events.first) this.#skipTo(events.first - 1);
      const { sequence, cursor, event } = events.at(this.#position + 1);
      this.#position = sequence;
      this.#cursor = cursor;
      if (event) this.#tell(event, sequence);
    }
  }

  /** Tells that what followed a cursor is not known any more. */
  tellGap(from: string, reason: RpcGap["reason"]): void {
    const gap: RpcGap = { from_cursor: from, to_cursor: this.#cursor, reason };
    this.#deps.counters.gaps += 1;
    this.#listener.outbox.send(
      `"op":"event/gap","cursor":${JSON.stringify(this.#cursor)},"payload":${JSON.stringify(gap)}}`,
    );
  }

  /** Tells of the times that were missed on Discord's side, as far as they are held: a client from before a restart does not know of them. */
  tellMissedTimes(): void {
    const { events } = this.#deps;
    for (let sequence = events.first; sequence <= events.head.sequence; sequence += 1) {
      const { event } = events.at(sequence);
      if (event?.type === "gap") this.#tell(event, sequence);
    }
  }

  close(): void {
    this.#isClosed = true;
    if (this.#continuing) clearImmediate(this.#continuing);
  }

  #continueLater(): void {
    this.#continuing = setImmediate(() => {
      this.#continuing = null;
      this.advance();
    });
  }

  #skipTo(sequence: number): void {
    const from = this.#cursor;
    this.#position = sequence;
    this.#cursor = this.#deps.events.cursorBefore;
    this.tellGap(from, "slow_reader");
  }

  #tell(event: DiscordEvent, sequence: number): void {
    const { client, outbox } = this.#listener;
    const told = this.#hear(event, client);
    if (!told) return;
    const operation = told.operation_id === undefined ? "" : `"operation_id":${JSON.stringify(told.operation_id)},`;
    const cursor = this.#cursor;
    const send = (payload: unknown, more = "") => {
      this.#deps.counters.events += 1;
      const rest = `"cursor":${JSON.stringify(cursor)},${more}"payload":${this.#write(payload)}}`;
      outbox.send(`"op":"event/${told.name}",${operation}${rest}`);
    };
    const { windowOf } = this.#listener;
    if (!windowOf || told.operation_id === undefined) {
      send(told.payload);
      return;
    }
    void this.#hold(windowOf(told.operation_id), (more) => {
      const payload = this.#standing(sequence, client);
      if (payload !== null) send(payload, more);
    });
  }

  /** The message as it stands after a wait; null when it may not be told any more. */
  #standing(sequence: number, client: Client): unknown {
    const { events, hearing } = this.#deps;
    const event = sequence >= events.first ? events.at(sequence).event : null;
    return event?.type === "message" && hearing.mayStillTell(event, client) ? event.message : null;
  }

  /** The order of events stays what it was, however long a window takes. One that cannot be had is left out: the client may ask for it. */
  async #hold(window: Promise<unknown>, send: (more: string) => void): Promise<void> {
    this.#isHeld = true;
    const patience = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => patience.resolve(undefined), WINDOW_MS);
    const value = await Promise.race([window.catch(() => undefined), patience.promise]);
    clearTimeout(timer);
    this.#isHeld = false;
    if (this.#isClosed) return;
    send(value === undefined ? "" : `"context":${JSON.stringify(value)},`);
    this.advance();
  }

  /** A fault in judging an event tells nobody of it, and takes nobody else down. */
  #hear(event: DiscordEvent, client: Client) {
    try {
      return this.#deps.hearing.toClientEvent(event, client);
    } catch (error) {
      this.#deps.log.error({ client: client.name, type: event.type, error: errorName(error) }, "an event was not told");
      return null;
    }
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

function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
