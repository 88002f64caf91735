import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toReactions } from "./to-reactions.ts";

describe("toReactions", () => {
  it("puts the most frequent first and leaves out reactions without an emoji", () => {
    const reactions = [
      { emoji: { id: null, name: "🐢" }, count: 1 },
      { emoji: { id: "123456789012345678", name: "wave" }, count: 4 },
      { emoji: { id: null, name: null }, count: 2 },
      { emoji: { id: null, name: "🎉" }, count: 0 },
    ];
    expect(toReactions({ reactions })).toEqual([
      { emoji: "<:wave:123456789012345678>", count: 4 },
      { emoji: "🐢", count: 1 },
    ]);
    expect(toReactions({})).toEqual([]);
    expect(toReactions(null)).toEqual([]);
  });

  it("returns at most twenty reactions, and never throws", () => {
    const reaction = fc.record({ emoji: fc.anything(), count: fc.anything() });
    const reactions = fc.oneof(fc.anything(), fc.array(reaction, { maxLength: 40 }));
    fc.assert(fc.property(reactions, (given) => toReactions({ reactions: given }).length <= 20));
    const many = Array.from({ length: 40 }, () => ({ emoji: { name: "🐢" }, count: 1 }));
    expect(toReactions({ reactions: many })).toHaveLength(20);
  });
});
