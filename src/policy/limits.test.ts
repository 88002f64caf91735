import { describe, expect, it } from "vitest";
import type { EarshotError } from "../domain/errors.ts";
import type { UserId } from "../domain/ids.ts";
import { Limits } from "./limits.ts";
import { rulesSchema } from "./rules.ts";

function arrive(limits: object) {
  let now = 1_000_000;
  const all = new Limits(rulesSchema.parse({ limits }), { now: () => now });
  return {
    limits: all,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const of = (actor: string) => actor as UserId;

describe("the rate limits", () => {
  it("let a person's calls through up to the maximum, and more as time passes", () => {
    const { limits, pass } = arrive({ callsPerMinute: { actor: 6 } });
    for (let count = 0; count < 6; count += 1) limits.take("calls", of("a"), 1);
    const refused = problemOf(() => limits.take("calls", of("a"), 1));
    expect(refused).toMatchObject({ code: "rate_limited", retryAfter: 10 });
    expect(refused?.message).toBe("Too many calls; try again in 10 seconds.");
    limits.take("calls", of("b"), 1);
    pass(9_999);
    expect(problemOf(() => limits.take("calls", of("a"), 1))).toBeDefined();
    pass(1);
    limits.take("calls", of("a"), 1);
  });

  it("let work that is already done go into debt, which blocks the next call until it is paid off", () => {
    const { limits, pass } = arrive({ scansPerMinute: { actor: 60 } });
    limits.take("scans", of("a"), 0);
    limits.spend("scans", of("a"), 90);
    expect(problemOf(() => limits.take("scans", of("a"), 0))).toMatchObject({ retryAfter: 30 });
    expect(problemOf(() => limits.take("scans", of("a"), 0))?.message).toContain("messages looked at");
    pass(30_000);
    limits.take("scans", of("a"), 0);
  });

  it("remember a person with a used-up budget while 20,000 others come and go", () => {
    const { limits, pass } = arrive({ callsPerMinute: { actor: 60 } });
    limits.take("calls", of("a"), 60);
    for (let index = 1; index < 20_000; index += 1) limits.take("calls", of(`p${index}`), 1);
    pass(1_000);
    limits.take("calls", of("newcomer"), 1);
    expect(problemOf(() => limits.take("calls", of("a"), 2))).toMatchObject({ code: "rate_limited" });
    limits.take("calls", of("a"), 1);
  });

  it("count calls, scans and summaries separately", () => {
    const { limits, pass } = arrive({ callsPerMinute: { actor: 1 }, summariesPerHour: { actor: 1 } });
    limits.take("calls", of("a"), 1);
    limits.take("summaries", of("a"), 1);
    limits.take("scans", of("a"), 1);
    pass(60_000);
    limits.take("calls", of("a"), 1);
    expect(problemOf(() => limits.take("summaries", of("a"), 1))?.message).toContain("summaries");
    pass(3_540_000);
    limits.take("summaries", of("a"), 1);
  });

  it("evict full buckets first when there are too many", () => {
    const { limits, pass } = arrive({ callsPerMinute: { actor: 2 } });
    for (let count = 0; count < 6_000; count += 1) limits.take("calls", of(`old${count}`), 1);
    pass(60_000);
    limits.take("calls", of("a"), 2);
    for (let count = 0; count < 18_000; count += 1) limits.take("calls", of(`new${count}`), 1);
    expect(problemOf(() => limits.take("calls", of("a"), 1))?.code).toBe("rate_limited");
  });

  it("evict the oldest bucket when there are 20,000 and none is full", () => {
    const { limits } = arrive({ callsPerMinute: { actor: 2 } });
    const take = (actor: string) => limits.take("calls", of(actor), 2);
    take("first");
    for (let count = 1; count < 20_000; count += 1) take(`p${count}`);
    expect(problemOf(() => take("first"))?.code).toBe("rate_limited");
    take("one more");
    take("first");
  });
});

function problemOf(run: () => void): EarshotError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error as EarshotError;
  }
}
