import { describe, expect, it } from "vitest";
import type { MessageId } from "../../domain/ids.ts";
import { toRememberForm } from "./remember-this.ts";

const filledIn = (text: string) =>
  toRememberForm("1" as MessageId, text).fields.find(({ id }) => id === "value")?.value;

describe("the form of “Remember this”", () => {
  it("begins with as many whole words of a long message as fit", () => {
    expect(filledIn("halyard ".repeat(400))).toBe("halyard ".repeat(250).trim());
  });

  it("has the beginning of a long message without spaces, and no half of a character", () => {
    expect(filledIn("\u6f6e".repeat(2_500))).toBe("\u6f6e".repeat(2_000));
    expect(filledIn(`tides: ${"\u6f6e".repeat(2_500)}`)).toBe(`tides: ${"\u6f6e".repeat(1_993)}`);
    expect(filledIn(`x${"\u{1f6f6}".repeat(1_500)}`)).toBe(`x${"\u{1f6f6}".repeat(999)}`);
  });
});
