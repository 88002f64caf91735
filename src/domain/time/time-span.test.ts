import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toInstant, toSpan } from "./time-span.ts";

/** A Sunday afternoon. */
const NOW = Date.parse("2026-11-15T12:34:56.789Z");
const BERLIN = "Europe/Berlin";

/** In Berlin time, with the end as the moment after it; `now` if it ends now. */
function spoken(words: string, now = NOW): string | null {
  const span = toSpan(words, { now, zone: BERLIN });
  if (!span) return null;
  return `${shown(span.from)} – ${span.to === now ? "now" : shown(span.to + 1)}`;
}

function shown(time: number, zone = BERLIN): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" })
    .format(time)
    .replace(/:00$/, "")
    .replace(/ 00:00$/, "");
}

describe("toSpan", () => {
  it.each([
    ["today", "2026-11-15 – now"],
    ["Yesterday?", "2026-11-14 – 2026-11-15"],
    ["the day before yesterday", "2026-11-13 – 2026-11-14"],
    ["this morning", "2026-11-15 05:00 – 2026-11-15 12:00"],
    ["last night", "2026-11-14 18:00 – 2026-11-15 06:00"],
    ["yesterday evening", "2026-11-14 18:00 – 2026-11-15"],
    ["Monday morning", "2026-11-09 05:00 – 2026-11-09 12:00"],
    ["Sunday", "2026-11-15 – now"],
    ["last Sunday", "2026-11-08 – 2026-11-09"],
    ["last Tuesday", "2026-11-10 – 2026-11-11"],
    ["on fri", "2026-11-13 – 2026-11-14"],
    ["this week", "2026-11-09 – now"],
    ["last week", "2026-11-02 – 2026-11-09"],
    ["last weekend", "2026-11-07 – 2026-11-09"],
    ["last month", "2026-10-01 – 2026-11-01"],
    ["last year", "2025-01-01 – 2026-01-01"],
    ["past week", "2026-11-08 13:34:56 – now"],
    ["5 minutes", "2026-11-15 13:29:56 – now"],
    ["15 minutes", "2026-11-15 13:19:56 – now"],
    ["1 hour", "2026-11-15 12:34:56 – now"],
    ["the last hour", "2026-11-15 12:34:56 – now"],
    ["24h", "2026-11-14 13:34:56 – now"],
    ["past 3 days", "2026-11-12 13:34:56 – now"],
    ["in the last two weeks", "2026-11-01 13:34:56 – now"],
    ["half an hour", "2026-11-15 13:04:56 – now"],
    ["two hours ago", "2026-11-15 11:34:56 – 2026-11-15 12:34:56"],
    ["3 days ago", "2026-11-12 – 2026-11-13"],
    ["since Monday", "2026-11-09 – now"],
    ["since two weeks ago", "2026-11-01 13:34:56 – now"],
    ["since yesterday at noon", "2026-11-14 12:00 – now"],
    ["after yesterday", "2026-11-15 – now"],
    ["before yesterday", "1970-01-01 01:00 – 2026-11-14"],
    ["until yesterday", "1970-01-01 01:00 – 2026-11-15"],
    ["during March", "2026-03-01 – 2026-04-01"],
    ["between 3pm and 5pm yesterday", "2026-11-14 15:00 – 2026-11-14 17:00"],
    ["between 3 and 5pm yesterday", "2026-11-14 15:00 – 2026-11-14 17:00"],
    ["between 11 and 1pm on Monday", "2026-11-09 11:00 – 2026-11-09 13:00"],
    ["yesterday, from 9:30 to 11:00", "2026-11-14 09:30 – 2026-11-14 11:00"],
    ["between 10pm and 2am", "2026-11-14 22:00 – 2026-11-15 02:00"],
    ["between 3pm and 5pm", "2026-11-14 15:00 – 2026-11-14 17:00"],
    ["12pm – 2pm", "2026-11-15 12:00 – now"],
    ["Monday to Wednesday", "2026-11-09 – 2026-11-12"],
    ["between March and May", "2026-03-01 – 2026-06-01"],
    ["2026-10-01 to 2026-10-05", "2026-10-01 – 2026-10-06"],
    ["yesterday at 3 p.m.", "2026-11-14 15:00 – 2026-11-14 16:00"],
    ["9am on Monday", "2026-11-09 09:00 – 2026-11-09 10:00"],
    ["at 15:30", "2026-11-14 15:30 – 2026-11-14 15:31"],
    ["in March", "2026-03-01 – 2026-04-01"],
    ["December", "2025-12-01 – 2026-01-01"],
    ["March 2025", "2025-03-01 – 2025-04-01"],
    ["this November", "2026-11-01 – now"],
    ["last November", "2025-11-01 – 2025-12-01"],
    ["November 2nd", "2026-11-02 – 2026-11-03"],
    ["20 December", "2025-12-20 – 2025-12-21"],
    ["Monday 2 November", "2026-11-02 – 2026-11-03"],
    ["2 Nov 2025 at 3pm", "2025-11-02 15:00 – 2025-11-02 16:00"],
    ["2026", "2026-01-01 – now"],
    ["2026-10", "2026-10-01 – 2026-11-01"],
    ["2026-11-02", "2026-11-02 – 2026-11-03"],
    ["2026/11/02", "2026-11-02 – 2026-11-03"],
    ["2026-11-02 15:30", "2026-11-02 15:30 – 2026-11-02 15:31"],
    ["2026-11-02T15:30Z", "2026-11-02 16:30 – 2026-11-02 16:31"],
    ["2026-11-02T15:30:00-05:00", "2026-11-02 21:30 – 2026-11-02 21:30:01"],
    ["<t:1794700800:R>", "2026-11-15 01:00 – 2026-11-15 01:00:01"],
    ["2030-01-01", "2030-01-01 – 2030-01-02"],
    ["now", "2026-11-15 13:34:56 – now"],
  ])("parses %j", (words, expected) => {
    expect(spoken(words)).toBe(expected);
  });

  it.each(
    `the deadline|turtle|last|hour|week|soon|recently|since|since forever|between and|to|-|mondays|2/11|02.11.2026|2026-13|2026-02-30|
    February 30|Tuesday 2 November|25:00|13pm|3pm and|-5 minutes|0 minutes|few hours|99999999 years|March 99999|marching|yesterday or today|
    between Wednesday and Monday|yesterday last week|3pm yesterday at 4pm|<t:x>|<@123>|${"a".repeat(200)}|`
      .split("|")
      .map((words) => words.trim()),
  )("does not guess at %j", (words) => {
    expect(spoken(words)).toBeNull();
  });

  it.each(["tomorrow", "next week", "tonight", "this evening", "in 2 hours", "next Monday"])(
    "returns null for the future: %s",
    (words) => {
      expect(spoken(words)).toBeNull();
    },
  );

  it(`understands "last night" and "this morning" at two in the morning`, () => {
    const atTwo = Date.parse("2026-11-15T01:00:00Z");
    expect(spoken("last night", atTwo)).toBe("2026-11-14 18:00 – now");
    expect(spoken("this morning", atTwo)).toBe("2026-11-15 – now");
  });

  it("begins the day at midnight when it is midnight now", () => {
    const midnight = Date.parse("2026-11-14T23:00:00Z");
    expect(spoken("today", midnight)).toBe("2026-11-15 – now");
    expect(spoken("this morning", midnight)).toBe("2026-11-15 – now");
    expect(spoken("3pm", midnight)).toBe("2026-11-14 15:00 – 2026-11-14 16:00");
  });

  it("returns null for too deeply nested expressions", () => {
    expect(spoken("since since since since since since since since since since since since since Monday")).toBeNull();
    expect(spoken("between yesterday at 3pm and today at noon")).toBe("2026-11-14 15:00 – 2026-11-15 13:00");
  });

  it("gives days their true length when daylight saving time changes", () => {
    const hours = (words: string, now: string) => {
      const span = toSpan(words, { now: Date.parse(now), zone: BERLIN });
      return span && (span.to + 1 - span.from) / 3_600_000;
    };
    expect(hours("yesterday", "2026-03-30T10:00:00Z")).toBe(23);
    expect(hours("yesterday", "2026-10-26T10:00:00Z")).toBe(25);
    expect(hours("between 1am and 4am yesterday", "2026-10-26T10:00:00Z")).toBe(4);
    expect(hours("last week", "2026-10-26T10:00:00Z")).toBe(169);
    expect(hours("24 hours", "2026-10-26T00:00:00Z")).toBeCloseTo(24, 5);
    expect(hours("1 day", "2026-10-26T00:00:00Z")).toBeCloseTo(25, 5);
  });

  it("begins a day after midnight where clocks skip it", () => {
    const span = toSpan("2024-04-26", { now: NOW, zone: "Africa/Cairo" });
    expect(span && new Date(span.from).toISOString()).toBe("2024-04-25T22:00:00.000Z");
    expect(span && shown(span.from, "Africa/Cairo")).toBe("2024-04-26 01:00");
  });
});

describe("toInstant", () => {
  it.each([
    ["two weeks ago", "2026-11-01 13:34:56"],
    ["3 days ago", "2026-11-12 13:34:56"],
    ["yesterday", "2026-11-14"],
    ["2026-11-02 15:30", "2026-11-02 15:30"],
    ["last week", "2026-11-02"],
  ])("returns the start of %j", (words, expected) => {
    const time = toInstant(words, { now: NOW, zone: BERLIN });
    expect(time === null ? null : shown(time)).toBe(expected);
  });

  it("returns null for anything not understood", () => {
    expect(toInstant("the deadline", { now: NOW, zone: "UTC" })).toBeNull();
  });
});

const zones = fc.constantFrom(
  ...["UTC", BERLIN, "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Cairo"],
  ...["Pacific/Auckland", "Pacific/Honolulu", "Asia/Kathmandu", "Asia/Beirut"],
);
const times = fc.integer({ min: Date.parse("2015-01-05"), max: Date.parse("2030-12-30") });
const dateOf = (time: number, zone: string) => shown(time, zone).slice(0, 10);
const daysApart = (a: string, b: string) => (Date.parse(b) - Date.parse(a)) / 86_400_000;

describe("toSpan, in any time zone at any time,", () => {
  it("never returns the future for expressions of the past", () => {
    const unit = fc.constantFrom("second", "minutes", "hour", "days", "week", "months", "year");
    const words = fc.oneof(
      fc.constantFrom(
        "today",
        "yesterday",
        "this week",
        "last week",
        "this month",
        "last month",
        "this year",
        "last year",
      ),
      fc.constantFrom("this morning", "last night", "last weekend", "over the weekend", "Monday", "last Friday", "May"),
      fc.constantFrom("3pm", "between 3pm and 5pm", "between 11pm and 1am", "since noon", "since Thursday", "5 March"),
      fc.tuple(fc.integer({ min: 1, max: 40 }), unit).map(([count, name]) => `${count} ${name}`),
      fc.tuple(fc.integer({ min: 1, max: 40 }), unit).map(([count, name]) => `${count} ${name} ago`),
    );
    fc.assert(
      fc.property(words, times, zones, (said, now, zone) => {
        const span = toSpan(said, { now, zone });
        if (!span) throw new Error(`"${said}" is not understood`);
        expect(span.from).toBeLessThanOrEqual(span.to);
        expect(span.to).toBeLessThanOrEqual(now);
      }),
    );
  });

  it("returns for a day exactly the instants with that local date", () => {
    const named = fc.constantFrom(["yesterday", 1], ["the day before yesterday", 2], ["4 days ago", 4]) as fc.Arbitrary<
      [string, number]
    >;
    fc.assert(
      fc.property(named, times, zones, ([words, days], now, zone) => {
        const span = toSpan(words, { now, zone });
        if (!span) throw new Error("not understood");
        const date = dateOf(span.from, zone);
        expect(daysApart(date, dateOf(now, zone))).toBe(days);
        expect(dateOf(span.to, zone)).toBe(date);
        expect(dateOf(span.from - 1, zone)).not.toBe(date);
        expect(dateOf(span.to + 1, zone)).not.toBe(date);
      }),
    );
  });

  it("returns weeks of seven days that begin on Monday", () => {
    const weekday = (time: number, zone: string) =>
      new Intl.DateTimeFormat("en", { timeZone: zone, weekday: "long" }).format(time);
    fc.assert(
      fc.property(times, zones, (now, zone) => {
        const [last, current] = ["last week", "this week"].map((words) => toSpan(words, { now, zone }));
        if (!last || !current) throw new Error("not understood");
        expect(weekday(last.from, zone)).toBe("Monday");
        expect(daysApart(dateOf(last.from, zone), dateOf(last.to, zone))).toBe(6);
        expect(current.from).toBe(last.to + 1);
        expect(daysApart(dateOf(current.from, zone), dateOf(now, zone))).toBeLessThan(7);
      }),
    );
  });

  it("never throws, and never returns a negative span, for any text", () => {
    const word = fc.constantFrom(
      ..."last past this since until before between and to from 3pm 12:30 2 two days hour ago monday march 2026 - at on yesterday 2026-11-02".split(
        " ",
      ),
    );
    const said = fc.oneof(
      fc.array(word, { maxLength: 6 }).map((words) => words.join(" ")),
      fc.string({ unit: "grapheme", maxLength: 30 }),
    );
    fc.assert(
      fc.property(said, times, zones, (words, now, zone) => {
        const span = toSpan(words, { now, zone });
        if (span) expect(span.from).toBeLessThanOrEqual(span.to);
      }),
      { numRuns: 300 },
    );
  });
});
