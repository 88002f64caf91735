import {
  type FetchingStrategyOptions,
  type IContextFetchingStrategy,
  type SessionInfo,
  SimpleContextFetchingStrategy,
  type WebSocketManager,
} from "@discordjs/ws";
import type { Clock } from "../ports/clock.ts";
import type { Delay } from "./delay.ts";

export interface GatewaySessionDeps {
  readonly clock: Clock;
  readonly delay: Delay;
  /** Called before each attempt to connect except the first; `waitMs` is the back-off before it. `isReached`: Discord answered the last
   * attempt, and refused to resume. */
  onRetry(retry: {
    readonly shard: number;
    readonly attempt: number;
    readonly waitMs: number;
    readonly isReached: boolean;
  }): void;
}

const FIRST_BACK_OFF_MS = 1_000;
const MAX_BACK_OFF_MS = 30_000;
/** After this many failures of the resume address, the main one is tried, because the host of the first may be gone. */
const MAX_RESUME_URL_FAILURES = 3;
/** Discord keeps a session for a few minutes. */
const MAX_SESSION_MS = 300_000;
/** A replaced shard must not connect again, and cannot be told so: it waits for this. */
const NEVER = new Promise<never>(() => {});

/**
 * Keeps the session of one shard until Discord refuses it. The library requests the session before each attempt to connect, where the
 * back-off is applied; it also requests it at each heartbeat and dispatch, where no delay is allowed.
 */
export class GatewaySession implements IContextFetchingStrategy {
  readonly options: FetchingStrategyOptions;
  readonly #inner: SimpleContextFetchingStrategy;
  readonly #id: number;
  readonly #deps: GatewaySessionDeps;
  readonly #retiring = new AbortController();
  #session: SessionInfo | null = null;
  #attempts = 0;
  #lostAt: number | null = null;
  #isConnecting: () => boolean = () => false;
  #wasRefused = false;
  #isReached = false;

  constructor(manager: WebSocketManager, options: FetchingStrategyOptions, id: number, deps: GatewaySessionDeps) {
    this.options = options;
    this.#inner = new SimpleContextFetchingStrategy(manager, options);
    this.#id = id;
    this.#deps = deps;
  }

  /** Whether Discord refused the previous session. Cleared by reading it. */
  takeRefusal(): boolean {
    const wasRefused = this.#wasRefused;
    this.#wasRefused = false;
    return wasRefused;
  }

  /** Sets the function that distinguishes attempts to connect from other requests. */
  watch(isConnecting: () => boolean): void {
    this.#isConnecting = isConnecting;
  }

  /** Call when a session began, or was resumed. */
  noteUp(): void {
    this.#attempts = 0;
    this.#lostAt = null;
  }

  noteLost(): void {
    this.#lostAt ??= this.#deps.clock.now();
  }

  /** A refusal to resume proves that the gateway was reached, so earlier failures no longer count. A refused new session is a failure. */
  refuse(): void {
    this.#isReached = this.#session !== null;
    if (this.#isReached) this.#attempts = 1;
    this.#wasRefused = true;
    this.#session = null;
  }

  /** Prevents further attempts to connect. */
  retire(): void {
    this.#retiring.abort();
  }

  async retrieveSessionInfo(): Promise<SessionInfo | null> {
    if (!this.#isConnecting()) return this.#session;
    await this.#backOff();
    if (this.#retiring.signal.aborted) return NEVER;
    const { clock } = this.#deps;
    if (this.#lostAt !== null && clock.now() - this.#lostAt > MAX_SESSION_MS) this.#session = null;
    const session = this.#session;
    const isMainDue = this.#attempts > MAX_RESUME_URL_FAILURES;
    return session && isMainDue ? { ...session, resumeURL: this.options.gatewayInformation.url } : session;
  }

  updateSessionInfo(_id: number, session: SessionInfo | null): void {
    this.#session = session;
  }

  async waitForIdentify(id: number, signal: AbortSignal): Promise<void> {
    await this.#inner.waitForIdentify(id, signal);
  }

  async #backOff(): Promise<void> {
    this.#attempts += 1;
    if (this.#attempts === 1) return;
    const waitMs = Math.min(FIRST_BACK_OFF_MS * 2 ** (this.#attempts - 2), MAX_BACK_OFF_MS);
    this.#deps.onRetry({ shard: this.#id, attempt: this.#attempts, waitMs, isReached: this.#isReached });
    this.#isReached = false;
    await this.#deps.delay(waitMs, this.#retiring.signal).catch(() => undefined);
  }
}

interface Missing {
  /** The last time at which nothing was missing. */
  readonly since: number;
  readonly noticedAt: number;
}

/** How an event arrives: after all earlier ones, after a later one, or again. */
export type Arrival = "in_order" | "late" | "repeated";

/** Above this number, missing events are not listed individually, because a few prove the loss. */
const MAX_LISTED = 1_000;

/**
 * Watches the sequence numbers of one session. Discord numbers every dispatch, so a number that stays missing is a lost event; a late event
 * still arrives.
 */
export class SequenceWatch {
  #highest = 0;
  readonly #missing = new Map<number, Missing>();

  /** Call for a new session, which has its own numbers. */
  restart(sequence: number): void {
    this.#highest = sequence;
    this.#missing.clear();
  }

  note(sequence: number, { since, now }: { since: number; now: number }): Arrival {
    // The server does not number its events.
    if (!(sequence >= 1)) return "in_order";
    if (sequence <= this.#highest) return this.#missing.delete(sequence) ? "late" : "repeated";
    const first = Math.max(this.#highest + 1, sequence - MAX_LISTED);
    for (let number = first; number < sequence; number += 1) this.#missing.set(number, { since, noticedAt: now });
    this.#highest = sequence;
    return "in_order";
  }

  get isWaiting(): boolean {
    return this.#missing.size > 0;
  }

  /** Time of the oldest missing sequence number noticed by then, or null. Forgets the ones it reports. */
  takeLoss(noticedBy: number): number | null {
    let earliest: number | null = null;
    for (const [number, { since, noticedAt }] of this.#missing) {
      if (noticedAt > noticedBy) continue;
      earliest = Math.min(earliest ?? since, since);
      this.#missing.delete(number);
    }
    return earliest;
  }
}
