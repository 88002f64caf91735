import { expect, it } from "vitest";
import { RefusalBudget } from "./refusal-budget.ts";

it("the refusal budget holds back reads after 800 refusals and every request after 1,000, and gives the correct retry time", () => {
  let now = 1_800_000_000_000;
  const budget = new RefusalBudget({ now: () => now });
  for (let count = 0; count < 799; count += 1) budget.note();
  expect(() => budget.mustAllow(false)).not.toThrow();
  for (let count = 799; count < 999; count += 1) budget.note();
  const refusalOf = (isNeeded: boolean) => {
    try {
      budget.mustAllow(isNeeded);
      return null;
    } catch (error) {
      return error as { code: string; retryAfter: number };
    }
  };
  expect(refusalOf(false)).toMatchObject({ code: "unavailable" });
  expect(refusalOf(true)).toBeNull();
  budget.note();
  const refusal = refusalOf(true);
  expect(refusal).toMatchObject({ code: "unavailable" });
  now += (refusal?.retryAfter ?? 0) * 1_000;
  expect(refusalOf(true)).toBeNull();
  expect(refusalOf(false)).toBeNull();
});
