import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holdsPhrase, isFraming, toPhraseTerms, toPhraseText, toQueryTerms, toTerms, toWords } from "./terms.ts";

const containsPhrase = (text: string, phrase: string) => holdsPhrase(toPhraseText(text), toPhraseText(phrase));

const termsOf = (text: string) => toWords(text).flatMap((word) => toTerms(word).map(({ term }) => term));

/** Every one of the query's terms is among those of the text. */
function finds(query: string, text: string): boolean {
  const terms = new Set(termsOf(text));
  return toQueryTerms(query).every((term) => terms.has(term));
}

describe("terms", () => {
  it.each([
    ["Find where we discussed the project deadline", ["project", "deadlin"]],
    ["please show me what Sarah said about turtles", ["sarah", "turtl"]],
    ["where is the lost and found? find it", ["lost", "found", "find"]],
    ["find", ["find"]],
    ["what did we say", ["what", "did", "we", "sai"]],
  ])('of the query "%s" are the words it is about', (query, terms) => {
    expect(toQueryTerms(query)).toEqual(terms);
  });

  it.each([
    ["turtles", "A TURTLE laid eggs"],
    ["cafe", "we met at the Café"],
    ["user", "call getUserName() first"],
    ["getusername", "call getUserName() first"],
    ["name", "snake_case_name"],
    ["http", "HTTPServer2 is up"],
    ["2", "HTTPServer2 is up"],
    ["tides", "see https://tides.example/harbour-plan?day=2"],
    ["harbour plan", "see https://tides.example/harbour-plan?day=2"],
    ["sarah", "Sarah's boat"],
    ["dont", "I don’t know"],
    ["été", "l'été dernier"],
    ["東京", "明日は東京都に行く"],
    ["猫", "黒猫がいる"],
    ["서버", "서버가 느려요"],
    ["แมว", "ฉันชอบแมวมาก"],
    ["🐢", "look 🐢🐢"],
    ["party cat", "<:party_cat:123456>"],
    ["2.6", "kernel 2.6.8"],
    ["über", "UBER alles"],
  ])('let a search for %s find the text "%s"', (query, text) => {
    expect(finds(query, text)).toBe(true);
  });

  it.each([
    ["cat", "concatenate"],
    ["京都", "東京"],
    ["123456", "<@123456> and <#123456>"],
    ["owl", "bowl"],
  ])('do not let a search for %s find the text "%s"', (query, text) => {
    expect(finds(query, text)).toBe(false);
  });

  it("leave out question words, unless there are no others", () => {
    expect(toQueryTerms("What did I say about turtles earlier?")).toEqual(["turtl", "earlier"]);
    expect(toQueryTerms("who are you?")).toEqual(["who", "are", "you"]);
    expect(toQueryTerms("?!")).toEqual([]);
  });

  it("let a search find a long text without spaces by its last characters", () => {
    expect(finds("終わり", `${"あいう".repeat(50)}終わり`)).toBe(true);
  });
});

describe("phrases", () => {
  it("are found only where their words stand together, as whole words", () => {
    expect(containsPhrase("The Harbour   plan, finally", "harbour plan")).toBe(true);
    expect(containsPhrase("plan of the harbour", "harbour plan")).toBe(false);
    expect(containsPhrase("harbour planning", "harbour plan")).toBe(false);
    expect(containsPhrase("明日は東京都に行く", "東京")).toBe(true);
    expect(containsPhrase("anything", "?!")).toBe(false);
    expect(toWords("ﹴ")).toEqual([]);
  });

  it("have no term that a text with the phrase in it lacks", () => {
    const word = fc.oneof(
      fc.constantFrom("getUserName", "don't", "東京都", "café", "v2", "a", "🐢", "foo_bar", "l'été", "<@12>", "x.y"),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }),
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 4 }),
        fc.array(word, { minLength: 1, maxLength: 3 }),
        fc.array(word, { maxLength: 4 }),
        (before, phrase, after) => {
          const text = [...before, ...phrase, ...after].join(" ");
          const sought = phrase.join(" ");
          fc.pre(toWords(sought).length > 0);
          expect(containsPhrase(text, sought)).toBe(true);
          expect(termsOf(text)).toEqual(expect.arrayContaining(toPhraseTerms(sought)));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("are found only where all their terms are", () => {
    const text = fc.array(fc.constantFrom("foo", "Foo", "bar", "fooBar", "foo'bar", "東京", "東", " ", "-", "'"), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(text, text, (texts, phrases) => {
        const [content, phrase] = [texts.join(""), phrases.join("")];
        if (containsPhrase(content, phrase))
          expect(termsOf(content)).toEqual(expect.arrayContaining(toPhraseTerms(phrase)));
      }),
      { numRuns: 3_000 },
    );
  });

  it("of a query that frame what is looked for are told from those that name it", () => {
    expect(toQueryTerms("the latest news of the project deadline").filter(isFraming)).toEqual([
      "latest",
      "new",
      "project",
    ]);
    expect(toQueryTerms("the zigbee gateway").filter(isFraming)).toEqual([]);
  });
});
