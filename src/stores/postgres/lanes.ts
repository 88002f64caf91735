import { EarshotError } from "../../domain/errors.ts";
import { isWithinUrgentWork } from "../database.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** A slot for one connection, opened when needed and reopened after a loss. */
export class Lane {
  readonly slot: number;
  readonly #connect: () => Promise<PostgresConnection>;
  #connection: PostgresConnection | null = null;
  #isClosed = false;

  constructor(slot: number, connect: () => Promise<PostgresConnection>) {
    this.slot = slot;
    this.#connect = connect;
  }

  async connection(): Promise<PostgresConnection> {
    if (this.#isClosed) throw closed();
    if (!this.#connection?.isOpen) this.#connection = await this.#connect();
    if (this.#isClosed) this.destroy();
    return this.#connection;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection?.close();
  }

  /** Even while it is in use: the transaction fails, and the server rolls it back. */
  destroy(): void {
    this.#isClosed = true;
    this.#connection?.destroy();
  }
}

interface Waiting {
  readonly isUrgent: boolean;
  take(lane: Lane): void;
}

export function closed(): EarshotError {
  return new EarshotError("unavailable", "The database is closed.");
}

/** A few connections, one of them reserved for urgent transactions and work. Served in the order of requests. */
export class Lanes {
  readonly #free: Lane[];
  readonly #all: readonly Lane[];
  /** Maximum wait for a free one. */
  readonly #waitMs: number;
  #waiting: Waiting[] = [];
  #closing: Promise<void> | null = null;

  constructor(count: number, connect: () => Promise<PostgresConnection>, waitMs: number) {
    this.#waitMs = waitMs;
    this.#all = Array.from({ length: count }, (_, slot) => new Lane(slot, connect));
    this.#free = [...this.#all];
  }

  async use<Result>(isUrgent: boolean, work: (lane: Lane) => Promise<Result>): Promise<Result> {
    if (this.#closing) throw closed();
    const lane = await this.#take(isUrgent || isWithinUrgentWork());
    try {
      return await work(lane);
    } finally {
      this.#free.push(lane);
      this.#serve();
    }
  }

  /** Aborts everything that is not finished in time. Safe to repeat. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    await Promise.allSettled(this.#all.map(async () => (await this.#take(true)).close()));
    for (const lane of this.#all) lane.destroy();
  }

  #take(isUrgent: boolean): Promise<Lane> {
    const { promise, resolve, reject } = Promise.withResolvers<Lane>();
    const timer = setTimeout(() => {
      this.#waiting = this.#waiting.filter((each) => each !== waiting);
      reject(new EarshotError("unavailable", "The database is busy: all connections are in use. Try again later."));
    }, this.#waitMs);
    const waiting: Waiting = {
      isUrgent,
      take(lane) {
        clearTimeout(timer);
        resolve(lane);
      },
    };
    this.#waiting.push(waiting);
    this.#serve();
    return promise;
  }

  #serve(): void {
    for (;;) {
      const next = this.#waiting.find(({ isUrgent }) => this.#free.length > (isUrgent || this.#closing ? 0 : 1));
      const lane = next && this.#free.pop();
      if (!lane) return;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      next.take(lane);
    }
  }
}
