import type { TimeRule, TimeSpan } from "./time-words.ts";
import type { WallClock } from "./wall-clock.ts";

const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

const ISO =
  /^(?:on |in )?(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2})(?:(?:t| at | )(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?)?)?$/;
const ISO_IN_ZONE = /^\d{4}-\d\d-\d\dt\d\d:\d\d(:\d\d(?:\.\d{1,3})?)?(?:z|[+-]\d\d:\d\d)$/;

/** "2026", "2026-11", "2026-11-02", "2026-11-02 15:30", "2026-11-02T15:30:00Z". The span is as long as the smallest unit given. */
export const isoTime: TimeRule = (words, { wall }) => {
  const zoned = ISO_IN_ZONE.exec(words);
  if (zoned) return spanFrom(Date.parse(words.toUpperCase()), zoned[1] ? SECOND_MS : MINUTE_MS);
  const parts =
    ISO.exec(words)
      ?.slice(1)
      .flatMap((part) => (part === undefined ? [] : [Number(part)])) ?? [];
  const [year, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts;
  if (year === undefined || year < 1970) return null;
  if (hour > 23 || minute > 59 || second > 59 || !isDate({ year, month, day })) return null;
  const from = wall.find({ year, month, day, hour, minute, second });
  if (parts.length === 1) return { from, to: wall.find({ year: year + 1, month, day }) - 1 };
  if (parts.length === 2) return { from, to: wall.find({ year, month: month + 1, day }) - 1 };
  if (parts.length === 3) return { from, to: wall.find({ year, month, day: day + 1 }) - 1 };
  return spanFrom(from, parts.length === 6 ? SECOND_MS : MINUTE_MS);
};

/** Discord's timestamp markup: `<t:1794744000:R>`. */
export const discordTime: TimeRule = (words) => {
  const [, seconds] = /^<t:(\d{1,11})(?::[a-z])?>$/.exec(words) ?? [];
  return seconds === undefined ? null : spanFrom(Number(seconds) * SECOND_MS, SECOND_MS);
};

export function wholeDay(wall: WallClock, day: { year: number; month: number; day: number }): TimeSpan {
  return { from: wall.find(day), to: wall.find({ ...day, day: day.day + 1 }) - 1 };
}

export function spanFrom(from: number, length: number): TimeSpan | null {
  return Number.isNaN(from) ? null : { from, to: from + length - 1 };
}

export function isDate({ year, month, day }: { year: number; month: number; day: number }): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
