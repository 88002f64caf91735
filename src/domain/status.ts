import { z } from "zod";

const count = z.int().min(0);
const time = z.iso.datetime();

const spent = z.object({
  input_tokens: count,
  output_tokens: count,
  /** In the currency of `model.inputPricePerMillion` and `model.outputPricePerMillion`; null unless both are set. */
  cost: z.number().min(0).nullable(),
});

/** The status of the running program, as served over HTTP. Counts and times only, never names of people or channels. */
export const statusSchema = z.object({
  version: z.string(),
  uptime_seconds: count,
  discord: z.object({
    state: z.enum(["connecting", "ready", "reconnecting", "token_refused", "closed"]),
    servers: count,
    /** The gaps and rate limits are counted since the start. */
    gaps: count,
    rate_limit_waits: count,
    rate_limit_waited_seconds: z.number().min(0),
    /** Gateway events, and requests to the REST API. */
    events: count.default(0),
    requests: count.default(0),
    /** Commands that Discord does not show; refused ones are not retried before the next start. */
    missing_commands: z
      .array(z.object({ name: z.string(), since: time, reason: z.string(), refused: z.boolean() }))
      .default([]),
    /** The server cannot list archived threads. */
    lacks_archives: z.boolean().default(false),
  }),
  /** Commits to the database since the start that took more than 100 ms and blocked everything else. */
  disk: z.object({ slow_writes: count, slowest_write_ms: count }).default({ slow_writes: 0, slowest_write_ms: 0 }),
  /** Stores that cannot be written, since when and why. */
  storage: z.array(z.object({ store: z.string(), since: time, reason: z.string() })).default([]),
  clients: z.object({ rpc: count, mcp: count }),
  /** Tool calls since the start, failed or refused ones, and their total duration. */
  calls: z
    .object({ total: count, failed: count, milliseconds: z.number().min(0) })
    .default({ total: 0, failed: 0, milliseconds: 0 }),
  memory: z.object({ resident_bytes: count, heap_bytes: count }).default({ resident_bytes: 0, heap_bytes: 0 }),
  messages: z.object({
    channels: count,
    held: count,
    bytes: count,
    /** Servers whose history was read up to the quotas, and channels with history left to read. */
    servers_read: count,
    channels_unread: count,
    /** Channels whose archived threads must still be listed. */
    archives_unlisted: count,
    /** When reading continues after a failure of Discord or a rate limit; null while it does not wait. */
    reading_paused_until: time.nullable(),
    /** Messages on disk that were not read again since a gap or restart. */
    unconfirmed: count,
    /** Time since which the oldest of them is unconfirmed, and when it will be erased unless Discord confirms it; null without any. */
    unconfirmed_since: time.nullable(),
    erase_at: time.nullable(),
  }),
  /** Document folders, unreadable ones, and the contents of the others. */
  documents: z.object({
    folders: count,
    unreadable: count,
    files: count,
    passages: count,
    /** Number of skipped files or folders, by reason. */
    skipped: z.record(z.string(), count),
  }),
  /** Usage of the model, and the reason for its last failure if it has not answered since; null if none is configured. */
  model: z
    .object({
      today: spent,
      since_start: spent,
      last_failure: z.object({ at: time, reason: z.string(), status: count.nullable() }).nullable().default(null),
    })
    .nullable(),
  /** Requests to the profile service since the start, and people with cached profiles; null if none is configured. */
  profiles: z.object({ requests: count, failures: count, cached: count }).nullable(),
});

export type Status = z.infer<typeof statusSchema>;
