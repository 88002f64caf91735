import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shownPart } from "./shown-part.ts";

/** What must be shown whole or not at all. */
const WHOLE = [
  ...["e.g. a boat", "3.5 metres", "Dr. Smith", "i.e. never", "https://example.org/a.b?c=d!e"],
  ...["**bold. Very bold**", "*slanted. So slanted*", "_under. Neath_", "__under. Lined__", "~~gone. Away~~"],
  ...["***both. At once***", "||secret. Yes||", "`a. B`", "``a ` b. C``", "[a link. Here](https://x.org/a_(b))"],
  ...["[m7]", "[m7, f2]", "【m7】", "snake_case_name", "5 * 3", "\\*starred"],
];
const BLOCKS = [
  "```ts\nconst a = 1. \nconst b;\n```",
  "| a. B | c |\n| - | - |\n| d. E | || |",
  "- one\n- two",
  "1. first",
];
const ENDS = [".", "!", "?", "…", "?!", "।", "؟", "**.**"];
const WIDE_ENDS = ["。", "！", "？", "。」"];
const CITED = ["", " [m7]", "[m7]", " [m7, f2]", "【m9】", "\n[m8]"];

interface Made {
  readonly text: string;
  /** Ranges in which the text must not end. */
  readonly whole: readonly (readonly [number, number])[];
  /** Where it may end. */
  readonly ends: ReadonlySet<number>;
}

const word = fc.constantFrom("Boat", "boat", "船", "лодка", "a", "it's");
const sentence = fc.record({
  kind: fc.constant("sentence" as const),
  pieces: fc.array(fc.oneof(word, fc.constantFrom(...WHOLE)), { minLength: 1, maxLength: 4 }),
  end: fc.constantFrom(...ENDS, ...WIDE_ENDS),
  cited: fc.constantFrom(...CITED),
});
const block = fc.record({ kind: fc.constant("block" as const), text: fc.constantFrom(...BLOCKS) });

/** A text of whole constructs, with the places at which it may be cut, known because it was put together from them. */
const made = fc.array(fc.oneof({ weight: 4, arbitrary: sentence }, block), { maxLength: 5 }).map((items): Made => {
  let text = "";
  const whole: [number, number][] = [];
  const ends = new Set<number>([0]);
  const add = (piece: string, isWhole: boolean) => {
    if (isWhole) whole.push([text.length, text.length + piece.length]);
    text += piece;
  };
  for (const item of items) {
    if (item.kind === "block") {
      if (text !== "") text += "\n";
      const start = text.length;
      add(item.text, !item.text.startsWith("-"));
      for (const [index] of [...item.text].entries()) if (item.text.charAt(index) === "\n") ends.add(start + index);
      ends.add(text.length);
      text += "\n";
      continue;
    }
    add("The", false);
    for (const piece of item.pieces) {
      text += " ";
      add(piece, piece.length > 6 || /[[【.*]/u.test(piece));
    }
    text += " x";
    const start = text.length;
    add(item.end, true);
    if (item.cited === "") ends.add(text.length);
    else {
      text += item.cited;
      whole.push([start, text.length]);
      ends.add(text.length);
    }
    text += WIDE_ENDS.includes(item.end) && item.cited === "" ? "" : " ";
  }
  return { text, whole, ends };
});

describe("the part of a growing answer that is shown", () => {
  it("ends after a whole sentence or line, and never within a construct, wherever the text stops", () => {
    fc.assert(
      fc.property(made, ({ text, whole, ends }) => {
        for (let length = 0; length <= text.length; length += 1) {
          const end = shownPart(text.slice(0, length)).trimEnd().length;
          expect(ends, `${JSON.stringify(text)} ends at ${end}: ${JSON.stringify(text.slice(0, end))}`).toContain(end);
          for (const [from, to] of whole)
            expect(end <= from || end >= to, JSON.stringify([text, text.slice(0, end)])).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("stays shown when the text grows, whatever is in it", () => {
    const anything = fc.array(fc.constantFrom(..."*_~|`[]()【】\\\n .!。a1[m7] **"), { maxLength: 60 });
    fc.assert(
      fc.property(
        fc.oneof(
          anything,
          made.map(({ text }) => [...text]),
        ),
        (pieces) => {
          let shown = "";
          for (let count = 0; count <= pieces.length; count += 1) {
            const text = pieces.slice(0, count).join("");
            const next = shownPart(text);
            expect(text.startsWith(next)).toBe(true);
            expect(next.startsWith(shown), JSON.stringify([text, shown, next])).toBe(true);
            shown = next;
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("is everything that was written once another sentence has begun", () => {
    fc.assert(
      fc.property(made, ({ text }) => {
        expect(shownPart(`${text.trimEnd()}\nX`).length).toBeGreaterThanOrEqual(text.trimEnd().length);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ["Boats float. They", "Boats float."],
    ["Boats float.", ""],
    ["It is 3.5 m, e.g. long. And", "It is 3.5 m, e.g. long."],
    ["See https://a.org/b.c?d. Then", "See https://a.org/b.c?d."],
    ["船在这里。船", "船在这里。"],
    ["「船。」船", "「船。」"],
    ["Yes. [m", ""],
    ["Yes. [m7] No", "Yes. [m7]"],
    ["Yes. 【m7", ""],
    ["Yes. **No. ", "Yes."],
    ["Yes. ||No. Maybe. ", "Yes."],
    ["Yes.\n```js\na. B\n", "Yes."],
    ["Yes.\n```js\na. B\n```\nC", "Yes.\n```js\na. B\n```"],
    ["Yes.\n| a | b |\n| c", "Yes."],
    ["One line\nan", "One line"],
  ])("of %j is %j", (text, shown) => {
    expect(shownPart(text)).toBe(shown);
  });
});
