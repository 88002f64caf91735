import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toRelativeTime } from "./relative-time.ts";

const NOW = Date.parse("2026-07-18T12:00:00.000Z");
const ago = (ms: number) => toRelativeTime(new Date(NOW - ms).toISOString(), NOW);
const HOUR = 3_600_000;

describe("toRelativeTime", () => {
  it("uses the largest unit that fits", () => {
    const said = [30_000, 60_000, 5 * 60_000, HOUR, 30 * HOUR, 8 * 24 * HOUR, 40 * 24 * HOUR, 800 * 24 * HOUR].map(ago);
    expect(said).toEqual([
      "now",
      "1 minute ago",
      "5 minutes ago",
      "1 hour ago",
      "1 day ago",
      "1 week ago",
      "1 month ago",
      "2 years ago",
    ]);
  });

  it("tolerates a clock that is ahead, and says when a time is unknown", () => {
    expect(ago(-20_000)).toBe("now");
    expect(ago(-2 * HOUR)).toBe("in 2 hours");
    expect(toRelativeTime("soon", NOW)).toBe("time unknown");
  });

  it("never rounds up", () => {
    const lengths: Record<string, number> = { minute: 1 / 60, hour: 1, day: 24, week: 168, month: 730.56, year: 8_766 };
    fc.assert(
      fc.property(fc.integer({ min: 60_000, max: 20 * 365 * 24 * HOUR }), (ms) => {
        const [, count = "", unit = ""] = /^(\d+) ([a-z]+?)s? ago$/.exec(ago(ms)) ?? [];
        const hours = Number(count) * (lengths[unit] ?? Number.NaN);
        expect(hours).toBeLessThanOrEqual(ms / HOUR + 1e-9);
        expect(hours).toBeGreaterThan(ms / HOUR / 2);
      }),
    );
  });
});
