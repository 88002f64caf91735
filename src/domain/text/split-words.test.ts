import fc from "fast-check";
import { expect, it } from "vitest";
import { renderPieces, splitWords } from "./untrusted-block.ts";

it("a long text is shown whole, in pieces of which none is cut", () => {
  const word = fc.constantFrom("boat", "harbour", "x".repeat(700), "é", "end.");
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 200 }), (words) => {
      const text = words.join(" ");
      const shown = renderPieces(splitWords(text), "nonce");
      expect(shown.replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
    }),
  );
  expect(splitWords("  ")).toEqual([]);
});
