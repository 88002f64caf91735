import type { Grant } from "./grant.ts";

/**
 * Equal for grants that allow the same events: by value, whatever the order of their lists. Only the fields that decide about events count;
 * what a client may call, and what is remembered of it, do not.
 */
export function toEventGrantKey({ events, guilds, channels, directMessages }: Grant): string {
  return JSON.stringify([events, directMessages, toSorted(guilds), toSorted(channels)]);
}

function toSorted(ids: "all" | readonly string[]): "all" | string[] {
  return ids === "all" ? ids : [...new Set(ids)].sort();
}
