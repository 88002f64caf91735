import { CLIENT_EVENTS, type ClientEventName, type ClientEventPayload } from "../domain/rpc/client-events.ts";
import type { RpcGap } from "../domain/rpc/rpc-frames.ts";
import type { ContextWindow } from "./methods.ts";

/** Something happened on Discord, or was missed. */
export type EarshotEvent =
  | {
      [Name in ClientEventName]: {
        readonly name: Name;
        readonly payload: ClientEventPayload<Name>;
        /** Present when the event addresses the agent: call tools within it. */
        readonly operationId: string | null;
        /** The context window of the event, if `context` was requested and available; otherwise null. */
        readonly context: ContextWindow | null;
        readonly cursor: string;
      };
    }[ClientEventName]
  | {
      /** Events were left out here. */
      readonly name: "gap";
      readonly payload: Omit<RpcGap, "reason"> & { readonly reason: RpcGap["reason"] | "unreadable" };
      readonly operationId: null;
      readonly context: null;
      readonly cursor: string;
    };

/** Null for an event of a kind that this version does not know. */
export function toEvent(
  name: string,
  payload: unknown,
  rest: { operationId: string | null; context: ContextWindow | null; cursor: string },
): EarshotEvent | null {
  if (!isEventName(name)) return null;
  const read = CLIENT_EVENTS[name].safeParse(payload);
  if (read.success) return { name, payload: read.data, ...rest } as EarshotEvent;
  return toGap({ from_cursor: rest.cursor, to_cursor: rest.cursor, reason: "unreadable" });
}

export function toGap(payload: Extract<EarshotEvent, { name: "gap" }>["payload"]): EarshotEvent {
  return { name: "gap", payload, operationId: null, context: null, cursor: payload.to_cursor };
}

/** A buffer of unread events. When it is full, newer events are replaced by one gap. */
export class EventBuffer {
  readonly #most: number;
  readonly #waiting: EarshotEvent[] = [];
  #left: { from: string; to: string } | null = null;
  #takers: ((event: EarshotEvent | null) => void)[] = [];
  #isClosed = false;

  constructor(most: number) {
    this.#most = most;
  }

  push(event: EarshotEvent): void {
    const taker = this.#takers.shift();
    if (taker) taker(event);
    else if (this.#left) this.#left.to = event.cursor;
    else if (this.#waiting.length < this.#most) this.#waiting.push(event);
    else this.#left = { from: this.#waiting.at(-1)?.cursor ?? event.cursor, to: event.cursor };
  }

  /** Null once it is closed and empty. */
  take(): Promise<EarshotEvent | null> {
    const event = this.#waiting.shift();
    if (event) {
      this.#admitLeft();
      return Promise.resolve(event);
    }
    if (this.#isClosed) return Promise.resolve(null);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  close(): void {
    this.#isClosed = true;
    for (const taker of this.#takers) taker(null);
    this.#takers = [];
  }

  #admitLeft(): void {
    if (!this.#left) return;
    const { from, to } = this.#left;
    this.#left = null;
    this.#waiting.push(toGap({ from_cursor: from, to_cursor: to, reason: "slow_reader" }));
  }
}

function isEventName(name: string): name is ClientEventName {
  return Object.hasOwn(CLIENT_EVENTS, name);
}
