import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defangLinks, extractLinks } from "./links.ts";
import { isMessageLink } from "./message-link.ts";
import { splitText } from "./split-text.ts";

const squeeze = (text: string) => text.replace(/```[\w+-]{0,20}/g, "").replace(/\s+/g, "");

describe("splitText", () => {
  it("does not split a short text", () => {
    expect(splitText("  hello\nthere ")).toEqual(["hello\nthere"]);
    expect(splitText(" \n ")).toEqual([]);
  });

  it("splits between paragraphs, then lines, sentences and words", () => {
    expect(splitText(`${"a ".repeat(30)}\n\n${"b ".repeat(30)}`, 100)).toEqual([
      "a ".repeat(30).trim(),
      "b ".repeat(30).trim(),
    ]);
    expect(splitText("One two three. Four five six seven eight nine ten eleven.", 40)[0]).toBe(
      "One two three. Four five six seven",
    );
    expect(splitText(`${"x".repeat(20)}. ${"y".repeat(30)}`, 40)).toEqual([`${"x".repeat(20)}.`, "y".repeat(30)]);
  });

  it("keeps a code block in one part if it fits, and otherwise closes and reopens it", () => {
    const words = "word ".repeat(12).trim();
    const block = "```ts\nconst a = 1;\nconst b = 2;\n```";
    expect(splitText(`${words}\n${block}`, 80)).toEqual([words, block]);
    const long = splitText(`\`\`\`ts\n${"line of code;\n".repeat(20)}\`\`\``, 100);
    expect(long.length).toBeGreaterThan(2);
    for (const part of long) expect(part).toMatch(/^```ts\n[\s\S]*\n```$/);
  });

  it("never splits a character, never exceeds the limit, never loses text", () => {
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

const linkOf = (length: number) => `https://known.example/${"p".repeat(length - 22)}`;
const MESSAGE = "https://discord.com/channels/1/2/3";

describe("splitText with links", () => {
  it("splits before a link, never within it, whatever markdown surrounds it", () => {
    for (const dressed of [
      (link: string) => link,
      (link: string) => `[read this](${link})`,
      (link: string) => `**<${link}>**`,
    ]) {
      for (const length of [100, 900, 1_500, 1_900, 1_970]) {
        const whole = dressed(linkOf(length));
        const parts = splitText(`${"word ".repeat(300)}${whole} ${"word ".repeat(300)}`);
        expect(parts.filter((part) => part.includes(whole))).toHaveLength(1);
        expect(parts.flatMap(extractLinks).every((link) => link === linkOf(length))).toBe(true);
      }
    }
  });

  it("puts a link of maximum length into a message of its own, and defangs a longer one", () => {
    expect(splitText(`hello ${linkOf(2_000)} bye`)).toEqual(["hello", linkOf(2_000), "bye"]);
    const known = linkOf(2_001);
    const frozen = defangLinks(`hello ${known} bye`, (link) => link === known);
    expect(extractLinks(frozen)).toEqual([]);
    expect(splitText(frozen).flatMap(extractLinks)).toEqual([]);
  });

  it("keeps the text of a link together with its URL", () => {
    const masked = '[the tide table of the harbour office](https://known.example/tides "a title")';
    expect(splitText(`${"x ".repeat(40)}${masked} and more`, 110)).toContainEqual(expect.stringContaining(masked));
  });

  const known = [
    "https://known.example/",
    linkOf(40),
    linkOf(150),
    "https://known.example/a_(b)",
    linkOf(1_990),
    linkOf(2_300),
  ];
  const piece = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        ...known,
        MESSAGE,
        "https://evil.example/x",
        `https://evil.example/${"x".repeat(300)}`,
      ),
    },
    { weight: 4, arbitrary: fc.constantFrom(" ", "\n", "\n\n", ". ", "\u3000", "\t") },
    { weight: 3, arbitrary: fc.constantFrom("word", "word ".repeat(30), "x".repeat(90), "x".repeat(1_000)) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        "```\n",
        "\n```\n",
        "```ts\n",
        "**",
        "||",
        "`",
        "_",
        "<",
        ">",
        "[text](",
        "[",
        "](",
        ")",
        "(",
      ),
    },
  );
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));

  it("leaves only known links, verbatim, and links to messages", () => {
    const isKnown = (link: string) => known.includes(link) || isMessageLink(link);
    let cuts = 0;
    fc.assert(
      fc.property(text, fc.constantFrom(60, 120, 300, 2_000), (written, maxCharacters) => {
        const frozen = defangLinks(written, isKnown);
        const parts = splitText(frozen, maxCharacters);
        cuts += parts.length - 1;
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(maxCharacters);
          expect(extractLinks(part).filter((link) => !isKnown(link))).toEqual([]);
          for (const link of bareLinks(part)) expect([...bareLinks(frozen), MESSAGE]).toContain(link);
        }
        // Letters that neither a fence nor defanging adds or changes.
        const plain = (one: string) => one.replaceAll(/[^a-gi-ru-wyz]/g, "");
        expect(plain(parts.join(" "))).toBe(plain(frozen));
      }),
      { numRuns: 1_500 },
    );
    expect(cuts).toBeGreaterThan(3_000);
  });
});

/** Text that looks like a link, without signs at its end. */
function bareLinks(text: string): string[] {
  return (text.match(/https?:\/\/[^\s<>]+/g) ?? []).map((link) => link.replace(/[^\w/]+$/, ""));
}
