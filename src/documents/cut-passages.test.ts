import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutPassages } from "./cut-passages.ts";

const cut = (...lines: string[]) =>
  cutPassages(lines.join("\n"), true).map(
    ({ headings, firstLine, lastLine, text }) => `${headings.join(" › ")} ${firstLine}-${lastLine}: ${text}`,
  );

describe("cutting a document", () => {
  it("gives each part the headings above it and its lines", () => {
    expect(
      cut("Welcome.", "# Workshop", "", "Two benches.", "## Booking ##", "Ask Ana.", "By noon.", "# Harbour", "x"),
    ).toEqual([
      " 1-1: Welcome.",
      "Workshop 4-4: Two benches.",
      "Workshop › Booking 6-7: Ask Ana.\nBy noon.",
      "Harbour 9-9: x",
    ]);
  });

  it("takes nothing in a code fence for a heading, whatever the fence looks like", () => {
    expect(
      cut("# A", "```sh", "# not a heading", "~~~", "```", "~~~~", "```", "# nor this", "~~~~ x", "~~~~~", "# B", "b"),
    ).toEqual(["A 2-10: ```sh\n# not a heading\n~~~\n```\n~~~~\n```\n# nor this\n~~~~ x\n~~~~~", "B 12-12: b"]);
    expect(cut("# A", "```", "# open to the end")).toEqual(["A 2-3: ```\n# open to the end"]);
  });

  it("knows underlined headings from rules, tables, lists and front matter", () => {
    expect(cut("---", "title: x", "---", "Harbour", "=======", "Text", "", "Rope", "----", "- a", "---", "b")).toEqual([
      " 1-3: ---\ntitle: x\n---",
      "Harbour 6-6: Text",
      "Harbour › Rope 10-12: - a\n---\nb",
    ]);
    expect(cut("#hashtag", "####### seven")).toEqual([" 1-2: #hashtag\n####### seven"]);
  });

  it("cuts plain text only where it is long", () => {
    expect(cutPassages("# no heading\nline", false)).toEqual([
      { headings: [], firstLine: 1, lastLine: 2, text: "# no heading\nline" },
    ]);
    const [first, second] = cutPassages(`${"a".repeat(900)}\n\n${"b".repeat(900)}`, false);
    expect([first?.lastLine, second?.firstLine, second?.text.length]).toEqual([1, 3, 900]);
  });

  it("loses no word, keeps every part short, and names the lines where its words stand", () => {
    const word = fc.constantFrom("#", "##", "---", "```", "~~~", "- item", "", " ", "boat", "x".repeat(1_500), "a b c");
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (lines) => {
        const cuts = cutPassages(lines.join("\n"), true);
        for (const { text, firstLine, lastLine } of cuts) {
          expect(text.length).toBeLessThanOrEqual(1_201);
          const there = lines.slice(firstLine - 1, lastLine).join("\n");
          expect(there).toContain(text);
        }
        const count = (text: string) => text.match(/boat|x/g)?.length ?? 0;
        // An underlined line is a heading.
        if (!lines.includes("---")) expect(count(cuts.map(({ text }) => text).join(""))).toBe(count(lines.join("\n")));
      }),
      { numRuns: 300 },
    );
  });
});
