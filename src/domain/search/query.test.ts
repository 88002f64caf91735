import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQuery } from "./query.ts";

const EMPTY = parseQuery("");

describe("parseQuery", () => {
  it("takes a plain question as text", () => {
    const text = "What did I say about turtles earlier?";
    expect(parseQuery(text)).toEqual({ ...EMPTY, text });
  });

  it("reads the operators that people know from Discord", () => {
    expect(
      parseQuery(
        'harbour "tide table" from:sarah in:#general has:image mentions:@Mark after:2026-01-01 before:"last week"',
      ),
    ).toEqual({
      ...EMPTY,
      text: "harbour",
      phrases: ["tide table"],
      from: ["sarah"],
      in: ["#general"],
      mentions: ["@Mark"],
      has: ["image"],
      after: "2026-01-01",
      before: "last week",
    });
  });

  it("reads quoted names, whatever the case of the operator", () => {
    expect(parseQuery('FROM:"Sarah Lee" During:yesterday')).toEqual({
      ...EMPTY,
      from: ["Sarah Lee"],
      during: "yesterday",
    });
  });

  it("reads excluded words and operators", () => {
    expect(parseQuery('boat -sail -"old boat" -from:mark -has:link -in:random -mentions:<@5>')).toEqual({
      ...EMPTY,
      text: "boat",
      not: {
        words: ["sail"],
        phrases: ["old boat"],
        from: ["mark"],
        has: ["link"],
        in: ["random"],
        mentions: ["<@5>"],
      },
    });
  });

  it.each(["from:", "10:30", "a-b", "- x", "https://a.example/in:b", "-", "from: sarah"])(
    "takes %s as text",
    (text) => {
      expect(parseQuery(text)).toEqual({ ...EMPTY, text });
    },
  );

  it.each([
    ["has:everything", "has: everything"],
    ["-before:now", "before: now"],
    ['"', ""],
  ])("takes %s as the text %s", (text, words) => {
    expect(parseQuery(text)).toEqual({ ...EMPTY, text: words });
  });

  it("takes an unclosed quote as a phrase", () => {
    expect(parseQuery('say "good night')).toEqual({ ...EMPTY, text: "say", phrases: ["good night"] });
  });

  const piece = fc.oneof(
    fc.constantFrom("from:", "-from:", "has:link", "in:", "before:", '"', "-", " ", "word", "mentions:", "  ", ":"),
    fc.string({ unit: "binary", maxLength: 4 }),
  );
  const anything = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

  it("takes the last of two time operators of the same kind", () => {
    expect(parseQuery("before:monday tide before:friday")).toMatchObject({ text: "tide", before: "friday" });
  });

  it("loses no other word", () => {
    const isTimeRepeated = (text: string) => /\b(before|after|during):.*\b\1:/is.test(text);
    fc.assert(
      fc.property(anything, (text) => {
        fc.pre(!isTimeRepeated(text));
        const { text: words, phrases, not, ...operators } = parseQuery(text);
        const kept = JSON.stringify([words, phrases, not, operators]).toLowerCase();
        for (const word of text.match(/[a-z]{4,}/g) ?? []) expect(kept).toContain(word);
      }),
    );
  });
});
