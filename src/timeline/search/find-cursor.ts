import { EarshotError } from "../../domain/errors.ts";
import { NEWEST } from "../../domain/stretches.ts";
import type { SearchRequest } from "../../ports/timelines.ts";
import { fromCursor, type Question, toCursor } from "../cursor.ts";

/** Where a search goes on: after so many hits, among what there was when it began. */
interface Whereabouts {
  readonly offset: number;
  readonly newest: bigint;
}

export function toFindCursor(request: SearchRequest, { offset, newest }: Whereabouts): string {
  return `${offset}.${toCursor(toQuestion(request, offset), newest)}`;
}

/** The beginning when there is no cursor. Throws `invalid` for anything but a cursor of the same search. */
export function fromFindCursor(request: SearchRequest): Whereabouts {
  if (request.cursor === undefined) return { offset: 0, newest: NEWEST };
  const [, digits, rest] = /^(\d{1,6})\.(.*)$/s.exec(request.cursor) ?? [];
  if (digits === undefined || rest === undefined)
    throw new EarshotError("invalid", "The cursor does not belong to this request: start again without one.");
  const offset = Number(digits);
  return { offset, newest: fromCursor(toQuestion(request, offset), rest) };
}

function toQuestion({ channelIds, query }: SearchRequest, offset: number): Question {
  return ["find", [...channelIds].sort().join(), JSON.stringify(query), offset];
}
