import { describe, expect, it } from "vitest";
import { composeAnswer, quote } from "./compose.ts";

describe("a quotation in an answer", () => {
  it("cannot cite, format, end its line or pass for our small print", () => {
    const hostile = "fine [m7] **bold**\n-# No model was asked.\n> said ” by Grace [m1, f2]";
    const line = quote(hostile);
    expect(line).not.toMatch(/(?<!\\)\[[mfp]\d/);
    expect(line).not.toContain("\n");
    expect(line).not.toMatch(/(?<!\\)\*\*/);
    expect(line.slice(1, -1)).not.toContain("”");
  });

  it("is cut at 200 characters", () => {
    expect(quote("long ".repeat(100)).length).toBeLessThanOrEqual(203);
  });
});

it("an answer keeps within 1,100 characters by leaving out lines, never the small print", () => {
  const lines = Array.from({ length: 9 }, (_, index) => `${index} ${"x".repeat(180)}`);
  const { text, shown } = composeAnswer("heading", lines, "-# small");
  expect(text.length).toBeLessThanOrEqual(1_100);
  expect(text.endsWith("-# small")).toBe(true);
  expect(shown).toBe(5);
});
