import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { containsKeywords, foldBare, toKeywords } from "./keywords.ts";

const text = fc.string({ unit: "binary", maxLength: 40 });
const finds = (content: string, query: string) => containsKeywords(content, toKeywords(query));

/** Any part of a text, cut between letters. */
const partOf = (content: string, from: number, length: number) => [...content].slice(from, from + length).join("");

describe("keyword search", () => {
  it("finds every part of a text, in any script", () => {
    fc.assert(
      fc.property(text, fc.nat(40), fc.nat(40), (content, from, length) => {
        expect(finds(content, partOf(content, from, length))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("finds nothing that the text lacks once case and accents are removed", () => {
    fc.assert(
      fc.property(text, fc.string({ unit: "binary", maxLength: 3 }), fc.boolean(), (content, other, isPart) => {
        const query = isPart ? partOf(content, other.length, 3) : other;
        const words = query.split(/\s+/u).map(foldBare);
        if (finds(content, query)) expect(words.every((word) => foldBare(content).includes(word))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["The DEADLOCK is back", "lock"],
    ["Straße", "STRASSE"],
    ["ΟΔΟΣ", "οδος"],
    ["ΟΔΟΣΑ", "ΟΔΟΣ"],
    ["café au lait", "CAFE lait"],
    ["Ｆｕｌｌ ｗｉｄｔｈ", "full width"],
    ["İstanbul", "istanbul"],
    ["明日の会議は三時から", "会議"],
    ["회의는 내일", "내일"],
    ["ship it 🎉", "🎉"],
    ["ทดสอบระบบ", "ระบบ"],
  ])("in %o finds %o", (content, query) => {
    expect(finds(content, query)).toBe(true);
  });

  it.each([
    ["one two", "one three"],
    ["กน", "กิน"],
    ["hello", "hello!"],
  ])("in %o does not find %o", (content, query) => {
    expect(finds(content, query)).toBe(false);
  });

  it("takes no keyword from a query of only spaces or accents", () => {
    expect(toKeywords(" \u3000\n\u0301")).toEqual([]);
  });
});
