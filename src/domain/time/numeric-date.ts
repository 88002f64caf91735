import { dateOrderOf, type Locale } from "./date-order.ts";
import { wallClockOf } from "./wall-clock.ts";
import { isDate } from "./written-dates.ts";

/** A day, as ISO 8601 writes it. */
type IsoDay = string;

/** Day first, month first. */
type BothDays = readonly [IsoDay, IsoDay];

export type NumericDate =
  /** It has only one reading. */
  | { readonly kind: "certain"; readonly day: IsoDay }
  /** Both are dates; the locale decides for this day. */
  | { readonly kind: "decided"; readonly day: IsoDay; readonly days: BothDays }
  /** Both are dates, and no locale decides. */
  | { readonly kind: "ambiguous"; readonly days: BothDays };

export interface NumericDateContext {
  readonly now: number;
  /** IANA name, such as Europe/Berlin or UTC. */
  readonly zone: string;
  /** The locale of the author, or of the audience of the text; null when unknown. */
  readonly locale: Locale | null;
}

const DATE = /^(\d{1,2})\s*([/.-])\s*(\d{1,2})(?:\s*\2\s*(\d{4})?)?$/;
const YEAR_FIRST = /^(\d{4})\s*\.\s*(\d{1,2})\s*\.\s*(\d{1,2})\s*\.?$/;

/**
 * "24/12/2025", "12-24-2025", "24.12.", "3/4", "2025. 12. 24.". The order of day and month differs between countries: if no number is above
 * 12, the locale decides. A date without a year is the latest that has begun. Null for anything else.
 */
export function toNumericDate(words: string, { now, zone, locale }: NumericDateContext): NumericDate | null {
  const written = words.trim();
  const [, year = 0, month = 0, day = 0] = YEAR_FIRST.exec(written)?.map(Number) ?? [];
  if (year >= 1970 && isDate({ year, month, day })) return { kind: "certain", day: toIso({ year, month, day }) };
  const [, first, sign, second, writtenYear] = DATE.exec(written) ?? [];
  if (first === undefined || second === undefined) return null;
  const wall = wallClockOf(zone);
  const thisYear = wall.read(now).year;
  const find = (day: number, month: number): IsoDay | null => {
    const date = (writtenYear === undefined ? [thisYear, thisYear - 1] : [Number(writtenYear)])
      .map((year) => ({ year, month, day }))
      .find((date) => date.year >= 1970 && isDate(date) && (writtenYear !== undefined || wall.find(date) <= now));
    return date ? toIso(date) : null;
  };
  const dayFirst = find(Number(first), Number(second));
  const monthFirst = find(Number(second), Number(first));
  if (!dayFirst || !monthFirst || dayFirst === monthFirst) {
    const day = dayFirst ?? monthFirst;
    return day === null ? null : { kind: "certain", day };
  }
  const days: BothDays = [dayFirst, monthFirst];
  const order = locale && dateOrderOf(locale);
  // With dots the day comes first, even where 3/4 is in March; only countries that write 2026. 3. 4. put the month first.
  if (sign === "." && !order?.isMonthFirst) return { kind: "certain", day: dayFirst };
  if (!order) return { kind: "ambiguous", days };
  const isMonthFirst = sign === "." ? order.isYearFirst : order.isMonthFirst;
  return { kind: "decided", day: isMonthFirst ? monthFirst : dayFirst, days };
}

function toIso({ year, month, day }: { year: number; month: number; day: number }): IsoDay {
  return `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}
