import { describe, expect, it } from "vitest";
import { takeGlossed } from "./glossary.ts";

const english = (text: string, code: string) => takeGlossed(text, code).meant.map((word) => word.english[0]);

describe("the glossary", () => {
  it("knows words whatever their ending and accents", () => {
    expect(english("Schlüsseln", "de")).toEqual(["key"]);
    expect(english("ganhamos", "pt")).toEqual(["winner"]);
    expect(english("tortugas", "es")).toEqual(["turtle"]);
    expect(english("gateaux", "fr")).toEqual(["cake"]);
  });

  it("takes German compounds apart if it knows both parts", () => {
    expect(english("Segelboot", "de")).toEqual(["sail", "boat"]);
    expect(english("Lötkolben", "de")).toEqual([]);
  });

  it("finds words where no spaces are written", () => {
    expect(english("거북이 표지판은", "ko")).toEqual(expect.arrayContaining(["turtle", "sign"]));
    expect(english("やかんはいつ届きますか", "ja")).toEqual(expect.arrayContaining(["kettle", "arrive"]));
  });

  it("leaves names, numbers and unknown words as they are", () => {
    expect(takeGlossed("Bjørn tideboard 26", "es")).toEqual({ rest: "Bjørn tideboard 26", meant: [] });
  });
});
