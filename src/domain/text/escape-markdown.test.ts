import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeMarkdown } from "./escape-markdown.ts";

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "boat ", "é", "漢", "👨‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "7", ". ", " ") },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "\\",
      "`",
      "**",
      "_",
      "~~",
      "||",
      "[",
      "](",
      ")",
      "<",
      ">",
      "#",
      "-",
      "-# ",
      "\n",
      "\u202e",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("<@1>", "<#22>", "<:wave:333>", "https://e.example/a_b", "1. ", "@everyone"),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
);
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("").toWellFormed());

/** As Discord reads a line: a backslash takes the meaning from the sign behind it. Signs that are left over may still have one. */
function read(line: string): { plain: string; meant: string } {
  let plain = "";
  let meant = "";
  for (let index = 0; index < line.length; index += 1) {
    const whole = /^(?:https:\/\/[^\s<>[\]()*`|\\⏎]+|<(?:@|#|@&)\d+>|<:wave:\d+>)/.exec(line.slice(index))?.[0];
    if (whole !== undefined) {
      plain += whole;
      index += whole.length - 1;
    } else if (line[index] === "\\") {
      index += 1;
      plain += line[index] ?? "";
    } else {
      plain += line[index];
      meant += line[index];
    }
  }
  return { plain, meant };
}

describe("escapeMarkdown", () => {
  it("leaves no formatting for Discord to act on, gives one line, and keeps every letter", () => {
    fc.assert(
      fc.property(text, (said) => {
        const shown = escapeMarkdown(said, 100_000);
        const { plain, meant } = read(shown);
        expect(meant).not.toMatch(/[\\`*_~|[\]<\n\u202e]/);
        expect(shown).not.toMatch(/^(?:[#>+-]|\d+\.)/);
        // Hangul has invisible letters; they are removed like all invisible characters.
        const letters = (one: string) => one.replace(/[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu, "");
        expect(letters(plain)).toBe(letters(said));
      }),
      { numRuns: 500 },
    );
  });

  it("keeps to the maximum length, cuts at the end, and marks the cut", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60 }), (said, room) => {
        const [whole, shown] = [escapeMarkdown(said, 100_000), escapeMarkdown(said, room)];
        expect(shown.length).toBeLessThanOrEqual(room);
        if (whole.length <= room) expect(shown).toBe(whole);
        else {
          expect(shown.endsWith("…")).toBe(true);
          expect(whole.startsWith(shown.slice(0, -1))).toBe(true);
          expect(read(shown).meant).not.toMatch(/[\\`*_~|[\]<]/);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("cuts between characters, and keeps URLs and mentions whole or not at all", () => {
    expect(escapeMarkdown("the 👨‍👩‍👧 boat", 8)).toBe("the …");
    expect(escapeMarkdown("see https://e.example/a_b now", 12)).toBe("see …");
    expect(escapeMarkdown("see <@123456> now", 10)).toBe("see …");
    expect(escapeMarkdown("see <@123456> now", 15)).toBe("see <@123456> …");
  });
});
