import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countPace } from "../../../test/support/counted-pace.ts";
import { runAtOnce, UNITS_PER_STEP, UNPACED } from "../steps/pace.ts";
import type { Fact } from "./fact.ts";
import { rankFacts } from "./rank-facts.ts";

const fact = (name: string, value: unknown, createdAt = 1): Fact =>
  ({ id: `${name}/${JSON.stringify(value)}/${createdAt}`, name, value, createdAt }) as Fact;
const rank = (query: string, facts: readonly Fact[]) => runAtOnce(rankFacts(query, facts, UNPACED));
const ranked = (query: string, facts: readonly Fact[]) => rank(query, facts).map(({ name }) => name);

describe("ranking facts", () => {
  it("finds those that share a word with the query, in any form of the word, and no others", () => {
    const facts = [fact("boat", "two sails"), fact("city", "Berlin"), fact("allergy", ["nuts", "sailing"])];
    expect(ranked("is she sailing?", facts).sort()).toEqual(["allergy", "boat"]);
    expect(ranked("elephant", facts)).toEqual([]);
    expect(ranked("", facts)).toEqual([]);
  });

  it("puts a name before a value, a rare word before a common one, and the newest first of equals", () => {
    expect(ranked("tide", [fact("note", "tide"), fact("tide", "high")])).toEqual(["tide", "note"]);
    const many = [fact("a", "harbour"), fact("b", "harbour"), fact("c", "harbour"), fact("d", "heron")];
    expect(ranked("harbour heron", many)[0]).toBe("d");
    expect(ranked("heron", [fact("old", "heron", 1), fact("new", "heron", 2)])).toEqual(["new", "old"]);
  });

  it("does not depend on the order in which facts are given", () => {
    const word = fc.constantFrom("tide", "heron", "boat", "harbour", "mast");
    const some = fc.uniqueArray(fc.record({ name: word, value: fc.array(word, { maxLength: 4 }), at: fc.nat(3) }), {
      selector: ({ name, value, at }) => `${name} ${value.join()} ${at}`,
      maxLength: 12,
    });
    fc.assert(
      fc.property(some, fc.array(word, { minLength: 1, maxLength: 3 }), fc.nat(), (list, query, seed) => {
        const facts = list.map(({ name, value, at }) => fact(name, value, at));
        const rotated = [
          ...facts.slice(seed % Math.max(1, facts.length)),
          ...facts.slice(0, seed % Math.max(1, facts.length)),
        ];
        const ids = (given: readonly Fact[]) => rank(query.join(" "), given).map(({ id }) => id);
        expect(ids(rotated)).toEqual(ids(facts));
      }),
    );
  });

  it("pauses over many, and ranks the same", async () => {
    const facts = Array.from({ length: 2_000 }, (_, at) => fact(`boat ${at}`, `berth ${at % 7} by the mast ${at}`, at));
    const counted = countPace();
    const pace = counted.openPace(() => {});
    const found = await pace.run(rankFacts("berth 5 by the mast", facts, pace));
    expect(counted.pauses()).toBeGreaterThan(1);
    expect(counted.maxStep()).toBeLessThan(2 * UNITS_PER_STEP);
    expect(found).toEqual(rank("berth 5 by the mast", [...facts]));
    const before = counted.total();
    await pace.run(rankFacts("berth 5 by the mast", facts, pace));
    // Splitting and stemming is done once.
    expect(counted.total() - before).toBeLessThan(before / 2);
  });
});
