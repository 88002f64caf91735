import { setTimeout as sleep } from "node:timers/promises";
import type { ApplicationRecord } from "../world/records.ts";
import type { FaultLine } from "./faults.ts";

/** The number of dispatches that can be replayed; a client that missed more must identify again. */
const REPLAY_CAPACITY = 16_384;

/** How long a session without a connection can still be resumed. */
const RESUME_WINDOW_MS = 3 * 60_000;

/** The connection to the client, if any. */
export interface SessionConnection {
  send(frame: string): void;
  terminate(): void;
}

export interface SessionPlan {
  readonly id: string;
  readonly application: ApplicationRecord;
  readonly intents: number;
  readonly shard: readonly [number, number];
  readonly largeThreshold: number;
  readonly faults: FaultLine;
}

/** One logged-in shard of a bot. It is kept for a while without a connection, so that a client can resume and miss nothing. */
export class Session {
  readonly id: string;
  readonly application: ApplicationRecord;
  readonly intents: number;
  readonly shard: readonly [number, number];
  readonly largeThreshold: number;
  /** Guilds sent to this session, each with the channels sent in full. */
  readonly shown = new Map<string, Set<string>>();
  readonly #faults: FaultLine;
  /** By sequence number modulo the capacity. A lost dispatch leaves a hole. */
  readonly #replayable: (string | undefined)[] = [];
  #sequence = 0;
  #connection: SessionConnection | undefined;
  #leftAt = 0;
  #held: string | undefined;
  #delayed = Promise.resolve();
  #delayedCount = 0;

  constructor(plan: SessionPlan) {
    this.id = plan.id;
    this.application = plan.application;
    this.intents = plan.intents;
    this.shard = plan.shard;
    this.largeThreshold = plan.largeThreshold;
    this.#faults = plan.faults;
  }

  get botId(): string {
    return this.application.botId;
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** Whether events of the guild belong to this shard; events without a guild belong to shard 0. */
  covers(guildId: string | null): boolean {
    const [id, count] = this.shard;
    if (count === 1) return true;
    return guildId === null ? id === 0 : Number((BigInt(guildId) >> 22n) % BigInt(count)) === id;
  }

  isExpired(now: number): boolean {
    return this.#connection === undefined && now - this.#leftAt > RESUME_WINDOW_MS;
  }

  /** Closes the previous connection. */
  attach(connection: SessionConnection): void {
    const former = this.#connection;
    this.#connection = connection;
    this.#held = undefined;
    former?.terminate();
  }

  detach(connection: SessionConnection, now: number): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#leftAt = now;
  }

  /** `json` is the serialised data, shared by all sessions that receive the same. */
  dispatch(type: string, json: string): void {
    this.#sequence += 1;
    const frame = `{"t":"${type}","s":${this.#sequence},"op":0,"d":${json}}`;
    const fate = this.#held === undefined ? this.#faults.fateOf(type, json) : "deliver";
    this.#replayable[this.#sequence % REPLAY_CAPACITY] = fate === "lose" ? undefined : frame;
    if (fate === "lose") return;
    if (fate === "hold") {
      this.#held = frame;
      return;
    }
    this.#send(frame);
    if (fate === "duplicate") this.#send(frame);
    if (this.#held !== undefined) {
      this.#send(this.#held);
      this.#held = undefined;
    }
  }

  canReplayFrom(sequence: number): boolean {
    return this.#sequence - sequence < REPLAY_CAPACITY;
  }

  replayFrom(sequence: number): void {
    for (let missed = sequence + 1; missed <= this.#sequence; missed += 1) {
      const frame = this.#replayable[missed % REPLAY_CAPACITY];
      if (frame !== undefined) this.#connection?.send(frame);
    }
  }

  #send(frame: string): void {
    const connection = this.#connection;
    if (!connection) return;
    const delay = this.#faults.delayMs;
    if (delay === 0 && this.#delayedCount === 0) {
      connection.send(frame);
      return;
    }
    this.#delayedCount += 1;
    const pause = sleep(delay);
    this.#delayed = this.#delayed.then(async () => {
      await pause;
      this.#delayedCount -= 1;
      if (this.#connection === connection) connection.send(frame);
    });
  }
}
