import type { Status } from "../../domain/status.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Discord } from "../../ports/discord.ts";
import type { DocumentStats, Documents } from "../../ports/documents.ts";
import type { SpentTokens } from "../../ports/operation-spending.ts";
import type { ProfileStats } from "../../ports/profile-source.ts";
import type { TimelineStats, Timelines } from "../../ports/timelines.ts";
import { type Prices, priceTokens, type SpentSource } from "./price-tokens.ts";

export interface StatusSources {
  readonly version: string;
  readonly startedAt: number;
  readonly clock: Clock;
  /** Slow commits since the start. */
  slowWrites(): { readonly slowWrites: number; readonly slowestMs: number };
  readonly discord: Pick<Discord, "stats" | "state" | "directory">;
  /** Stores that cannot be written. */
  readonly storage: readonly { readonly store: string; readonly since: number; readonly reason: string }[];
  readonly timelines: Pick<Timelines, "stats">;
  readonly documents: Pick<Documents, "stats">;
  /** Null if no model is configured. */
  readonly spent: SpentSource | null;
  /** The model's last failure; null after a success. */
  lastFailure?(): { readonly at: number; readonly reason: string; readonly status: number | null } | null;
  /** Null if no profile service is configured. */
  readonly profiles: (() => ProfileStats) | null;
  calls(): Status["calls"];
  rpc(): { readonly connections: number };
  mcp(): { readonly sessions: number; readonly connections: number };
}

export function readStatus(sources: StatusSources): Status {
  const { version, startedAt, clock, discord, timelines } = sources;
  const { gaps, rateLimitWaits, rateLimitWaitedMs, events, restCalls, missingCommands, lacksArchives } =
    discord.stats();
  const { rss, heapUsed } = process.memoryUsage();
  const mcp = sources.mcp();
  const { slowWrites, slowestMs } = sources.slowWrites();
  return {
    version,
    uptime_seconds: Math.max(0, Math.floor((clock.now() - startedAt) / 1_000)),
    discord: {
      state: discord.state,
      servers: discord.directory.guilds().length,
      gaps,
      rate_limit_waits: rateLimitWaits,
      rate_limit_waited_seconds: rateLimitWaitedMs / 1_000,
      events,
      requests: restCalls,
      missing_commands: missingCommands.map(({ name, since, reason, isRefused }) => ({
        name,
        since: new Date(since).toISOString(),
        reason,
        refused: isRefused,
      })),
      lacks_archives: lacksArchives,
    },
    disk: { slow_writes: slowWrites, slowest_write_ms: slowestMs },
    storage: sources.storage.map((failure) => ({ ...failure, since: new Date(failure.since).toISOString() })),
    clients: { rpc: sources.rpc().connections, mcp: mcp.sessions + mcp.connections },
    calls: sources.calls(),
    memory: { resident_bytes: rss, heap_bytes: heapUsed },
    messages: toMessages(timelines.stats()),
    documents: toDocuments(sources.documents.stats()),
    model: sources.spent && { ...toModel(sources.spent), last_failure: toFailure(sources.lastFailure?.() ?? null) },
    profiles: sources.profiles?.() ?? null,
  };
}

function toFailure(
  failure: ReturnType<NonNullable<StatusSources["lastFailure"]>>,
): NonNullable<Status["model"]>["last_failure"] {
  return failure && { ...failure, at: new Date(failure.at).toISOString() };
}

function toModel({ totals, prices }: SpentSource): Pick<NonNullable<Status["model"]>, "today" | "since_start"> {
  const { today, sinceStart } = totals();
  return { today: toSpent(today, prices), since_start: toSpent(sinceStart, prices) };
}

function toSpent(tokens: SpentTokens, prices: Prices | null) {
  const { inputTokens, outputTokens } = tokens;
  return { input_tokens: inputTokens, output_tokens: outputTokens, cost: priceTokens(tokens, prices) };
}

function toMessages(stats: TimelineStats): Status["messages"] {
  return {
    channels: stats.timelines,
    held: stats.messages,
    bytes: Math.round(stats.bytes),
    servers_read: stats.guildsRead,
    channels_unread: stats.unread,
    archives_unlisted: stats.unlisted,
    reading_paused_until: toTime(stats.pausedUntil),
    unconfirmed: stats.unconfirmed,
    unconfirmed_since: toTime(stats.unconfirmedSince),
    erase_at: toTime(stats.eraseAt),
  };
}

function toDocuments({ skipped, ...counts }: DocumentStats): Status["documents"] {
  const reasons = Object.entries(skipped).map(([reason, times]) => [reason, times ?? 0] as const);
  return { ...counts, skipped: Object.fromEntries(reasons) };
}

function toTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
