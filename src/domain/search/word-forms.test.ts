import { describe, expect, it } from "vitest";
import { languageOf, READ } from "../../language/languages.ts";
import { toStem } from "./stem.ts";
import { toQueryTerms, toSpellings } from "./terms.ts";
import { toWordForms } from "./word-forms.ts";

describe("the words of a query", () => {
  it.each([
    ["¿Cuándo es la reunión sobre los barcos?", ["reunion", "barco"]],
    ["Quando é a reunião sobre os barcos?", ["reuniao", "barco"]],
    ["Quand est la réunion sur les bateaux ?", ["reunion", "bateaux"]],
    ["Wann ist das Treffen wegen der Boote?", ["treffen", "wegen", "boot"]],
    ["Когда будет встреча про лодки?", ["встреч", "лодк"]],
    ["Kiedy jest spotkanie o łodziach?", ["spotkani", "łodziach"]],
    ["Tekneler için toplantı ne zaman?", ["teknel", "toplanti"]],
    ["Quando è la riunione sulle barche?", ["riunion", "sull", "barch"]],
    ["Wanneer is de vergadering over de boten?", ["vergad", "boten"]],
    ["متى الاجتماع عن السفينة؟", ["اجتماع", "سفين"]],
    ["When is the meeting about the boats?", ["meet", "boat"]],
  ])("of %s are those that say something", (text, terms) => {
    expect(toQueryTerms(text)).toEqual(terms);
  });

  it("are of the language whose small words they have, else English", () => {
    expect(languageOf(["wer", "hat", "das", "boot"]).code).toBe("de");
    expect(languageOf(["boot"]).code).toBe("en");
    expect(languageOf(["who", "has", "the", "para"]).code).toBe("en");
  });

  it.each([
    ["es", "barcos", "barco"],
    ["pt", "navios", "navio"],
    ["fr", "discutons", "discuter"],
    ["de", "booten", "boot"],
    ["pl", "statkami", "statku"],
    ["tr", "tekneler", "tekne"],
    ["it", "portare", "portato"],
    ["nl", "haventje", "haven"],
  ] as const)("have other forms in %s: %s and %s", (language, word, form) => {
    expect(
      toWordForms(word, { endings: READ.wordLists.find(({ code }) => code === language)?.endings ?? [] }),
    ).toContain(form);
  });

  it.each([
    ["лодками", "лодка"],
    ["встреча", "встречи"],
    ["والسفينة", "سفينة"],
    ["بالميناء", "الميناء"],
  ])("%s and %s have the same stem", (one, other) => {
    expect(toStem(one)).toBe(toStem(other));
  });

  it("are also found by their short forms, and those by the full ones", () => {
    expect(toSpellings("anonymous").get("anonym")?.shortened).toEqual(["anon"]);
    expect(toSpellings("db").get("db")?.shortened).toEqual(["databas"]);
    expect(toSpellings("BLE").get("ble")?.shortened).toEqual(["bluetooth"]);
    expect(toSpellings("llm").get("llm")?.pairs).toEqual([["languag", "model"]]);
    expect(toSpellings("language models").get("model")?.joined).toContain("llm");
  });
});
