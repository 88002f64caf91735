import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Vocabulary } from "./vocabulary.ts";

const numbers = (vocabulary: Vocabulary, terms: readonly string[]) =>
  Uint32Array.from(terms, (term) => vocabulary.add(term));

describe("the vocabulary", () => {
  it("has exactly the terms in use, each with its own number", () => {
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

  it("keeps the number of every term that a hold may refer to, and only as long as the hold lasts", () => {
    const step = fc.record({
      terms: fc.uniqueArray(fc.constantFrom(..."abcdefgh"), { minLength: 1 }),
      kind: fc.constantFrom("retain", "release", "hold", "end"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const vocabulary = new Vocabulary();
        const used: Uint32Array[] = [];
        const holds: { readonly known: ReadonlyMap<string, number>; readonly end: () => void }[] = [];
        for (const { terms, kind } of steps) {
          const released = kind === "release" ? used.shift() : undefined;
          if (released) vocabulary.release(released);
          else if (kind === "retain") {
            const retained = numbers(vocabulary, terms);
            vocabulary.retain(retained);
            used.push(retained);
          } else if (kind === "hold") {
            const all = used.flatMap((each) => [...each]);
            const known = new Map(all.map((number) => [vocabulary.term(number), number]));
            holds.push({ known, end: vocabulary.hold() });
          } else if (kind === "end") holds.splice(terms.length % Math.max(1, holds.length), 1)[0]?.end();
          for (const { known } of holds)
            for (const [term, number] of known) {
              expect(vocabulary.find(term)).toBe(number);
              expect(vocabulary.term(number)).toBe(term);
            }
          if (holds.length === 0) expect(vocabulary.size).toBe(new Set(used.flatMap((each) => [...each])).size);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("grows beyond its initial capacity", () => {
    const vocabulary = new Vocabulary();
    const terms = Array.from({ length: 5_000 }, (_, index) => `term${index}`);
    const all = numbers(vocabulary, terms);
    vocabulary.retain(all);
    vocabulary.release(all.subarray(0, 4_999));
    expect(vocabulary.size).toBe(1);
    expect(vocabulary.term(vocabulary.find("term4999") ?? -1)).toBe("term4999");
  });
});
