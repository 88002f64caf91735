import { describe, expect, it } from "vitest";
import { toNumericDate } from "./numeric-date.ts";

const at = { now: Date.parse("2026-11-16T12:00:00Z"), zone: "UTC" };
const read = (words: string) => {
  const date = toNumericDate(words, at);
  return date?.kind === "span" ? new Date(date.span.from).toISOString().slice(0, 10) : (date?.days ?? null);
};

describe("dates in numbers", () => {
  it.each([
    ["24/12/2025", "2025-12-24"],
    ["12/24/2025", "2025-12-24"],
    ["24.12.", "2025-12-24"],
    ["3.4.2026", "2026-04-03"],
    ["15-10", "2026-10-15"],
    ["5/5/2026", "2026-05-05"],
  ])("%s is %s, because it can be read in one way only", (words, day) => {
    expect(read(words)).toBe(day);
  });

  it("that can be read in two ways are both of them", () => {
    expect(read("3/4/2026")).toEqual(["2026-04-03", "2026-03-04"]);
    expect(read("11-12")).toEqual(["2025-12-11", "2026-11-12"]);
  });

  it.each(["31/31/2026", "30.2.2026", "2026-11-02", "3", "3/4/26", "a/b"])("%s is none of them", (words) => {
    expect(read(words)).toBeNull();
  });
});
