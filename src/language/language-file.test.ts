import { describe, expect, it } from "vitest";
import { toLanguage } from "./language.ts";
import { parseLanguageFile } from "./language-file.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseLanguageFile("xx.txt", bytes(text));

describe("a language file", () => {
  it("has words, phrases and pairs in sections, and notes", () => {
    const file = parse("# A note\n[small words]\na b\nc\n\n[help]\nhelp [me]\n[spellings]\nu = you\n");
    expect(file.words("small words")).toEqual(["a", "b", "c"]);
    expect(file.entries("help")).toEqual([{ text: "help [me]", line: 7 }]);
    expect(file.pairs("spellings")).toEqual([["u", "you", 9]]);
  });

  it.each([
    ["[small words]\na\n[smal words]\nb", "xx.txt:3: There is no section [smal words]."],
    ["[small words]\na\n[small words]\nb", "xx.txt:3: The section [small words] is there twice."],
    ["[small words]\na b\nc a", "xx.txt:3: “a” is in [small words] twice."],
    ["[help]\nhelp\nhelp", "xx.txt:3: “help” is in [help] twice."],
    ["[spellings]\nu = you\nu = your", "xx.txt:3: “u = your” is in [spellings] twice."],
    ["[spellings]\nu", "xx.txt:2: `=` is missing."],
    ["a b\n[help]", "xx.txt:1: The first line has to be a section, such as [small words]."],
  ])("%j is refused, with its line", (text, problem) => {
    expect(() => parse(text)).toThrow(problem);
  });

  it("that is not UTF-8 is refused, with the first line that is not", () => {
    const latin1 = new Uint8Array([...bytes("[small words]\nund\n"), 0xfc, 0x62, 0x65, 0x72, 0x0a]);
    expect(() => parseLanguageFile("xx.txt", latin1)).toThrow("xx.txt:3: This is not UTF-8.");
  });

  it("with a phrase, a script or a sentence that cannot be used is refused when it is read", () => {
    expect(() => toLanguage("xx", parse("[help]\nhelp\nhelp (me")).asks.help).toThrow("xx.txt:3: `)` is missing.");
    expect(() => toLanguage("xx", parse("[script]\nKlingon")).script).toThrow("xx.txt:2: ");
    expect(() => toLanguage("xx", parse("[answers]\ngreeting = Hi")).says).toThrow("“help” is missing");
  });
});
