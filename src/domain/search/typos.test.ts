import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allowedTypos, createTypoCounter, typosBetween } from "./typos.ts";

/** All that one typo can make of a word. */
function typoOnce(word: string, letters: string): Set<string> {
  const made = new Set<string>();
  for (let at = 0; at <= word.length; at += 1) {
    const [left, right] = [word.slice(0, at), word.slice(at)];
    if (right.length > 0) made.add(left + right.slice(1));
    if (right.length > 1) made.add(`${left}${right[1]}${right[0]}${right.slice(2)}`);
    for (const letter of letters) {
      made.add(left + letter + right);
      if (right.length > 0) made.add(left + letter + right.slice(1));
    }
  }
  return made;
}

describe("typosBetween", () => {
  it.each([
    ["turtel", "turtl"],
    ["elction", "elect"],
    ["migratoin", "migrat"],
    ["recieving", "receiv"],
    ["kubernets", "kubernet"],
    ["ahrbour", "harbour"],
  ])("recognises the word that is meant by %s", (typed, stem) => {
    expect(typosBetween(typed, stem, allowedTypos(typed))).not.toBeNull();
  });

  it.each([
    ["planets", "plan"],
    ["harbour", "labour"],
    ["posters", "oyster"],
    ["migration", "mitigat"],
  ])("does not take %s for a form of %s", (typed, stem) => {
    expect(typosBetween(typed, stem, 1)).toBeNull();
  });

  it("allows no typo in short words", () => {
    expect(["boat", "owl", "tide"].map(allowedTypos)).toEqual([0, 0, 0]);
  });

  it("finds one typo wherever it is, except in the first letter", () => {
    const word = fc.string({ unit: fc.constantFrom(..."kpvw"), minLength: 4, maxLength: 7 });
    fc.assert(
      fc.property(word, (stem) => {
        for (const typed of typoOnce(stem, "kpvw")) {
          const typos = typosBetween(typed, stem, 1);
          if (typed[0] === stem[0]) expect(typos).toBe(typed === stem ? 0 : 1);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("finds two typos, and never more than were made", () => {
    const word = fc.string({ unit: fc.constantFrom(..."kpvwx"), minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(word, fc.nat(), fc.nat(), (stem, first, second) => {
        const once = [...typoOnce(stem.slice(1), "kpvwx")];
        const twice = [...typoOnce(once[first % once.length] ?? "", "kpvwx")];
        const typed = stem[0] + (twice[second % twice.length] ?? "");
        const typos = typosBetween(typed, stem, 3);
        expect(typos).not.toBeNull();
        // Changing between two letters that were swapped takes one typo more here.
        expect(typos).toBeLessThanOrEqual(3);
      }),
    );
  });

  it("counts each word alike, whatever was counted before it", () => {
    const word = fc.string({ unit: fc.constantFrom(..."kpi"), minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(
        word,
        fc.array(word, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: 3 }),
        (typed, stems, most) => {
          const counter = createTypoCounter(typed, most);
          for (const stem of stems) expect(counter(stem)).toBe(typosBetween(typed, stem, most));
        },
      ),
    );
  });
});
