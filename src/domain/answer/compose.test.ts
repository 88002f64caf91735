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

it("an answer with its links fits into one message, by leaving out lines, never the small print", () => {
  const lines = Array.from({ length: 9 }, (_, index) => `${index} ${"x".repeat(180)} [m${index}]`);
  const text = composeAnswer("heading", lines, "-# small");
  const linked = text.replaceAll(
    /\[m(\d)\]/g,
    `[$1](<https://discord.com/channels/${"1".repeat(19)}/${"2".repeat(19)}/${"3".repeat(19)}>)`,
  );
  expect(linked.length).toBeLessThanOrEqual(1_900);
  expect(text.endsWith("-# small")).toBe(true);
  expect(text.split("\n")).toHaveLength(8);
});
