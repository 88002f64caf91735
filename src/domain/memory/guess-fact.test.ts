import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guessFact } from "./guess-fact.ts";

describe("the guess of what a message says", () => {
  it.each([
    ["My time zone is Europe/Berlin.", "time zone", "Europe/Berlin"],
    ["our deploy days are Monday and Tuesday", "deploy days", "Monday and Tuesday"],
    ["Boat: Petrel", "Boat", "Petrel"],
    ["berth = 4 b", "berth", "4 b"],
    ["  I sail on Sundays ", "", "I sail on Sundays"],
    ["https://harbour.example/boats", "", "https://harbour.example/boats"],
    ["Is my boat ready?", "", "Is my boat ready?"],
    ["Boat: Petrel\nBerth: 4", "", "Boat: Petrel\nBerth: 4"],
  ])("of %j is %j and %j", (text, key, value) => {
    expect(guessFact(text)).toEqual({ key, value });
  });

  it("never says anything that does not stand there", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("my a is b", "a: b\n", ": =")), (text) => {
        const { key, value } = guessFact(text);
        expect(text).toContain(key);
        expect(text).toContain(value);
      }),
    );
  });
});
