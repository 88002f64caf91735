import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../domain/message.ts";
import type { Source } from "./answerer.ts";
import { beforeUnknownCitation, linkCitations, resolveCitations, uncitedAtEnd } from "./citations.ts";

const toSource = (handle: string): [string, Source] => {
  const message = { message_id: handle, channel_id: "1", author: { id: "2" }, link: `https://x.org/${handle}` };
  return [handle, { kind: "message", message: message as unknown as Message }];
};
const sources = new Map(["m1", "m2", "m3"].map(toSource));

describe("citations in a text that grows", () => {
  it("keep their numbers, whatever follows", () => {
    const piece = fc.constantFrom("A sentence.", " [m1]", " [m2, m3]", "【m3】", " [m1; m2]", " More.");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const whole = linkCitations(pieces.join(""), sources);
        for (const count of pieces.keys()) {
          const part = linkCitations(pieces.slice(0, count).join(""), sources);
          expect(whole.text.startsWith(part.text)).toBe(true);
          expect(whole.cited.slice(0, part.cited.length)).toEqual(part.cited);
        }
      }),
    );
  });

  it("are held back from the first one on that stands for nothing known yet", () => {
    expect(beforeUnknownCitation("One. [m1] Two. [m9] Three. [m2]", sources)).toBe("One. [m1] Two.");
    expect(beforeUnknownCitation("One. [m1, m9]", sources)).toBe("One.");
    expect(beforeUnknownCitation("One. \\[m9]", sources)).toBe("One. \\[m9]");
  });

  it("are missed at the beginning, or at the end where the beginning is visible already", () => {
    const uncited = resolveCitations("Nothing is cited.", sources);
    expect(uncited.text).toBe("Without a source: Nothing is cited.");
    expect(uncitedAtEnd(uncited)).toBe("Nothing is cited.\n-# Without a source.");
    expect(uncitedAtEnd(resolveCitations("Yes.", new Map()))).toBe("Yes.");
  });
});
