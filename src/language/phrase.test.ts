import { describe, expect, it } from "vitest";
import { LANGUAGES } from "./languages.ts";
import { compilePhrase, Phrases } from "./phrase.ts";

const context = { lists: new Map([["say", "(?:said|wrote)"]]), isDense: false };
const matches = (phrase: string, text: string) => new RegExp(compilePhrase(phrase, context), "iu").exec(text);

describe("a phrase of a language file", () => {
  it.each([
    ["who (said|wrote) [that|it]", "Who wrote that", true],
    ["who (said|wrote) [that|it]", "who said", true],
    ["who (said|wrote) [that|it]", "who said that yesterday", false],
    ["[please] tell me", "please, tell me", true],
    ["… catch-up …", "a quick catch up please", true],
    ["… cat …", "concatenate", false],
    ["what happened -(to|with) …", "what happened to it", false],
    ["what happened -(to|with) …", "what happened today", true],
    ["résum* …", "resumer la journée", true],
    ["what's up", "whats up", true],
    ["{name}' dog", "lars' dog", true],
    ["{name}' dog", "the dog", false],
    ["who {say} it", "who wrote it", true],
    ["… {number} … days", "in 3 or 4 days", true],
  ])("%j compared with %j: %s", (phrase, text, isMatch) => {
    expect(matches(phrase, text) !== null).toBe(isMatch);
  });

  it("takes out what fills its holes", () => {
    expect(matches("what did {name} say [about {topic}]", "what did Sarah say about the old gate")?.groups).toEqual({
      name: "Sarah",
      topic: "the old gate",
    });
    expect(matches("has {name} … {what:role|roles}", "has Sarah the admin role")?.groups?.["what"]).toBe("role");
  });

  it.each([
    ["who (said", "`)` is missing."],
    ["who said)", "`)` closes nothing."],
    ["[who] [said]", "Something in a phrase has to be certain."],
    ["who {sayd} it", "There is no hole and no list called {sayd}."],
    ["who \\w+ it", "`\\` is not part of a phrase."],
    ["{topic} a {what} b … c", "A phrase may have 2 holes of many words."],
  ])("%j is refused", (phrase, problem) => {
    expect(() => compilePhrase(phrase, context)).toThrow(problem);
  });
});

describe("the patterns of the languages", () => {
  // The longest question there is, of words that patterns begin with again and again. Patterns that try all ways to divide it would not end.
  it.each(LANGUAGES.map(({ code, asks }) => [code, asks] as const))("of %s end on hostile text", (_, asks) => {
    const values = [...Object.values(asks), ...asks.wanted.map(([each]) => each), ...asks.times.map(([each]) => each)];
    const patterns = values.flatMap((each) =>
      each instanceof Phrases ? each.patterns : each instanceof RegExp ? [each] : [],
    );
    const seeds = patterns.flatMap(
      (each) =>
        each.source
          .match(/[\p{L}]{2,}/gu)
          ?.slice(0, 2)
          .join(" ") ?? [],
    );
    for (const seed of [...new Set([...seeds, "a", " ", "what ", "does anyone know ", "hey, "])]) {
      const text = `${seed} `.repeat(400).slice(0, 400);
      for (const pattern of patterns) pattern.exec(text);
    }
    expect(patterns.length).toBeGreaterThan(40);
  });
});
