import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defangLinks, extractLinks, extractLinksWithTrimmed } from "./links.ts";

const KNOWN = ["https://ok.example/", "https://ok.example/page", "https://ok.example/Foo_(bar)", "http://[::1]:80/x"];
const isKnown = (link: string) => KNOWN.includes(link);
const defang = (text: string) => defangLinks(text, isKnown);

describe("extractLinks", () => {
  it("finds every link that Discord makes clickable, whatever markdown surrounds it", () => {
    const found: Record<string, string[]> = {
      "see https://a.example/b?c=d#e, ok": ["https://a.example/b?c=d#e"],
      "HTTPS://A.example:8443/": ["HTTPS://A.example:8443/"],
      "https://user:word@a.example/": ["https://user:word@a.example/"],
      "https://xn--bcher-kva.example/ and https://bücher.example/": [
        "https://xn--bcher-kva.example/",
        "https://bücher.example/",
      ],
      "<https://a.example/>": ["https://a.example/"],
      "[text](https://a.example/b)": ["https://a.example/b"],
      '[text](<https://a.example/b> "title")': ["https://a.example/b"],
      "[text](https:\\/\\/a.example/b)": ["https:\\/\\/a.example/b"],
      "**https://a.example/b** ||https://a.example/c||": ["https://a.example/b", "https://a.example/c"],
      "(https://a.example/b). (https://a.example/w_(x))": ["https://a.example/b", "https://a.example/w_(x)"],
      "wordhttps://a.example/b": ["https://a.example/b"],
      "`https://a.example/b`": ["https://a.example/b"],
      "steam://run/1 discord://-/channels/1": ["steam://run/1", "discord://-/channels/1"],
      "discord.gg/abc and discord.com/invite/abc": ["discord.gg/abc", "discord.com/invite/abc"],
      "<mailto:a@b.example> <a@b.example> <+49123> [x](tel:1)": [
        "mailto:a@b.example",
        "a@b.example",
        "+49123",
        "tel:1",
      ],
    };
    for (const [text, links] of Object.entries(found)) expect(extractLinks(text), text).toEqual(links);
  });

  it("finds no link in a text without one", () => {
    for (const text of [
      "http: or https:// alone",
      "a.example/b",
      "<a:wave:123> <t:1:R> <@1> </ask:1>",
      "hotel:5 a@b.c",
    ])
      expect(extractLinks(text), text).toEqual([]);
  });

  it("returns both readings of a link that has two", () => {
    expect(extractLinks("[x](https://a.example/b)c")).toEqual(["https://a.example/b)c", "https://a.example/b"]);
    expect(extractLinks("<https://a.example/b>c")).toEqual(["https://a.example/b>c", "https://a.example/b"]);
    expect(extractLinks("[x](https://a.example/(b c))")).toEqual(["https://a.example/(b", "https://a.example/(b c)"]);
    expect(extractLinks("[x](https://a.example/\\ b)")).toEqual(["https://a.example/\\", "https://a.example/\\ b"]);
    expect(extractLinks("<https://a.example/b\nc>")).toEqual(["https://a.example/b", "https://a.example/b\nc"]);
  });

  it("returns the longer link where clients differ", () => {
    expect(extractLinks("https://a.example/b.) https://a.example/c)) https://a.example/d\u3000e")).toEqual([
      "https://a.example/b.",
      "https://a.example/c)",
      "https://a.example/d\u3000e",
    ]);
  });

  it("also finds the link without trailing punctuation when asked for it", () => {
    expect(extractLinks("see https://a.example/b?")).toEqual(["https://a.example/b?"]);
    expect(extractLinksWithTrimmed("see https://a.example/b?")).toEqual([
      "https://a.example/b?",
      "https://a.example/b",
    ]);
  });
});

describe("defangLinks", () => {
  it("defangs unknown links", () => {
    expect(defang("see https://www.evil.example/a.b?c=d.")).toBe("see hxxps://www.evil[.]example/a.b?c=d.");
    expect(defang("<steam://run/1> <a@b.example> <+491> discord.gg/abc")).toBe(
      "<steam[:]//run/1> <a[@]b.example> <[+]491> discord[.]gg/abc",
    );
    expect(defang("https://evil.example/https://ok.example/page?")).toBe(
      "hxxps://evil[.]example/https://ok.example/page ?",
    );
  });

  it("keeps known links", () => {
    for (const text of [
      "https://ok.example/page, **https://ok.example/** and (https://ok.example/Foo_(bar)).",
      "[text](https://ok.example/page). <https://ok.example/page>",
    ])
      expect(defang(text)).toBe(text);
  });

  it("treats a known link with something added as another link", () => {
    for (const rest of ["?q=secret", "secret", "#secret", "/secret", "\\?secret", "\u3000secret", ")secret"])
      expect(extractLinks(defang(`https://ok.example/page${rest}`)).filter((link) => link.includes("secret"))).toEqual(
        [],
      );
    expect(defang("https://ok.example/page?q=secret")).toBe("hxxps://ok[.]example/page?q=secret");
  });

  it("puts a space between a known link and punctuation that a client might include", () => {
    expect(defang("Is it https://ok.example/page?")).toBe("Is it https://ok.example/page ?");
    expect(defang("[文档](https://ok.example/page)，然后")).toBe("[文档](https://ok.example/page) ，然后");
    expect(defang("\\<https://ok.example/page>secret")).toBe("\\<https://ok.example/page> secret");
  });

  const piece = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...KNOWN, "https://evil.example/x", "HTTP://evil.example", "https://") },
    { weight: 4, arbitrary: fc.constantFrom("<", ">", "[x](", "](", ")", "(", "[", "]", " ", "\n", "\\", "\u3000") },
    {
      weight: 2,
      arbitrary: fc.constantFrom("*", "**", "||", "_", "`", ".", ",", "?", '"t"', "'", "/", ":", "@", "+1"),
    },
    { weight: 1, arbitrary: fc.constantFrom("steam:", "mailto:", "tel:", "a@b.c", "discord.gg/", "hxxps:", "secret") },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 3 }) },
  );
  const text = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(""));

  it("leaves only known links in any text, and is idempotent", () => {
    fc.assert(
      fc.property(text, (written) => {
        const safe = defang(written);
        expect(extractLinks(safe).filter((link) => !isKnown(link))).toEqual([]);
        expect(defang(safe)).toBe(safe);
        expect(safe.length).toBeLessThanOrEqual(written.length * 2);
        if (extractLinks(written).every(isKnown)) expect(safe).toBe(written);
      }),
      { numRuns: 8_000 },
    );
  });

  it("leaves nothing clickable but known links, as parsed by Discord's own rules", () => {
    fc.assert(
      fc.property(text, (written) => {
        const links = clickable(defang(written)).map((link) => link.replace(/[*_|`>)\].,:;"']{1,12}$/, ""));
        // Without the signs at its end a link may have no host left: that leads nowhere.
        const leading = links.filter((link) => /:\/*[^\s/\\]/.test(link));
        const more = leading.filter((link) => !KNOWN.some((known) => known.startsWith(link)));
        expect(more).toEqual([]);
      }),
      { numRuns: 8_000 },
    );
  });
});

/** The links that Discord's markdown rules find in a text, each tried everywhere, so that some links keep signs at their end. */
function clickable(text: string): string[] {
  const links: string[] = [];
  for (const [url] of text.matchAll(/(?:https?|steam|discord):\/\/[^\s<]+[^<.,:;"'\]\s]/g)) {
    const opened = url.split("(").length;
    links.push(url.endsWith(")") && opened < url.split(")").length ? url.slice(0, -1) : url);
  }
  for (const [, url = ""] of text.matchAll(/<([^: >]+:\/[^ >]+)>/g)) links.push(url);
  const masked = /\]\(\s*<?((?:\([^)]*\)|[^\s\\]|\\.)*?)>?(?:\s+['"][\s\S]*?['"])?\s*\)/g;
  for (const [, url = ""] of text.matchAll(masked)) links.push(url.replace(/\\([^\da-z\s])/gi, "$1"));
  return links.filter((link) => /^\s*(?:https?|steam|discord|mailto|tel|sms):\/*[^\s/\\]/i.test(link));
}
