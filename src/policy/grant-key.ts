import type { Grant } from "./grant.ts";

/** Equal for grants that allow the same events, ignoring the order of lists. Fields that do not decide about events are left out. */
export function toEventGrantKey({ events, guilds, channels, directMessages }: Grant): string {
  return JSON.stringify([events, directMessages, toSorted(guilds), toSorted(channels)]);
}

function toSorted(ids: "all" | readonly string[]): "all" | string[] {
  return ids === "all" ? ids : [...new Set(ids)].sort();
}
