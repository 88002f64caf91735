import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasRemovedWords } from "./text/quotes.ts";

describe("hasRemovedWords", () => {
  it.each([
    ["meet at five", "meet at six"],
    ["the code is 4711", "the code is"],
    ["the code is 4711", ""],
    ["yes 👍", "yes 👎"],
    ["明日は五時", "明日は六時"],
    ["ask <@123>", "ask <@124>"],
    ["100 €", "100"],
  ])("notices removed words: %s → %s", (before, after) => {
    expect(hasRemovedWords(before, after)).toBe(true);
  });

  it.each([
    ["meet at five", "Meet at FIVE!"],
    ["meet at five", "we meet at five, all of us"],
    ["meet, at five", "at five: meet"],
    ["", "anything"],
    ["ﬁve", "five"],
  ])("finds no removed words: %s → %s", (before, after) => {
    expect(hasRemovedWords(before, after)).toBe(false);
  });

  it("ignores any addition, and notices the removal of the only occurrence of any word", () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 1 }), fc.array(word), fc.nat(), (words, more, index) => {
        expect(hasRemovedWords(words.join(" "), [...more, ...words.toReversed()].join(", "))).toBe(false);
        const left = words.filter((_, each) => each !== index % words.length);
        expect(hasRemovedWords(words.join(" "), left.join(" "))).toBe(true);
      }),
    );
  });
});
