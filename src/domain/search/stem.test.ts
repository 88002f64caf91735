import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toStem } from "./stem.ts";

/** From the paper that describes the algorithm. */
const KNOWN = {
  caresses: "caress",
  ponies: "poni",
  cats: "cat",
  feed: "feed",
  agreed: "agre",
  plastered: "plaster",
  motoring: "motor",
  sing: "sing",
  conflated: "conflat",
  troubled: "troubl",
  hopping: "hop",
  falling: "fall",
  hissing: "hiss",
  filing: "file",
  happy: "happi",
  sky: "sky",
  relational: "relat",
  conditional: "condit",
  digitizer: "digit",
  operator: "oper",
  feudalism: "feudal",
  decisiveness: "decis",
  hopefulness: "hope",
  formaliti: "formal",
  electricity: "electr",
  goodness: "good",
  revival: "reviv",
  allowance: "allow",
  adjustment: "adjust",
  adoption: "adopt",
  effective: "effect",
  probate: "probat",
  rate: "rate",
  controll: "control",
  roll: "roll",
  generalizations: "gener",
  oscillators: "oscil",
};

describe("toStem", () => {
  it.each(Object.entries(KNOWN))("turns %s into %s", (word, stem) => {
    expect(toStem(word)).toBe(stem);
  });

  it("gives the forms of a word the same stem", () => {
    for (const forms of [
      ["migrate", "migrated", "migrating", "migration", "migrations"],
      ["turtle", "turtles"],
      ["decide", "decides", "decided", "deciding"],
    ])
      expect(new Set(forms.map(toStem)).size).toBe(1);
  });

  it("leaves words alone that have other characters than lower-case Latin letters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (word) => {
        if (!/^[a-z]*$/.test(word)) expect(toStem(word)).toBe(word);
      }),
    );
  });

  it("makes no word longer or empty", () => {
    const letters = fc.string({ unit: fc.constantFrom(..."abceilnostuyz"), minLength: 1 });
    fc.assert(
      fc.property(letters, (word) => {
        const stem = toStem(word);
        expect(stem.length).toBeGreaterThan(0);
        expect(stem.length).toBeLessThanOrEqual(word.length);
      }),
    );
  });
});
