import type { Status } from "../../domain/status.ts";

export const SAMPLE_INTERVAL_MS = 5_000;
/** The day has coarser steps: every 24th sample, one per two minutes. */
const SAMPLES_PER_DAY_STEP = 24;
/** An hour of samples, and a day of coarser ones. */
const MAX_SAMPLES = 720;

/** Counts at one moment. The growing ones count from the start of the program; their differences are rates. */
export interface LiveSample {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Growing: gateway events, requests to Discord, seconds of rate-limit waits, tool calls, their milliseconds, tokens. */
  readonly events: number;
  readonly requests: number;
  readonly waited: number;
  readonly calls: number;
  readonly callMs: number;
  readonly tokens: number;
  readonly clients: number;
  readonly held: number;
  readonly unread: number;
  readonly memory: number;
}

export interface LiveHistory {
  /** Both oldest first. */
  readonly hour: readonly LiveSample[];
  readonly day: readonly LiveSample[];
}

/** One line of the live stream: first the history, then one sample at a time. Counts only, never message text. */
export type LiveLine =
  | { readonly kind: "history"; readonly history: LiveHistory; readonly status: Status | null }
  | { readonly kind: "sample"; readonly sample: LiveSample; readonly status: Status };

export type LiveListener = (line: LiveLine) => void;

/** The samples of the last hour and day, in memory, for all listeners. */
export class LiveSamples {
  #hour: LiveSample[] = [];
  #day: LiveSample[] = [];
  #taken = 0;
  #status: Status | null = null;
  readonly #listeners = new Set<LiveListener>();

  add(status: Status, at: number): void {
    const sample = toSample(status, at);
    this.#status = status;
    this.#hour = [...this.#hour, sample].slice(-MAX_SAMPLES);
    if (this.#taken % SAMPLES_PER_DAY_STEP === 0) this.#day = [...this.#day, sample].slice(-MAX_SAMPLES);
    this.#taken += 1;
    for (const listener of this.#listeners) listener({ kind: "sample", sample, status });
  }

  /** Sends the history at once. Returns the function that stops it. */
  listen(listener: LiveListener): () => void {
    listener({ kind: "history", history: { hour: this.#hour, day: this.#day }, status: this.#status });
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function toSample({ discord, calls, clients, messages, model, memory }: Status, at: number): LiveSample {
  const spent = model?.since_start;
  return {
    at,
    events: discord.events,
    requests: discord.requests,
    waited: discord.rate_limit_waited_seconds,
    calls: calls.total,
    callMs: calls.milliseconds,
    tokens: spent ? spent.input_tokens + spent.output_tokens : 0,
    clients: clients.rpc + clients.mcp,
    held: messages.held,
    unread: messages.channels_unread,
    memory: memory.resident_bytes,
  };
}
