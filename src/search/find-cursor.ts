import { EarshotError } from "../domain/errors.ts";
import type { SearchRequest } from "../ports/search.ts";
import { type CursorKey, fromCursor, toCursor } from "../timeline/cursor.ts";

/** Where a search goes on: after so many hits, among what there was when it began. */
interface SearchPosition {
  readonly offset: number;
  readonly newest: bigint;
  /** @see FreeGuilds */
  readonly freeGuilds: bigint;
}

const FORM = /^(\d{1,6})\.([\da-f]{1,250})\.(.*)$/s;

export function toFindCursor(request: SearchRequest, { offset, newest, freeGuilds }: SearchPosition): string {
  const guilds = freeGuilds.toString(16);
  return `${offset}.${guilds}.${toCursor(toQuestion(request, offset, guilds), newest)}`;
}

/** Null when there is no cursor. Throws `invalid` for anything but a cursor of the same search. */
export function fromFindCursor(request: SearchRequest): SearchPosition | null {
  if (request.cursor === undefined) return null;
  const [, digits, guilds, rest] = FORM.exec(request.cursor) ?? [];
  if (digits === undefined || guilds === undefined || rest === undefined)
    throw new EarshotError("invalid", "The cursor does not belong to this request: start again without one.");
  const offset = Number(digits);
  const newest = fromCursor(toQuestion(request, offset, guilds), rest);
  return { offset, newest, freeGuilds: BigInt(`0x${guilds}`) };
}

function toQuestion({ channelIds, query }: SearchRequest, offset: number, guilds: string): CursorKey {
  return ["find", [...channelIds].sort().join(), JSON.stringify(query), offset, guilds];
}
