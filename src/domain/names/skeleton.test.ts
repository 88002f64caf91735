import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toSkeleton } from "./name-forms.ts";
import { createDisplayNames } from "./resolve-name.ts";

/** Inconspicuous variants of each letter: other scripts, width, style, small capitals, digits. */
const DISGUISES: Readonly<Record<string, readonly string[]>> = {
  a: ["а", "α", "Ꭺ", "ａ", "𝐚", "ᴀ", "á"],
  b: ["Ь", "Β", "𝓫", "ʙ"],
  c: ["с", "ϲ", "Ꮯ", "ｃ", "ᴄ"],
  e: ["е", "Ε", "Ꭼ", "ｅ", "𝖊", "ᴇ", "é"],
  h: ["һ", "Н", "հ", "Ꮋ", "ʜ"],
  i: ["і", "Ι", "l", "1", "I", "ı", "ɪ"],
  k: ["к", "Κ", "Ꮶ", "ᴋ"],
  l: ["I", "1", "ӏ", "ʟ", "|"],
  m: ["м", "Μ", "ᴍ", "rn"],
  n: ["Ν", "ո", "ɴ"],
  o: ["о", "ο", "օ", "0", "ｏ", "𝕠", "ᴏ", "ó"],
  p: ["р", "ρ", "Ꮲ", "ᴘ"],
  r: ["г", "ʀ", "𝗋"],
  s: ["ѕ", "Ѕ", "Ꮪ", "ꜱ"],
  t: ["т", "Τ", "Ꭲ", "ᴛ"],
  u: ["υ", "ս", "ᴜ", "ü"],
  v: ["ѵ", "ν", "ᴠ"],
  w: ["ԝ", "Ꮃ", "vv"],
  x: ["х", "χ"],
  y: ["у", "Υ", "ү", "ʏ"],
};
const INSERTIONS = ["", "", "", "\u200b", "\u2060", "\ufeff", "\u00ad", "\u0301", "\u{e0020}", " "];

/** A name, and the same in disguise. */
const disguised = fc
  .array(
    fc.record({
      letter: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz"),
      pick: fc.nat(20),
      isUpper: fc.boolean(),
      insertion: fc.constantFrom(...INSERTIONS),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((letters) => ({
    name: letters.map(({ letter }) => letter).join(""),
    twin: `${letters
      .map(({ letter, pick, isUpper, insertion }) => {
        const choices = [letter, isUpper ? letter.toUpperCase() : letter, ...(DISGUISES[letter] ?? [])];
        return (choices[pick % choices.length] ?? letter) + insertion;
      })
      .join("")} `,
  }));

describe("toSkeleton", () => {
  it("returns the same for a name and any look-alike of it", () => {
    fc.assert(
      fc.property(disguised, ({ name, twin }) => {
        expect(toSkeleton(twin), twin).toBe(toSkeleton(name));
      }),
      { numRuns: 3_000 },
    );
  });

  it("returns different skeletons for names that look different", () => {
    const names = [
      "Sarah",
      "Sara",
      "Mark",
      "Marc",
      "Bo",
      "Bob",
      "you",
      "your",
      "Марк",
      "Мария",
      "李雷",
      "韩梅",
      "राम",
      "रमा",
    ];
    expect(new Set(names.map(toSkeleton)).size).toBe(names.length);
  });
});

const NAMES = [
  "you",
  "Earshot",
  "Sarah",
  "sarah",
  "Ѕarah",
  "Sarah 2",
  "уou",
  "ＹＯＵ",
  "y0u",
  "Еarshot",
  "a,b",
  "a;b",
  "",
  " ",
];

describe("display names", () => {
  it("are unique, in any order of authors, and never equal that of the actor or the agent", () => {
    const author = fc.record({
      id: fc.nat(6).map(String),
      name: fc.oneof(
        fc.constantFrom(...NAMES),
        disguised.map(({ twin }) => twin),
      ),
    });
    fc.assert(
      fc.property(fc.array(author, { maxLength: 20 }), (authors) => {
        const names = createDisplayNames({
          agent: { id: "0" as never, name: "Earshot" },
          escape: (name) => name.trim() || "(no name)",
        });
        const holders = new Map<string, string>();
        for (const { id, name } of authors) {
          const shown = names.of({ id: id as never, name });
          expect(names.of({ id: id as never, name })).toBe(shown);
          const look = toSkeleton(shown);
          expect(holders.get(look) ?? id).toBe(id);
          holders.set(look, id);
        }
        expect(holders.has(toSkeleton("you"))).toBe(false);
        expect(holders.get(toSkeleton("Earshot")) ?? "0").toBe("0");
      }),
      { numRuns: 1_000 },
    );
  });
});
