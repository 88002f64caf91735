import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toLine, withNames } from "./render.ts";

describe("toLine", () => {
  it("shows line breaks and keeps emoji, accents and scripts", () => {
    expect(toLine("a\r\nb\nc\u2028d\te")).toBe("a⏎b⏎c⏎d e");
    for (const text of ["👩‍👩‍👧 família", "नमस्ते", "שלום", "e\u0301"]) expect(toLine(text)).toBe(text);
  });

  it("takes out what could fool a terminal or a reader", () => {
    expect(toLine("\u001b[2Jgone\u0007 \u202eevil\u2066 x\u200by \u{e0041}")).toBe("[2Jgone evil xy ");
  });

  it("leaves one line without control or bidi characters, whatever comes in", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(toLine(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/u);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("withNames", () => {
  const names = {
    user: (id: string) => (id === "1" ? "Sarah" : undefined),
    channel: (id: string) => (id === "2" ? "general" : undefined),
    role: (id: string) => (id === "3" ? "staff" : undefined),
  };

  it("names what is known and leaves the rest as it is", () => {
    expect(withNames("<@1> <@!1> <#2> <@&3> <:wave:5> <a:spin:6>", names)).toBe(
      "@Sarah @Sarah #general @staff :wave: :spin:",
    );
    expect(withNames("<@9> <#9> <@&9> <@x>", names)).toBe("<@9> <#9> <@&9> <@x>");
  });
});
