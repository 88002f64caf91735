import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitText } from "./split-text.ts";

const squeeze = (text: string) => text.replace(/```[\w+-]{0,20}/g, "").replace(/\s+/g, "");

describe("splitText", () => {
  it("leaves a short text alone", () => {
    expect(splitText("  hello\nthere ")).toEqual(["hello\nthere"]);
    expect(splitText(" \n ")).toEqual([]);
  });

  it("cuts between paragraphs, then lines, sentences and words", () => {
    expect(splitText(`${"a ".repeat(30)}\n\n${"b ".repeat(30)}`, 100)).toEqual([
      "a ".repeat(30).trim(),
      "b ".repeat(30).trim(),
    ]);
    expect(splitText("One two three. Four five six seven eight nine ten eleven.", 40)[0]).toBe(
      "One two three. Four five six seven",
    );
    expect(splitText(`${"x".repeat(20)}. ${"y".repeat(30)}`, 40)).toEqual([`${"x".repeat(20)}.`, "y".repeat(30)]);
  });

  it("keeps a code block whole where it can, and closes and reopens it where it cannot", () => {
    const words = "word ".repeat(12).trim();
    const block = "```ts\nconst a = 1;\nconst b = 2;\n```";
    expect(splitText(`${words}\n${block}`, 80)).toEqual([words, block]);
    const long = splitText(`\`\`\`ts\n${"line of code;\n".repeat(20)}\`\`\``, 100);
    expect(long.length).toBeGreaterThan(2);
    for (const part of long) expect(part).toMatch(/^```ts\n[\s\S]*\n```$/);
  });

  it("never tears a character, never exceeds the limit, never loses anything", () => {
    const word = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 30 }),
      fc.constantFrom("👩‍👩‍👧‍👦", "é", "\n", "\n\n", "```\ncode\n```\n", "x".repeat(90), "🇩🇪🇫🇷"),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 80 }), fc.integer({ min: 60, max: 200 }), (words, most) => {
        const text = words.join(" ").toWellFormed();
        const parts = splitText(text, most);
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(most);
          expect(part.isWellFormed()).toBe(true);
        }
        expect(squeeze(parts.join(" "))).toBe(squeeze(text));
      }),
      { numRuns: 1_000 },
    );
  });
});
