import { describe, expect, it } from "vitest";
import { suggestWords } from "./known-words.ts";
import { repairSpelling } from "./mistyped.ts";

describe("repairSpelling", () => {
  it("writes chat spellings out", () => {
    expect(repairSpelling("wat did mark say abt the gate tmrw pls")).toBe(
      "what did mark say about the gate tomorrow please",
    );
  });

  it("corrects words that ask, and leaves names and other words alone", () => {
    expect(repairSpelling("whch day, mcuh recomended by Marc yesturday")).toBe(
      "which day, much recommended by Marc yesterday",
    );
    expect(repairSpelling("what does heave to mean")).toBe("what does heave to mean");
    expect(repairSpelling("the moth on the world map")).toBe("the moth on the world map");
  });
});

describe("suggestWords", () => {
  it("finds common words that a misspelt one may be, and none for words that exist", () => {
    expect(suggestWords("sokc")).toContain("sock");
    expect(suggestWords("wafles")).toContain("waffle");
    expect(suggestWords("launch")).toEqual([]);
  });
});
