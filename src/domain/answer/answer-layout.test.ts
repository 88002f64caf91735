import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnswerLayout, layOutAnswer } from "./answer-layout.ts";

const piece = fc.oneof(
  fc.constantFrom("A sentence. ", "船在这里。", "\n\n", "- a line\n"),
  fc.integer({ min: 1, max: 900 }).map((count) => `${"word ".repeat(count)}end. `),
  fc.integer({ min: 1, max: 1_200 }).map((count) => `\n\`\`\`js\n${"a = 1;\n".repeat(count)}\`\`\`\n`),
);
const pieces = fc.array(piece, { minLength: 1, maxLength: 12 });

describe("the messages of a growing answer", () => {
  it("are at most three of at most 2,000 characters, of which only the last one changes", () => {
    fc.assert(
      fc.property(pieces, (list) => {
        let layout: AnswerLayout | undefined;
        for (const count of list.keys()) {
          const next = layOutAnswer(list.slice(0, count + 1).join(""), layout);
          expect(next.parts.length).toBeLessThanOrEqual(3);
          for (const part of next.parts) {
            expect(part.length).toBeLessThanOrEqual(2_000);
            expect((part.match(/```/gu) ?? []).length % 2).toBe(0);
          }
          const before = layout?.parts ?? [];
          for (const [index, part] of before.entries()) {
            if (index < before.length - 1) expect(next.parts[index]).toBe(part);
            else expect(next.parts[index]?.startsWith(part)).toBe(true);
          }
          layout = next;
        }
      }),
      { numRuns: 150 },
    );
  });

  it("show all of the text, or say that it is longer", () => {
    fc.assert(
      fc.property(pieces, (list) => {
        let layout: AnswerLayout | undefined;
        for (const count of list.keys()) layout = layOutAnswer(list.slice(0, count + 1).join(""), layout);
        const bare = (text: string) => text.replaceAll(/```(?:js)?|\s/gu, "");
        const shown = bare(layout?.parts.join("") ?? "");
        if (layout?.isCut) expect(shown).toContain("longerthanIcanshowhere");
        else expect(shown).toBe(bare(list.join("")));
      }),
      { numRuns: 100 },
    );
  });

  it("are laid out anew when the text is another one", () => {
    const first = layOutAnswer("word ".repeat(900));
    expect(first.parts.length).toBeGreaterThan(1);
    expect(layOutAnswer("Something went wrong.", first).parts).toEqual(["Something went wrong."]);
  });
});
