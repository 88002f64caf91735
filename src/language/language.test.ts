import { describe, expect, it } from "vitest";
import { ENGLISH, LANGUAGES } from "./languages.ts";

const take = (text: string, code: string) =>
  (LANGUAGES.find((language) => language.code === code) ?? ENGLISH).glossary(text);
const english = (text: string, code: string) => take(text, code).meant.map((word) => word.english[0]);

describe("the glossary", () => {
  it("knows words whatever their ending and accents", () => {
    expect(english("Schlüsseln", "de")).toEqual(["key"]);
    expect(english("ganhamos", "pt")).toEqual(["winner"]);
    expect(english("reuniones", "es")).toEqual(["meeting"]);
    expect(english("regles", "fr")).toEqual(["rule"]);
  });

  it("finds words where no spaces are written", () => {
    expect(english("회의 날짜는", "ko")).toEqual(expect.arrayContaining(["meeting", "date"]));
    expect(english("会議はいつ決まりますか", "ja")).toEqual(expect.arrayContaining(["meeting"]));
  });

  it("leaves names, numbers and unknown words as they are", () => {
    expect(take("Bjørn tideboard 26", "es")).toEqual({ rest: "Bjørn tideboard 26", meant: [] });
  });
});
