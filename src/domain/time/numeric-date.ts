import type { TimeSpan } from "./time-words.ts";
import { createWallClock } from "./wall-clock.ts";
import { isDate, wholeDay } from "./written-dates.ts";

/** A day, as ISO 8601 writes it. */
type IsoDay = string;

export type NumericDate =
  | { readonly kind: "span"; readonly span: TimeSpan }
  /** Day first or month first: both are dates. */
  | { readonly kind: "ambiguous"; readonly days: readonly [IsoDay, IsoDay] };

const DATE = /^(\d{1,2})\s*([/.-])\s*(\d{1,2})(?:\s*\2\s*(\d{4})?)?$/;

/**
 * "24/12/2025", "12-24-2025", "24.12.", "3/4". With dots the day stands first everywhere; otherwise the order differs between countries, and only a
 * number above 12 tells. Without a year it is the latest that has begun. Null for what is no such date.
 */
export function toNumericDate(
  words: string,
  { now, zone }: { readonly now: number; readonly zone: string },
): NumericDate | null {
  const [, first, sign, second, written] = DATE.exec(words.trim()) ?? [];
  if (first === undefined || second === undefined) return null;
  const wall = createWallClock(zone);
  const thisYear = wall.read(now).year;
  const find = (day: number, month: number) =>
    (written === undefined ? [thisYear, thisYear - 1] : [Number(written)])
      .map((year) => ({ year, month, day }))
      .find((date) => date.year >= 1970 && isDate(date) && (written !== undefined || wall.find(date) <= now));
  const dayFirst = find(Number(first), Number(second));
  const monthFirst = sign === "." || first === second ? undefined : find(Number(second), Number(first));
  if (dayFirst && monthFirst) return { kind: "ambiguous", days: [toIso(dayFirst), toIso(monthFirst)] };
  const date = dayFirst ?? monthFirst;
  return date ? { kind: "span", span: wholeDay(wall, date) } : null;
}

function toIso({ year, month, day }: { year: number; month: number; day: number }): IsoDay {
  return `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}
