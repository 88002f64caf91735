import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isoTime } from "./read.ts";

/** By parsing and formatting alone. */
function slowly(value: string): string | null {
  const time = Date.parse(value);
  return Number.isNaN(time) || time < 0 || time > 253_402_300_799_999 ? null : new Date(time).toISOString();
}

const two = (most: number) => fc.integer({ min: 0, max: most }).map((number) => String(number).padStart(2, "0"));
/** Times as Discord writes them, with fields that go a little beyond what there is. */
const written = fc
  .tuple(fc.tuple(two(99), two(99)), two(14), two(33), two(25), two(61), two(61), fc.integer({ min: 0, max: 999_999 }))
  .map(([[century, year], month, day, hour, minute, second, micros]) => {
    const fraction = String(micros).padStart(6, "0");
    return `${century}${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}+00:00`;
  });
const damaged = fc
  .tuple(written, fc.nat(31), fc.constantFrom("", " ", "-", "x", "9", "٣", "Z"))
  .map(([time, at, other]) => time.slice(0, at) + other + time.slice(at + 1));

describe("isoTime", () => {
  it("parses Discord's time format exactly as Date does", () => {
    fc.assert(
      fc.property(fc.oneof(written, damaged), (time) => {
        expect(isoTime(time)).toBe(slowly(time));
      }),
      { numRuns: 5_000 },
    );
    expect(isoTime("2026-11-15T05:00:00.123456+00:00")).toBe("2026-11-15T05:00:00.123Z");
    expect(isoTime("2024-02-29T23:59:59.999999+00:00")).toBe("2024-02-29T23:59:59.999Z");
  });
});
