import type { GuildId } from "../domain/ids.ts";
import type { Timeline } from "../timeline/timeline.ts";

/**
 * Guilds of a search of which everything held was looked at, as bits: the next page must look equally far, or hits would come twice or never.
 * They stand in the order of their ids.
 */
export function toFreeGuilds(reaches: readonly { readonly timeline: Timeline; readonly isFree: boolean }[]): bigint {
  const guilds = guildsOf(reaches.map(({ timeline }) => timeline));
  const free = new Set(reaches.filter(({ isFree }) => isFree).map(({ timeline }) => timeline.place.guildId));
  return guilds.reduce((bits, id, index) => (free.has(id) ? bits | (1n << BigInt(index)) : bits), 0n);
}

export function fromFreeGuilds(bits: bigint, timelines: readonly Timeline[]): Set<GuildId> {
  return new Set(guildsOf(timelines).filter((_, index) => (bits >> BigInt(index)) & 1n));
}

function guildsOf(timelines: readonly Timeline[]): GuildId[] {
  const guilds = timelines.map(({ place }) => place.guildId).filter((id) => id !== null);
  return [...new Set(guilds)].sort();
}
