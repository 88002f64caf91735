import { EarshotError } from "../domain/errors.ts";
import type { GuildId } from "../domain/ids.ts";
import type { SearchRequest } from "../ports/search.ts";
import { type CursorKey, fromCursor, toCursor } from "../timeline/read-in-progress.ts";
import type { Timeline } from "../timeline/timeline.ts";

/** The position at which a search continues: after the hits already returned, among the messages that existed when it began. */
interface SearchPosition {
  readonly offset: number;
  readonly newest: bigint;
  /** @see FreeGuilds */
  readonly freeGuilds: bigint;
  /** How far it was semantic, too: its next page must be so as well. Null for a search by words alone, whose next page must not. */
  readonly reach: number | null;
}

const FORM = /^(?:m(\d))?(\d{1,6})\.([\da-f]{1,250})\.(.*)$/s;

export function toSearchCursor(request: SearchRequest, { offset, newest, freeGuilds, reach }: SearchPosition): string {
  const guilds = freeGuilds.toString(16);
  return `${reach === null ? "" : `m${reach}`}${offset}.${guilds}.${toCursor(toCursorKey(request, offset, guilds), newest)}`;
}

/** Throws `invalid` for anything but a cursor of the same search. */
export function fromSearchCursor(request: SearchRequest, cursor: string): SearchPosition {
  const [, reach, digits, guilds, rest] = FORM.exec(cursor) ?? [];
  if (digits === undefined || guilds === undefined || rest === undefined)
    throw new EarshotError("invalid", "The cursor does not belong to this request: start again without one.");
  const offset = Number(digits);
  const newest = fromCursor(toCursorKey(request, offset, guilds), rest);
  return { offset, newest, freeGuilds: BigInt(`0x${guilds}`), reach: reach === undefined ? null : Number(reach) };
}

function toCursorKey(
  { channelIds, query, withEchoes, here }: SearchRequest,
  offset: number,
  guilds: string,
): CursorKey {
  const kind = withEchoes ? "find with echoes" : "find";
  const place = `${here?.channelId ?? ""} ${here?.actor ?? ""}`;
  return [kind, [...channelIds].sort().join(), JSON.stringify(query), place, offset, guilds];
}

/**
 * Guilds of a search of which everything held was looked at, as bits: the next page must look equally far, or hits would come twice or never.
 * They stand in the order of their ids.
 */
export function toFreeGuilds(scans: readonly { readonly timeline: Timeline; readonly isFree: boolean }[]): bigint {
  const guilds = guildsOf(scans.map(({ timeline }) => timeline));
  const free = new Set(scans.filter(({ isFree }) => isFree).map(({ timeline }) => timeline.place.guildId));
  return guilds.reduce((bits, id, index) => (free.has(id) ? bits | (1n << BigInt(index)) : bits), 0n);
}

export function fromFreeGuilds(bits: bigint, timelines: readonly Timeline[]): Set<GuildId> {
  return new Set(guildsOf(timelines).filter((_, index) => (bits >> BigInt(index)) & 1n));
}

function guildsOf(timelines: readonly Timeline[]): GuildId[] {
  const guilds = timelines.map(({ place }) => place.guildId).filter((id) => id !== null);
  return [...new Set(guilds)].sort();
}
