import { z } from "zod";

const count = z.int().min(0);
const time = z.iso.datetime();

/** How the running program is doing, as its HTTP port tells it. Counts and times only, never names of people or channels. */
export const statusSchema = z.object({
  version: z.string(),
  uptime_seconds: count,
  discord: z.object({
    state: z.enum(["connecting", "ready", "reconnecting", "token_refused", "closed"]),
    servers: count,
    /** Since the start, as the numbers below. */
    gaps: count,
    rate_limit_waits: count,
    rate_limit_waited_seconds: z.number().min(0),
  }),
  clients: z.object({ rpc: count, mcp: count }),
  messages: z.object({
    channels: count,
    held: count,
    bytes: count,
    /** Servers whose history has been read as far as there is room, and channels of which something is still to be read. */
    servers_read: count,
    channels_unread: count,
    /** On disk, not read again since a gap or a restart. */
    unconfirmed: count,
    /** Since when the longest unconfirmed of them is, and when it will be erased unless Discord confirms it; null when there are none. */
    unconfirmed_since: time.nullable(),
    erase_at: time.nullable(),
  }),
});

export type Status = z.infer<typeof statusSchema>;
