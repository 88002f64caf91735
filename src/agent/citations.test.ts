import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../domain/message.ts";
import type { Citable } from "./answerer.ts";
import { beforeUnknownCitation, linkCitations, resolveCitations } from "./citations.ts";

const toSource = (handle: string): [string, Citable] => {
  const message = { message_id: handle, channel_id: "1", author: { id: "2" }, link: `https://x.org/${handle}` };
  return [handle, { kind: "message", message: message as unknown as Message }];
};
const sources = new Map(["m1", "m2", "m3"].map(toSource));

describe("citations of documents", () => {
  const where = "handbook › *Workshop* › [m1], lines 3–4";
  const passage: Citable = { kind: "passage", passageRef: "a/b", where };
  const all = new Map<string, Citable>([...sources, ["p1", passage]]);
  const shown = "(handbook › \\*Workshop\\* › \\[m1\\], lines 3–4)";

  it("say where the passage stands, in words that format nothing and cite nothing else", () => {
    expect(linkCitations("So it is. [p1]", all)).toMatchObject({
      text: `So it is. ${shown}`,
      passages: [{ passageRef: "a/b" }],
      ...{ cited: [], unknown: 0, isUncited: false },
    });
    expect(linkCitations("So it is [m1, p1].", all).text).toBe(`So it is [1](<https://x.org/m1>) ${shown}.`);
    expect(linkCitations("So it is [p1; m1].", all, "numbers").text).toBe(`So it is [1] ${shown}.`);
    expect(linkCitations("So it is [p2].", all)).toMatchObject({ text: "So it is.", unknown: 1 });
  });
});

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

  it("are missed at the beginning, also where nothing was read, but not in words of ours", () => {
    const uncited = resolveCitations("Nothing is cited.", sources);
    expect(uncited.text).toBe("Without a source: Nothing is cited.");
    expect(resolveCitations("Yes.", new Map()).text).toBe("Without a source: Yes.");
    expect(resolveCitations("Yes.", new Map(), { needsNoSource: true })).toMatchObject({
      text: "Yes.",
      isUncited: false,
    });
  });
});
