import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { singleLine } from "./escape.ts";
import { replaceMentions } from "./replace-mentions.ts";

/** Joiners, selectors, marks, controls and spaces close to what they could be part of. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 3 }),
      fc.constantFrom("👩", "❤", "👍", "🏽", "\u200d", "\ufe0f", "\ufe0e", "\u20e3", "1", "#", "a", "\u0301", "\u0338"),
      fc.constantFrom("\r", "\n", "\u0085", "\u2028", "\v", "\u001b[31m", "\u202e", "\u200b", "\u3164", "\u{e0041}"),
      fc.constantFrom("\u00a0", "\u3000", "\u2800", "\ud83d", "\udc69", "\uffff", "\u{1fffe}", "\u034f", "\u115f"),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

describe("singleLine", () => {
  it("shows line breaks and keeps emoji, accents and scripts", () => {
    expect(singleLine("a\r\nb\nc\u2028d\te")).toBe("a⏎b⏎c⏎d e");
    expect(singleLine("a\vb\fc\u0085d\u2029e\r")).toBe("a⏎b⏎c⏎d⏎e⏎");
    const kept = ["👩‍👩‍👧 família", "नमस्ते", "שלום", "e\u0301", "🏳️‍🌈 👍🏽 🕵🏽‍♂️ ❤️ 1️⃣ ☺︎ 🇩🇪", "ภาษาไทย", "٣ \u0600"];
    for (const text of kept) expect(singleLine(text)).toBe(text);
  });

  it("removes characters that could fool a terminal or a reader", () => {
    expect(singleLine("\u001b[2Jgone\u0007 \u202eevil\u2066 x\u200by \u{e0041}")).toBe("[2Jgone evil xy ");
    expect(singleLine("a\u00adb\u034fc\u115fd\u3164e\ufff9f\u{1d173}g\u{e0100}h\ufe0fi\u200dj")).toBe("abcdefghij");
  });

  it("keeps joiners and variation selectors only in emoji", () => {
    expect(singleLine("1\ufe0f a\ufe0f ❤\ufe0f\ufe0f \u200d👩 👩\u200d 👩\u200b\u200d👩")).toBe(
      "1 a ❤\ufe0f 👩 👩 👩👩",
    );
    expect(singleLine("🏴\u{e0067}\u{e0062}\u{e007f}")).toBe("🏴");
  });

  it("replaces noncharacters by \ufffd, and every kind of space by a plain one", () => {
    expect(singleLine("\ud800x\udc00 \uffff\u{10fffe}")).toBe("\ufffdx\ufffd \ufffd\ufffd");
    expect(singleLine("a\u00a0b\u1680c\u2003d\u3000e\u2800f")).toBe("a b c d e f");
  });

  it("limits the combining marks on one letter", () => {
    expect(singleLine(`z${"\u0334".repeat(50)}a`)).toBe(`z${"\u0334".repeat(6)}a`);
    expect(singleLine(`z${"\u0334\u200b".repeat(50)}a`)).toBe(`z${"\u0334".repeat(6)}a`);
  });

  it("returns one line without hidden characters for any text", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = singleLine(text);
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}\p{Bidi_Control}]|\p{M}{7}/u);
        const unseen = [...line].filter((letter) => /\p{Default_Ignorable_Code_Point}/u.test(letter));
        expect(unseen.every((letter) => "\u200d\ufe0e\ufe0f".includes(letter))).toBe(true);
        expect(line).not.toMatch(/(?<!\p{ExtPict}|\p{EMod}|\ufe0e|\ufe0f)\u200d|\u200d(?!\p{ExtPict})/u);
        expect(line).not.toMatch(/(?<![\p{ExtPict}\d#*])[\ufe0e\ufe0f]|(?<=[\d#*])\ufe0f(?!\u20e3)/u);
        expect(singleLine(line)).toBe(line);
      }),
      { numRuns: 5_000 },
    );
  });

  it("does not change plain text", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~À-ÿа-я一-龥ぁ-ん가-힣]*$/), (text) => {
        expect(singleLine(text)).toBe(text);
      }),
    );
  });
});

describe("replaceMentions", () => {
  const names = {
    user: (id: string) => (id === "1" ? "Sarah" : undefined),
    channel: (id: string) => (id === "2" ? "general" : undefined),
    role: (id: string) => (id === "3" ? "staff" : undefined),
  };

  it("replaces known mentions by names, and keeps unknown ones", () => {
    expect(replaceMentions("<@1> <@!1> <#2> <@&3> <:wave:5> <a:spin:6>", names)).toBe(
      "@Sarah @Sarah #general @staff :wave: :spin:",
    );
    expect(replaceMentions("<@9> <#9> <@&9> <@x>", names)).toBe("<@9> <#9> <@&9> <@x>");
  });
});
