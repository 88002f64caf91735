import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Status } from "../../domain/status.ts";
import type { Discord } from "../../ports/discord.ts";
import type { ProfileStats } from "../../ports/profile-source.ts";
import type { Timelines } from "../../ports/timelines.ts";
import { priceTokens, type SpentSource } from "./price-tokens.ts";

export interface Metrics {
  noteCall(call: { tool: string; outcome: string; milliseconds: number }): void;
  /** Since the start. */
  calls(): Status["calls"];
  /** In Prometheus' text format. Labels are names of tools and outcomes, never of people or places. */
  render(): Promise<{ contentType: string; text: string }>;
}

export interface MetricsSources {
  readonly discord: Pick<Discord, "stats" | "state" | "directory">;
  readonly timelines: Pick<Timelines, "stats">;
  /** Null if no model is configured. */
  readonly spent: SpentSource | null;
  /** `stats` is null if no profile service is configured. */
  readonly profiles: { readonly stats: (() => ProfileStats) | null };
  /** Stores that cannot be written. */
  failures(): Promise<readonly unknown[]>;
  rpc(): {
    readonly connections: number;
    readonly running: number;
    readonly queuedFrames: number;
    readonly gaps: number;
  };
}

export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const calls = new Counter({
    name: "earshot_calls_total",
    help: "Tool calls by tool and outcome",
    labelNames: ["tool", "outcome"],
    registers,
  });
  const latency = new Histogram({
    name: "earshot_call_seconds",
    help: "Duration of tool calls",
    labelNames: ["tool"],
    buckets: [0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5, 20, 60],
    registers,
  });
  measure(sources, createMeters(registry));
  const totals = { total: 0, failed: 0, milliseconds: 0 };
  return {
    calls: () => ({ ...totals }),
    noteCall({ tool, outcome, milliseconds }) {
      totals.total += 1;
      if (outcome !== "ok") totals.failed += 1;
      totals.milliseconds += milliseconds;
      calls.inc({ tool, outcome });
      latency.observe({ tool }, milliseconds / 1000);
    },
    async render() {
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

type Meters = ReturnType<typeof createMeters>;

/** Metrics that are read when they are rendered. */
function createMeters(registry: Registry) {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name: `earshot_${name}`,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name: `earshot_${name}_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  return { gauge, counter };
}

function measure(
  { discord, timelines, rpc, failures, profiles: { stats: profiles }, spent }: MetricsSources,
  { gauge, counter }: Meters,
): void {
  gauge("discord_connected", "1 while the gateway connection is up", () => (discord.state === "ready" ? 1 : 0));
  gauge("discord_guilds", "Servers the bot is in", () => discord.directory.guilds().length);
  counter("discord_rest_calls", "Requests to Discord's REST API since the start", () => discord.stats().restCalls);
  counter("discord_rate_limit_waits", "Times Discord asked to wait", () => discord.stats().rateLimitWaits);
  counter(
    "discord_rate_limit_waited_seconds",
    "Time spent waiting for rate limits",
    () => discord.stats().rateLimitWaitedMs / 1000,
  );
  counter("discord_events", "Gateway dispatches since the start", () => discord.stats().events);
  counter("discord_gaps", "Intervals of time in which events may have been missed", () => discord.stats().gaps);
  gauge(
    "storage_failures",
    "Stores that cannot be written, such as on a full disk",
    async () => (await failures()).length,
  );
  gauge("timelines", "Channels and threads of which something is held", () => timelines.stats().timelines);
  gauge("timeline_messages", "Messages held", () => timelines.stats().messages);
  gauge(
    "timeline_unconfirmed_messages",
    "Messages on disk that were not read again since a gap or a restart",
    () => timelines.stats().unconfirmed,
  );
  gauge(
    "timeline_unread_channels",
    "Channels and threads whose history is still being read in the background",
    () => timelines.stats().unread,
  );
  gauge(
    "timeline_unlisted_archives",
    "Channels whose archived threads are still to be listed",
    () => timelines.stats().unlisted,
  );
  gauge(
    "timeline_reading_paused",
    "1 while reading in the background waits because Discord did not answer, or asked to wait",
    () => (timelines.stats().pausedUntil === null ? 0 : 1),
  );
  gauge(
    "timeline_read_guilds",
    "Servers whose history has been read as far as there is room",
    () => timelines.stats().guildsRead,
  );
  gauge("timeline_bytes", "Memory held by messages", () => timelines.stats().bytes);
  counter("timeline_hits", "Reads answered without asking Discord", () => timelines.stats().hits);
  counter("timeline_misses", "Reads for which Discord was asked", () => timelines.stats().misses);
  counter("timeline_pages", "Pages of history fetched", () => timelines.stats().pages);
  gauge("rpc_connections", "Connected clients", () => rpc().connections);
  gauge("rpc_running_calls", "Calls being served", () => rpc().running);
  gauge("rpc_queued_frames", "Frames waiting for slow readers", () => rpc().queuedFrames);
  counter("rpc_gaps", "Times a slow or late reader was told to catch up", () => rpc().gaps);
  if (profiles) {
    counter("profile_requests", "Requests to the profile service since the start", () => profiles().requests);
    counter("profile_failures", "Requests to the profile service that failed", () => profiles().failures);
    gauge("profiles_cached", "People whose profiles are in the cache", () => profiles().cached);
  }
  if (spent) measureModel(spent, { gauge, counter });
}

function measureModel(spent: SpentSource, { gauge, counter }: Meters): void {
  const { prices } = spent;
  const since = "of the model since the start";
  counter("model_input_tokens", `Input tokens ${since}`, () => spent.totals().sinceStart.inputTokens);
  counter("model_output_tokens", `Output tokens ${since}`, () => spent.totals().sinceStart.outputTokens);
  gauge("model_input_tokens_today", "Input tokens of the model today", () => spent.totals().today.inputTokens);
  gauge("model_output_tokens_today", "Output tokens of the model today", () => spent.totals().today.outputTokens);
  if (prices) {
    const cost = "in the currency of the configured prices";
    counter("model_cost", `Cost ${since}, ${cost}`, () => priceTokens(spent.totals().sinceStart, prices) ?? 0);
    gauge("model_cost_today", `Cost of the model today, ${cost}`, () => priceTokens(spent.totals().today, prices) ?? 0);
  }
}
