import { describe, expect, it } from "vitest";
import { toLocale } from "./date-order.ts";
import { readTime } from "./read-time.ts";

const now = Date.parse("2026-11-16T12:00:00Z");
const read = async (words: string, locale: string | null = null) => {
  const reading = await readTime(words, { now, zone: "UTC", locale: toLocale(locale) });
  if (reading?.kind !== "span") return reading;
  const [from, to] = [reading.span.from, reading.span.to].map((time) => new Date(time).toISOString().slice(0, 16));
  return { from, to, decided: reading.decided.map(({ written, day }) => `${written}=${day}`) };
};

describe("readTime", () => {
  it("reads words of several languages without a choice", async () => {
    const yesterday = { from: "2026-11-15T00:00", to: "2026-11-15T23:59", decided: [] };
    expect(await read("yesterday", "en-US")).toEqual(yesterday);
    expect(await read("gestern", "de")).toEqual(yesterday);
    expect(await read("2026-04-03", "en-US")).toMatchObject({ from: "2026-04-03T00:00", decided: [] });
  });

  it.each([
    ["3/4", "2026-04-03T00:00", "2026-04-03T23:59"],
    ["since 3/4", "2026-04-03T00:00", "2026-11-16T12:00"],
    ["before 3/4/2026", "1970-01-01T00:00", "2026-04-02T23:59"],
    ["from 3/4 to 13/4", "2026-04-03T00:00", "2026-04-13T23:59"],
    ["3/4 - 5/4", "2026-04-03T00:00", "2026-04-05T23:59"],
    ["3/4/2026 15:30", "2026-04-03T15:30", "2026-04-03T15:30"],
    ["since 3.4.", "2026-04-03T00:00", "2026-11-16T12:00"],
    ["３/４", "2026-04-03T00:00", "2026-04-03T23:59"],
  ])("reads the dates in %s by the locale", async (words, from, to) => {
    expect(await read(words, "en-GB")).toMatchObject({ from, to });
  });

  it("tells each date that the locale decided, and none that it did not", async () => {
    expect(await read("from 3/4 to 13/4", "en-GB")).toMatchObject({ decided: ["3/4=2026-04-03"] });
    expect(await read("from 3/4 to 5/6/2026", "en-US")).toMatchObject({
      decided: ["3/4=2026-03-04", "5/6/2026=2026-05-06"],
    });
    expect(await read("since 24.12.", "en-US")).toMatchObject({ from: "2025-12-24T00:00", decided: [] });
  });

  it("names both days of a date that nothing decides", async () => {
    const both = { kind: "ambiguous", written: "3/4", days: ["2026-04-03", "2026-03-04"] };
    expect(await read("3/4")).toEqual(both);
    expect(await read("since 3/4")).toEqual(both);
    expect(await read("3/4 until 13/5")).toEqual(both);
    expect(await read("since 13/4")).toMatchObject({ from: "2026-04-13T00:00" });
  });

  it.each(["3/4 of the crew", "3/4/26", "31/31", "3/4 hours ago", "x".repeat(101), "1/2/3/4", "15:30-11/12"])(
    "reads nothing into %s",
    async (words) => {
      for (const locale of [null, "en-US", "de"]) expect(await read(words, locale)).toBeNull();
    },
  );

  it("leaves the hours of a day as they are", async () => {
    expect(await read("3-5pm", "de")).toMatchObject({ from: "2026-11-15T15:00", decided: [] });
  });
});
