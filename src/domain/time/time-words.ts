import type { CalendarUnit, WallClock } from "./wall-clock.ts";

/** Milliseconds, both included. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** Now, and the wall clock of the person who asks. */
export interface ParseContext {
  readonly now: number;
  readonly wall: WallClock;
  /** How deeply the words are nested in others. */
  readonly depth: number;
}

/** Parses one kind of expression; null for all others. */
export type TimeRule = (words: string, context: ParseContext) => TimeSpan | null;

const DAY_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { second: 1_000, minute: 60_000, hour: 3_600_000 };
/** Minimum lengths. */
const MIN_UNIT_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 28 * DAY_MS, year: 365 * DAY_MS } as const;
const UNITS: Readonly<Record<string, string>> = {
  ...{ s: "second", sec: "second", second: "second", m: "minute", min: "minute", minute: "minute" },
  ...{ h: "hour", hr: "hour", hour: "hour", d: "day", day: "day", w: "week", wk: "week", week: "week" },
  ...{ month: "month", mo: "month", y: "year", yr: "year", year: "year" },
};
const NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAY = "mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?";
const MONTH =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
/** Hours of the day; the night ends on the next day. */
const PARTS: Readonly<Record<string, readonly [number, number]>> = {
  morning: [5, 12],
  afternoon: [12, 18],
  evening: [18, 24],
  night: [18, 30],
};

/** Whether the length of the unit depends on the calendar. */
function isCalendar(unit: string): unit is CalendarUnit {
  return Object.hasOwn(MIN_UNIT_MS, unit);
}

function whole({ wall, now }: ParseContext, unit: CalendarUnit, units = 0): TimeSpan {
  return { from: wall.start(now, unit, units), to: wall.start(now, unit, units + 1) - 1 };
}

/** "today", "this week", "last month", "the day before yesterday", "now". */
export const namedSpan: TimeRule = (words, context) => {
  const { now } = context;
  if (/^(?:right |just )?now$/.test(words)) return { from: now, to: now };
  if (/^(?:(?:earlier|later) )?today$/.test(words)) return whole(context, "day");
  if (words === "yesterday") return whole(context, "day", -1);
  if (/^(?:the )?day before yesterday$/.test(words)) return whole(context, "day", -2);
  const [, which, unit = ""] =
    /^(this|the current|last|the last|previous|the previous) (week|month|year)$/.exec(words) ?? [];
  if (which && isCalendar(unit)) return whole(context, unit, /this|current/.test(which) ? 0 : -1);
  const weekend = /^(this|last|the|on the|over the)(?: past)? weekend$/.exec(words);
  return weekend ? weekendOf(context, weekend[1] === "last") : null;
};

/** The latest that has begun; "last weekend" is over. */
function weekendOf({ wall, now }: ParseContext, isOver: boolean): TimeSpan {
  const monday = wall.start(now, "week");
  const hasBegun = wall.weekday(now) >= 6 && !isOver;
  const { year, month, day } = wall.read(monday);
  const saturday = day + (hasBegun ? 5 : -2);
  return { from: wall.find({ year, month, day: saturday }), to: wall.find({ year, month, day: saturday + 2 }) - 1 };
}

/** "15 minutes", "past 3 days", "the last hour", "24h", "half an hour": up to now. */
export const length: TimeRule = (words, { now, wall }) => {
  const found = /^(?:(?:in |over |within |during |for )?(?:the )?(past|last|previous) )?(?:(.+?) ?)??([a-z]+)$/.exec(
    words,
  );
  const unit = found && toUnit(found[3] ?? "");
  if (!found || !unit) return null;
  const isLed = found[1] !== undefined;
  // "hour" alone is not a span, and "last week" is a calendar week.
  const count = found[2] === undefined ? (isLed ? 1 : null) : toCount(found[2]);
  if (count === null || count <= 0) return null;
  const from = back(now, { count, unit, wall });
  return from === null ? null : { from, to: now };
};

/** "two hours ago" is the hour that began then; "3 days ago" is that day. */
export const ago: TimeRule = (words, context) => {
  const at = agoInstant(words, context);
  if (!at) return null;
  const { time, unit } = at;
  if (isCalendar(unit)) return whole({ ...context, now: time }, unit);
  return { from: time, to: time + (UNIT_MS[unit] ?? 0) - 1 };
};

/** The exact moment, and the unit it was expressed in. */
export function agoInstant(words: string, { now, wall }: ParseContext): { time: number; unit: string } | null {
  const [, amount = "", name = ""] = /^(.+?) ?([a-z]+) (?:ago|back|earlier)$/.exec(words) ?? [];
  const unit = toUnit(name);
  const count = toCount(amount);
  if (!unit || count === null) return null;
  const time = back(now, { count, unit, wall });
  return time === null || time <= 0 ? null : { time, unit };
}

/** "Monday", "on Friday", "last Tuesday": the latest that has begun; "last" excludes today. */
export const weekday: TimeRule = (words, { now, wall }) => {
  const [, which, name = ""] =
    new RegExp(`^(?:on )?(?:(this|last|the past|past|this past) )?(${WEEKDAY})$`).exec(words) ?? [];
  const wanted = WEEKDAYS.indexOf(name.slice(0, 3)) + 1;
  if (wanted === 0) return null;
  const since = (wall.weekday(now) - wanted + 7) % 7;
  const days = since === 0 && which !== undefined && which !== "this" ? 7 : since;
  return { from: wall.start(now, "day", -days), to: wall.start(now, "day", 1 - days) - 1 };
};

/** "in March", "March 2025", "last March": without a year the latest that has begun. */
export const month: TimeRule = (words, { now, wall }) => {
  const [, which, name = "", said] =
    new RegExp(`^(?:in |during )?(?:(this|last) )?(${MONTH})(?:,? (?:of )?(\\d{4}))?$`).exec(words) ?? [];
  const wanted = MONTHS.indexOf(name.slice(0, 3)) + 1;
  if (wanted === 0) return null;
  const today = wall.read(now);
  const isPast = wanted < today.month || (wanted === today.month && which !== "last");
  const year = said === undefined ? today.year - (isPast ? 0 : 1) : Number(said);
  return { from: wall.find({ year, month: wanted, day: 1 }), to: wall.find({ year, month: wanted + 1, day: 1 }) - 1 };
};

/** Splits off a part of the day: its hours, and the words before it. */
export function splitPart(words: string): { rest: string; hours: readonly [number, number] } | null {
  if (words === "tonight") return { rest: "today", hours: [18, 30] };
  if (words === "last night" || words === "overnight") return { rest: "yesterday", hours: [18, 30] };
  const [, rest = "", part = ""] = /^(.+?)(?: in the| at)? (morning|afternoon|evening|night)$/.exec(words) ?? [];
  const hours = PARTS[part];
  return hours ? { rest: rest === "this" ? "today" : rest, hours } : null;
}

/** Not before 1970. */
function back(now: number, { count, unit, wall }: { count: number; unit: string; wall: WallClock }): number | null {
  const exact = UNIT_MS[unit];
  if (exact !== undefined) return Math.max(0, now - count * exact);
  if (!isCalendar(unit) || !Number.isInteger(count)) return null;
  return count * MIN_UNIT_MS[unit] >= now - MIN_UNIT_MS.year ? 0 : wall.back(now, unit, count);
}

function toUnit(word: string): string | null {
  return UNITS[word] ?? UNITS[word.replace(/s$/, "")] ?? null;
}

/** Up to 10,000; null for anything that is not a number. */
function toCount(words: string): number | null {
  if (/^(?:a|an)$/.test(words)) return 1;
  if (/^half (?:a|an)$/.test(words)) return 0.5;
  if (/^a couple(?: of)?$/.test(words)) return 2;
  if (NUMBERS.includes(words)) return NUMBERS.indexOf(words);
  const count = /^\d{1,5}(?:\.5)?$/.test(words) ? Number(words) : Number.NaN;
  return count <= 10_000 ? count : null;
}
