import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TokenBucket } from "./limits.ts";

describe("a token bucket", () => {
  it("never grants more than its burst and its rate allow, whatever is requested when", () => {
    const asks = fc.array(
      fc.record({ wait: fc.integer({ min: 0, max: 500 }), cost: fc.integer({ min: 1, max: 12 }) }),
      {
        minLength: 1,
        maxLength: 100,
      },
    );
    fc.assert(
      fc.property(asks, (all) => {
        const clock = { at: 0, now: () => clock.at };
        const rate = { perSecond: 10, burst: 10 };
        const bucket = new TokenBucket(rate, clock);
        let passed = 0;
        for (const { wait, cost } of all) {
          clock.at += wait;
          const before = passed;
          if (bucket.take(cost) === 0) passed += cost;
          const allowed = rate.burst + (clock.at / 1000) * rate.perSecond;
          if (passed > before) expect(passed - Math.max(0, cost - rate.burst)).toBeLessThanOrEqual(allowed + 1e-6);
        }
      }),
    );
  });

  it("returns the exact time until the next request passes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 20 }), (taken, cost) => {
        const clock = { at: 0, now: () => clock.at };
        const bucket = new TokenBucket({ perSecond: 7, burst: 20 }, clock);
        for (let count = 0; count < taken; count += 1) bucket.take(1);
        const wait = bucket.take(cost);
        if (wait === 0) return;
        clock.at += wait * 1000 - 1;
        expect(bucket.take(cost)).toBeGreaterThan(0);
        clock.at += 1.001;
        expect(bucket.take(cost)).toBe(0);
      }),
    );
  });

  it("does not lose tokens when the clock goes back", () => {
    const clock = { at: 1_000, now: () => clock.at };
    const bucket = new TokenBucket({ perSecond: 1, burst: 2 }, clock);
    expect(bucket.take(1)).toBe(0);
    clock.at = 0;
    expect(bucket.take(1)).toBe(0);
    clock.at = 1_000;
    expect(bucket.take(1)).toBe(0);
  });
});
