/** Local time in one time zone. Months count from 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

export type CalendarUnit = "day" | "week" | "month" | "year";

/** Converts between instants and local time. A day may have 23 or 25 hours, and may begin at one in the morning. */
export interface WallClock {
  read(time: number): WallTime;
  /** The first instant with these values. Values may overflow: the 32nd is in the next month. For a local time that clocks skip, the instant after the skip. */
  find(wall: Pick<WallTime, "year" | "month" | "day"> & Partial<WallTime>): number;
  /** The start of the day, week (from Monday), month or year of an instant, or of the one `units` later. */
  start(time: number, unit: CalendarUnit, units?: number): number;
  /** The same local time `units` earlier; the last day of a month that is shorter. */
  back(time: number, unit: CalendarUnit, units: number): number;
  /** 1 on Monday to 7 on Sunday. */
  weekday(time: number): number;
}

const DAY_MS = 86_400_000;

/** By zone: creating one is slow. */
const clocks = new Map<string, WallClock>();

/** For times from 1970 to 9999. Throws a RangeError for an unknown zone. */
export function wallClockOf(zone: string): WallClock {
  const known = clocks.get(zone) ?? createWallClock(zone);
  clocks.set(zone, known);
  return known;
}

function createWallClock(zone: string): WallClock {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const read = (time: number): WallTime => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const get = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const [year, month, day] = [get("year"), get("month"), get("day")];
    return { year, month, day, hour: get("hour"), minute: get("minute"), second: get("second") };
  };
  const shift = (time: number) => toUtc(read(time)) - Math.floor(time / 1_000) * 1_000;
  const find: WallClock["find"] = (wall) => {
    const shown = toUtc(wall);
    const before = shown - shift(shown - DAY_MS);
    const fitting = [before, shown - shift(shown + DAY_MS)].filter((time) => toUtc(read(time)) === shown);
    return fitting.length > 0 ? Math.min(...fitting) : before;
  };
  const weekday = (time: number) => ((Math.floor(toUtc(read(time)) / DAY_MS) + 3) % 7) + 1;
  return {
    read,
    find,
    weekday,
    start(time, unit, units = 0) {
      const { year, month, day } = read(time);
      switch (unit) {
        case "day":
          return find({ year, month, day: day + units });
        case "week":
          return find({ year, month, day: day - weekday(time) + 1 + 7 * units });
        case "month":
          return find({ year, month: month + units, day: 1 });
        case "year":
          return find({ year: year + units, month: 1, day: 1 });
      }
    },
    back(time, unit, units) {
      const wall = read(time);
      const rest = time % 1_000;
      if (unit === "day" || unit === "week")
        return find({ ...wall, day: wall.day - units * (unit === "week" ? 7 : 1) }) + rest;
      const month = unit === "month" ? wall.month - units : wall.month;
      const year = unit === "year" ? wall.year - units : wall.year;
      const lastDay = new Date(toUtc({ year, month: month + 1, day: 0 })).getUTCDate();
      return find({ ...wall, year, month, day: Math.min(wall.day, lastDay) }) + rest;
    },
  };
}

/** As if the zone were UTC, which makes local times comparable and lets values overflow. */
function toUtc({ year, month, day, hour = 0, minute = 0, second = 0 }: Parameters<WallClock["find"]>[0]): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
