import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../domain/text/tokens.ts";
import { Conversation, cutResult, cutWords } from "./conversation.ts";

const words = (count: number, word = "tide") => Array.from({ length: count }, () => word).join(" ");
const call = (id: string) => ({ id, tool: "search_messages", args: { query: "tide" } });

function begun() {
  return new Conversation({ context: [words(100, "fact"), words(100, "window")], question: "When?", pictures: [] });
}

describe("a conversation with a model", () => {
  it("puts what is remembered and said before the question, in one turn", () => {
    const { turns } = begun();
    expect(turns).toHaveLength(1);
    expect(turns[0]?.text).toMatch(/^fact[\s\S]*window[\s\S]*When\?$/);
  });

  it("leaves out old results to which nothing refers before those that are referred to, and never the newest", () => {
    const conversation = begun();
    conversation.addStep({ text: "", calls: [call("a"), call("b")] });
    conversation.addResult(call("a"), `m1: ${words(200)}`);
    conversation.addResult(call("b"), `m2: ${words(200)}`);
    conversation.addStep({ text: "As m2 says", calls: [call("c")] });
    conversation.addResult(call("c"), `m3: ${words(200)}`);
    expect(conversation.fit(conversation.tokens - 10)).toBe(true);
    const told = conversation.turns.map(({ text }) => text).join("\n");
    expect(told).not.toContain("m1:");
    expect(told).toContain("m2:");
    expect(told).toContain("m3:");
    expect(conversation.fit(conversation.tokens - 10)).toBe(true);
    expect(conversation.turns.map(({ text }) => text).join("\n")).not.toContain("m2: ");
  });

  it("leaves out what was shown unasked last, the facts first", () => {
    const conversation = begun();
    expect(conversation.fit(conversation.tokens - 10)).toBe(true);
    expect(conversation.turns[0]?.text).not.toContain("fact");
    expect(conversation.turns[0]?.text).toContain("window");
    expect(conversation.fit(3)).toBe(false);
    expect(conversation.turns[0]?.text).toBe("When?");
  });

  it("never says that it has room for more than it was given", () => {
    const results = fc.array(fc.record({ id: fc.uuid(), length: fc.nat(300), refers: fc.nat(5) }), { maxLength: 8 });
    fc.assert(
      fc.property(results, fc.nat(2_000), (all, room) => {
        const conversation = begun();
        for (const [index, { id, length, refers }] of all.entries()) {
          conversation.addStep({ text: `see m${refers}`, calls: [call(id)] });
          conversation.addResult(call(id), `m${index}: ${words(length)}`);
        }
        const fits = conversation.fit(room);
        expect(fits).toBe(conversation.tokens <= room);
        expect(conversation.turns).toHaveLength(1 + 2 * all.length);
      }),
    );
  });
});

describe("a result that is too long", () => {
  it("loses lines, and keeps the one that closes its block", () => {
    const text = [
      "⟦untrusted 7f⟧",
      ...Array.from({ length: 50 }, (_, index) => `m${index}: ${words(10)}`),
      "⟦end 7f⟧",
      "A note.",
    ];
    const cut = cutResult(text.join("\n"), 200);
    expect(estimateTokens(cut)).toBeLessThanOrEqual(200);
    expect(cut).toMatch(/^⟦untrusted 7f⟧\nm0: [\s\S]*\n⟦end 7f⟧\n\(The rest was left out/);
  });

  it("is cut within its room, whatever it says", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 500 }), fc.integer({ min: 8, max: 300 }), (text, room) => {
        expect(estimateTokens(cutWords(text, room))).toBeLessThanOrEqual(room);
      }),
    );
  });
});
