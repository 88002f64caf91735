import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toMark, Vocabulary } from "./vocabulary.ts";

const numbers = (vocabulary: Vocabulary, terms: readonly string[]) =>
  Uint32Array.from(terms, (term) => vocabulary.add(term));

describe("the vocabulary", () => {
  it("knows exactly the terms that are in use, each by a number of its own", () => {
    const step = fc.record({ terms: fc.uniqueArray(fc.constantFrom(..."abcdefgh")), isRelease: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const vocabulary = new Vocabulary();
        const held: { terms: readonly string[]; numbers: Uint32Array }[] = [];
        for (const { terms, isRelease } of steps) {
          const released = isRelease ? held.shift() : undefined;
          if (released) vocabulary.release(released.numbers);
          else {
            const retained = numbers(vocabulary, terms);
            vocabulary.retain(retained);
            held.push({ terms, numbers: retained });
          }
          const used = new Set(held.flatMap((each) => each.terms));
          expect(vocabulary.size).toBe(used.size);
          for (const each of held)
            for (const [index, term] of each.terms.entries()) expect(vocabulary.find(term)).toBe(each.numbers[index]);
          expect(new Set([...used].map((term) => vocabulary.find(term))).size).toBe(used.size);
        }
      }),
    );
  });

  it("finds what begins with a word, and what it may be a slip of", () => {
    const vocabulary = new Vocabulary();
    vocabulary.retain(numbers(vocabulary, ["harbour", "harbourmast", "turtl", "plan", toMark("from", "turtl")]));
    const similar = (word: string) => vocabulary.similar(word, word, 1).map(({ number }) => vocabulary.term(number));
    expect(similar("harbo")).toEqual(["harbour", "harbourmast"]);
    expect(similar("harbuor")).toEqual(["harbour"]);
    expect(similar("turtel")).toEqual(["turtl"]);
    expect(similar("planets")).toEqual([]);
  });

  it("grows beyond what it began with", () => {
    const vocabulary = new Vocabulary();
    const terms = Array.from({ length: 5_000 }, (_, index) => `term${index}`);
    const all = numbers(vocabulary, terms);
    vocabulary.retain(all);
    vocabulary.release(all.subarray(0, 4_999));
    expect(vocabulary.size).toBe(1);
    expect(vocabulary.term(vocabulary.find("term4999") ?? -1)).toBe("term4999");
  });
});
