import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance } from "./edit-distance.ts";

/** Straight from the definition: the last letters are kept, exchanged, swapped, or one of them goes. */
function define(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const [restA, restB] = [a.slice(0, -1), b.slice(0, -1)];
  const ways = [
    define(restA, restB) + (a.at(-1) === b.at(-1) ? 0 : 1),
    define(restA, b) + 1,
    define(a, restB) + 1,
    ...(a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1)
      ? [define(a.slice(0, -2), b.slice(0, -2)) + 1]
      : []),
  ];
  return Math.min(...ways);
}

const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });

describe("editDistance", () => {
  it("equals the definition of the distance, up to the limit", () => {
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 7 }), (a, b, most) => {
        expect(editDistance(a, b, most)).toBe(Math.min(define(a, b), most + 1));
      }),
      { numRuns: 500 },
    );
  });

  it("counts a swap of neighbouring letters as one edit", () => {
    expect(editDistance("sarha", "sarah", 3)).toBe(1);
    expect(editDistance("ca", "abc", 5)).toBe(3);
  });
});
