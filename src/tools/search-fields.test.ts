import { describe, expect, it } from "vitest";
import { describeExamined } from "./search-fields.ts";

const NOW = Date.parse("2026-11-16T12:00:00.000Z");
const some = {
  coverage: { scanned: 1_011, from: "2026-08-01T00:00:00.000Z", to: "2026-11-16T11:00:00.000Z", complete: false },
  everything_since: "2026-11-11T14:05:10.000Z",
  further_back: true,
  older: "searched",
} as const;

describe("what a search says it has examined", () => {
  it("is everything since the latest of the channels' ends, and what Discord's search returned", () => {
    expect(describeExamined(some, NOW)).toBe(
      "Examined 1,011 messages: everything since 12 Nov, some channels further back; of older ones only what Discord's search returned.",
    );
  });

  it("names the minute where that is no longer ago than two days, the year where it is another, and never an earlier time", () => {
    const since = (everything_since: string) =>
      describeExamined({ ...some, everything_since, further_back: false, older: "unavailable" }, NOW);
    expect(since("2026-11-15T14:05:10.000Z")).toBe("Examined 1,011 messages: everything since 15 Nov 14:06 UTC.");
    expect(since("2026-11-16T00:00:00.000Z")).toBe("Examined 1,011 messages: everything since 16 Nov 00:00 UTC.");
    expect(since("2025-11-11T14:05:10.000Z")).toBe("Examined 1,011 messages: everything since 12 Nov 2025.");
  });

  it("makes no claim about a time where some channel was not examined at all", () => {
    const partly = { ...some, everything_since: null, further_back: false };
    expect(describeExamined(partly, NOW)).toBe(
      "Examined 1,011 messages, not of every channel; older ones by Discord's search.",
    );
    expect(describeExamined({ ...partly, coverage: { ...some.coverage, scanned: 1 } }, NOW)).toContain("1 message,");
  });

  it("is not said where everything was examined", () => {
    expect(describeExamined({ ...some, coverage: { ...some.coverage, complete: true } }, NOW)).toBeNull();
  });
});
