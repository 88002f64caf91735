import { strict } from "chrono-node/en";
import {
  ago,
  agoInstant,
  length,
  month,
  namedSpan,
  type ParseContext,
  splitPart,
  type TimeRule,
  type TimeSpan,
  weekday,
} from "./time-words.ts";
import { type WallTime, wallClockOf } from "./wall-clock.ts";
import { discordTime, HOUR_MS, isDate, isoTime, MINUTE_MS, spanFrom, wholeDay } from "./written-dates.ts";

export type { TimeSpan } from "./time-words.ts";

export interface NowInZone {
  readonly now: number;
  /** IANA name, such as Europe/Berlin or UTC. */
  readonly zone: string;
}

/**
 * Parses a time span in English, such as "last week". Without a year it is the latest that has begun, and it ends now at the latest; only dates
 * with a year may be in the future. Null for anything not understood: nothing is guessed.
 */
export function toSpan(words: string, { now, zone }: NowInZone): TimeSpan | null {
  return read(tidy(words), { now, wall: wallClockOf(zone), depth: 0 });
}

/** The start of the span that the words name; for "two weeks ago" that exact moment. */
export function toInstant(words: string, { now, zone }: NowInZone): number | null {
  return toStart(tidy(words), { now, wall: wallClockOf(zone), depth: 0 });
}

const MAX_WORDS_LENGTH = 100;
/** "since Monday at noon" is nested twice. Without a limit, crafted input could take forever to parse. */
const MAX_NESTING = 3;
const DATES: readonly TimeRule[] = [isoTime, discordTime, dateInWords];
const WORDS: readonly TimeRule[] = [namedSpan, length, ago, weekday, month, partOfDay, timeOfDay, bounded, range];

function tidy(words: string): string {
  if (words.length > MAX_WORDS_LENGTH) return "";
  const plain = words
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\u2010-\u2015]/gu, "-")
    .replaceAll(/\s+/gu, " ");
  return plain
    .trim()
    .replace(/[.?!,]+$/u, "")
    .replaceAll(/\b([ap])\.m\b\.?/gu, "$1m");
}

function read(words: string, context: ParseContext): TimeSpan | null {
  if (context.depth > MAX_NESTING) return null;
  for (const rule of WORDS) {
    const span = rule(words, { ...context, depth: context.depth + 1 });
    if (span) return untilNow(span, context);
  }
  for (const rule of DATES) {
    const span = rule(words, context);
    if (span) return span.from > context.now ? span : untilNow(span, context);
  }
  return null;
}

function untilNow({ from, to }: TimeSpan, { now }: ParseContext): TimeSpan | null {
  return from <= now && from <= to ? { from, to: Math.min(to, now) } : null;
}

function toStart(words: string, context: ParseContext): number | null {
  return agoInstant(words, context)?.time ?? read(words, context)?.from ?? null;
}

/** "this morning", "yesterday evening", "Monday night", "last night". */
function partOfDay(words: string, context: ParseContext): TimeSpan | null {
  const part = splitPart(words);
  const day = part && toDay(part.rest, context);
  if (!day) return null;
  const { wall, now } = context;
  const [start, end] = part.hours;
  const from = wall.find({ ...day, hour: start });
  const isEarly = part.rest === "today" && start < 12 && from > now;
  // Before five, "this morning" began at midnight.
  return { from: isEarly ? wall.find(day) : from, to: wall.find({ ...day, hour: end }) - 1 };
}

const CLOCK = "\\d{1,2}(?::\\d{2})? ?(?:am|pm)|\\d{1,2}:\\d{2}|noon|midnight";
const TIME_OF_DAY = new RegExp(`^(?:(.+?) )??(?:at )?(${CLOCK})(?: (.+))?$`);

/** "3pm" (an hour long), "yesterday at 15:30" (a minute long), "9am on Monday". */
function timeOfDay(words: string, context: ParseContext): TimeSpan | null {
  const [, before, clock = "", after] = TIME_OF_DAY.exec(words) ?? [];
  const time = toTime(clock);
  if (!time || (before !== undefined && after !== undefined)) return null;
  const said = before ?? after;
  const width = clock.includes(":") ? MINUTE_MS : HOUR_MS;
  const { wall, now } = context;
  const find = (name: string) => {
    const day = toDay(name, context);
    return day && wall.find({ ...day, ...time });
  };
  const from = said ? find(said) : latest([find("today"), find("yesterday")], now);
  return from === null ? null : { from, to: from + width - 1 };
}

const BARE_CLOCK = `${CLOCK}|\\d{1,2}`;
const CLOCKS = new RegExp(
  `^(?:(.+?) )??(?:between |from )?(${BARE_CLOCK}) ?(?:and|to|until|till|-) ?(${CLOCK})(?: (.+))?$`,
);

/** "between 3pm and 5pm yesterday", "Monday to Wednesday", "from 2026-10-01 to 2026-10-05". */
function range(words: string, context: ParseContext): TimeSpan | null {
  const clocks = CLOCKS.exec(words);
  if (clocks) return clockRange(clocks, context);
  const [, first, last] =
    /^(?:between (.+?) and (.+)|(?:from )?(.+?) (?:to|until|till|through|-) (.+))$/
      .exec(words)
      ?.filter((part, index) => index === 0 || part !== undefined) ?? [];
  const [start, end] = [first && read(first, context), last && read(last, context)];
  return start && end ? { from: start.from, to: end.to } : null;
}

function clockRange(
  [, before, first = "", last = "", after]: readonly (string | undefined)[],
  context: ParseContext,
): TimeSpan | null {
  const end = toTime(last);
  const half = /(?:am|pm)$/.exec(last)?.[0] ?? "";
  // "between 3 and 5pm" begins in the afternoon, "between 11 and 1pm" in the morning.
  const start =
    toTime(first) ??
    [half, "am"].map((each) => toTime(`${first}${each}`)).find((time) => time && end && time.hour < end.hour);
  if (!start || !end || (before !== undefined && after !== undefined)) return null;
  const { wall, now } = context;
  const find = (name: string): TimeSpan | null => {
    const day = toDay(name, context);
    if (!day) return null;
    const from = wall.find({ ...day, ...start });
    const to = wall.find({ ...day, ...end });
    return { from, to: (to > from ? to : wall.find({ ...day, ...end, day: day.day + 1 })) - 1 };
  };
  const said = before ?? after;
  if (said !== undefined) return find(said.replace(/,$/, ""));
  return [find("today"), find("yesterday")].find((span) => span !== null && span.from <= now) ?? null;
}

/** "since Monday", "after 3pm", "before yesterday", "until last week", "during March". */
function bounded(words: string, context: ParseContext): TimeSpan | null {
  const [, how, what = ""] = /^(since|starting|after|before|until|till|up to|during) (.+)$/.exec(words) ?? [];
  if (how === undefined) return null;
  const span = read(what, context);
  if (!span) return null;
  const { now } = context;
  switch (how) {
    case "since":
    case "starting":
      return { from: toStart(what, context) ?? span.from, to: now };
    case "after":
      return { from: span.to + 1, to: now };
    case "before":
      return { from: 0, to: span.from - 1 };
    case "during":
      return span;
    default:
      return { from: 0, to: span.to };
  }
}

/**
 * "November 2nd", "2 Nov 2025", "Monday 2 November at 3pm". Not 2/11, whose order differs between countries. A date without a year is the
 * latest that has begun.
 */
function dateInWords(words: string, { wall, now }: ParseContext): TimeSpan | null {
  const text = words.replace(/^(?:on )?(?:the )?/, "");
  if (!/[a-z]{3}/.test(text)) return null;
  const today = wall.read(now);
  const shown = Date.UTC(today.year, today.month - 1, today.day, today.hour, today.minute);
  const [result, ...others] = strict.parse(text, { instant: new Date(shown), timezone: 0 });
  if (!result || others.length > 0 || result.end || result.text !== text) return null;
  const { start } = result;
  if (!start.isCertain("day") || !start.isCertain("month") || start.isCertain("timezoneOffset")) return null;
  const date = { year: start.get("year") ?? 0, month: start.get("month") ?? 0, day: start.get("day") ?? 0 };
  const hasTime = start.isCertain("hour");
  const time = { hour: start.get("hour") ?? 0, minute: start.get("minute") ?? 0 };
  const inYear = (year: number): TimeSpan | null => {
    const day = { ...date, year };
    if (year < 1970 || year > 9_998 || !isDate(day)) return null;
    if (start.isCertain("weekday") && wall.weekday(wall.find(day)) % 7 !== start.get("weekday")) return null;
    if (!hasTime) return wholeDay(wall, day);
    return spanFrom(wall.find({ ...day, ...time }), text.includes(":") ? MINUTE_MS : HOUR_MS);
  };
  if (start.isCertain("year")) return inYear(date.year);
  return [today.year, today.year - 1].map(inYear).find((span) => span !== null && span.from <= now) ?? null;
}

type Day = Pick<WallTime, "year" | "month" | "day">;

/** The day that the words name, complete or up to now; null if they name anything else. */
function toDay(words: string, context: ParseContext): Day | null {
  const span = read(words, context);
  if (!span) return null;
  const { wall } = context;
  const isDay = wall.start(span.from, "day") === span.from && span.to < wall.start(span.from, "day", 1);
  const { year, month, day } = wall.read(span.from);
  return isDay ? { year, month, day } : null;
}

function toTime(clock: string): { hour: number; minute: number } | null {
  if (clock === "noon") return { hour: 12, minute: 0 };
  if (clock === "midnight") return { hour: 0, minute: 0 };
  const [, hours = "", minutes = "0", half] = /^(\d{1,2})(?::(\d{2}))? ?(am|pm)?$/.exec(clock) ?? [];
  const [hour, minute] = [Number(hours), Number(minutes)];
  if (hours === "" || minute > 59 || (half === undefined && !clock.includes(":"))) return null;
  if (half === undefined) return hour < 24 ? { hour, minute } : null;
  return hour >= 1 && hour <= 12 ? { hour: (hour % 12) + (half === "pm" ? 12 : 0), minute } : null;
}

function latest(times: readonly (number | null)[], now: number): number | null {
  return times.find((time) => time !== null && time <= now) ?? null;
}
