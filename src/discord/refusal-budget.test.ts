import { expect, it } from "vitest";
import { RefusalBudget } from "./refusal-budget.ts";

it("the refusal budget blocks speculative lookups after 8,000 refusals and every request after 9,500, and gives the correct retry time", () => {
  let now = 1_800_000_000_000;
  const budget = new RefusalBudget({ now: () => now });
  for (let count = 0; count < 9_499; count += 1) budget.note();
  const refusalOf = (isCertain: boolean) => {
    try {
      budget.mustAllow(isCertain);
      return null;
    } catch (error) {
      return error as { code: string; retryAfter: number };
    }
  };
  expect(refusalOf(false)).toMatchObject({ code: "rate_limited" });
  expect(refusalOf(true)).toBeNull();
  budget.note();
  const refusal = refusalOf(true);
  expect(refusal).toMatchObject({ code: "rate_limited" });
  now += (refusal?.retryAfter ?? 0) * 1_000;
  expect(refusalOf(true)).toBeNull();
  expect(refusalOf(false)).toBeNull();
});
