import { describe, expect, it } from "vitest";
import { defangLinks, extractLinksWithTrimmed } from "../../src/domain/text/links.ts";
import { splitText } from "../../src/domain/text/split-text.ts";
import { LONG_TEXTS } from "../support/long-texts.ts";

/** Discord's own rule for bare links, as its clients have it: independent of ours. */
const AUTO = /(?:https?|steam|discord):\/\/[^\s<]+[^<.,:;"'\]\s]/g;
const MASKED = /\]\(\s*<?((?:https?|steam|discord):\/\/[^\s)>]*)/g;

function live(text: string): string[] {
  const bare = [...text.matchAll(AUTO)].map(([link]) => {
    const opened = link.split("(").length - 1;
    const closed = link.split(")").length - 1;
    return closed > opened
      ? link.replace(/\)+$/, ")".repeat(Math.max(0, (link.match(/\)+$/)?.[0].length ?? 0) - (closed - opened))))
      : link;
  });
  return [...bare, ...[...text.matchAll(MASKED)].map(([, link]) => link ?? "")];
}

let seed = 7;
const random = (most: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed % most;
};
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;

const SOURCE =
  "see https://ok.example/path/one and https://ok.example/two?x=1 and [a](https://ok.example/three) <https://ok.example/four>";
const known = new Set(extractLinksWithTrimmed(SOURCE));
const BITS = [
  "https://ok.example/path/one",
  "https://ok.example/two?x=1",
  "https://ok.example/three",
  "https://ok.example/four",
  "https://evil.example/",
  "http://evil.example?q=",
  "https://",
  "http:",
  "//",
  "/",
  "evil.example",
  "ok.example",
  "```",
  "```js\n",
  "`",
  "**",
  "||",
  "~~",
  "_",
  "[",
  "](",
  ")",
  "(",
  "<",
  ">",
  "\n",
  "\n\n",
  " ",
  "  ",
  ".",
  ",",
  ":",
  ";",
  "'",
  '"',
  "\\",
  "a",
  "word",
  "\u200b",
  "\u00a0",
  "\u3000",
  "hxxps://",
  "HTTPS://",
  "hTtp://",
  "discord.gg/",
  "abc",
  "steam://run/",
  "@",
  "#",
  "[x](",
  "[x]( ",
  "]( <",
  "…",
  "。",
];

describe("outgoing texts", () => {
  it("contain no live link that is in no source, in any part", () => {
    const bad: unknown[] = [];
    for (let round = 0; round < 4_000 && bad.length < 5; round += 1) {
      const length = 1 + random(14);
      const head =
        random(3) === 0
          ? ""
          : pick([
              "x".repeat(1_960 + random(45)),
              "word ".repeat(392 + random(9)),
              `\`\`\`\n${"x ".repeat(970 + random(30))}`,
            ]);
      const text =
        head +
        Array.from({ length }, () => pick(BITS)).join("") +
        (random(4) === 0 ? " tail ".repeat(random(400)) : "");
      const frozen = defangLinks(text, (link) => known.has(link));
      for (const part of splitText(frozen)) {
        const found = live(part).filter(
          (link) => !known.has(link) && !/^(?:https?|steam|discord):\/\/[^\p{L}\p{N}]*$/iu.test(link),
        );
        if (found.length > 0 || part.length > 2_000)
          bad.push({ text: text.slice(-200), part: part.slice(-200), found, length: part.length });
      }
    }
    expect(bad).toEqual([]);
  });

  it("stay complete and free of live links, even long texts crafted to be slow", () => {
    for (const text of LONG_TEXTS) {
      const parts = splitText(defangLinks(text, (link) => known.has(link)));
      expect(parts.filter((part) => part.length > 2_000)).toEqual([]);
      expect(parts.join("")).not.toContain("https://evil.example");
    }
  });
});
