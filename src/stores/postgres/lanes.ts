import { EarshotError } from "../../domain/errors.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** A place for one connection, made when it is needed and again after it was lost. */
export class Lane {
  readonly slot: number;
  readonly #connect: () => Promise<PostgresConnection>;
  #connection: PostgresConnection | null = null;

  constructor(slot: number, connect: () => Promise<PostgresConnection>) {
    this.slot = slot;
    this.#connect = connect;
  }

  async connection(): Promise<PostgresConnection> {
    if (!this.#connection?.isOpen) this.#connection = await this.#connect();
    return this.#connection;
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }
}

interface Waiting {
  readonly isUrgent: boolean;
  take(lane: Lane): void;
}

const MAX_WAIT_MS = 10_000;

/** A few connections, one of which is kept for what is urgent. Served in the order of requests. */
export class Lanes {
  readonly #free: Lane[];
  readonly #all: readonly Lane[];
  #waiting: Waiting[] = [];
  #isClosed = false;

  constructor(count: number, connect: () => Promise<PostgresConnection>) {
    this.#all = Array.from({ length: count }, (_, slot) => new Lane(slot, connect));
    this.#free = [...this.#all];
  }

  async use<Result>(isUrgent: boolean, work: (lane: Lane) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new EarshotError("unavailable", "The database is closed.");
    const lane = await this.#take(isUrgent);
    try {
      return await work(lane);
    } finally {
      this.#free.push(lane);
      this.#serve();
    }
  }

  /** Once everything under way is done. Safe to repeat. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const lanes = this.#all.map(() => this.#take(true));
    await Promise.all(lanes.map(async (lane) => (await lane).close()));
    this.#free.push(...this.#all);
  }

  #take(isUrgent: boolean): Promise<Lane> {
    const { promise, resolve, reject } = Promise.withResolvers<Lane>();
    const timer = setTimeout(() => {
      this.#waiting = this.#waiting.filter((each) => each !== waiting);
      reject(new EarshotError("unavailable", "The database is busy: all connections are in use. Try again later."));
    }, MAX_WAIT_MS);
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
      const next = this.#waiting.find(({ isUrgent }) => this.#free.length > (isUrgent ? 0 : 1));
      const lane = next && this.#free.pop();
      if (!lane) return;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      next.take(lane);
    }
  }
}
