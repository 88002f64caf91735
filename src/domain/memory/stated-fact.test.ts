import { describe, expect, it } from "vitest";
import { toStatedFact } from "../answer/question-kind.ts";
import { areOwnWords } from "./own-words.ts";
import { listStatedFacts } from "./stated-fact.ts";

describe("a statement about oneself", () => {
  it.each([
    ["I live in Lisbon", "home", "Lisbon"],
    ["I live in São Paulo, by the park", "home", "São Paulo"],
    ["ich wohne in Köln", "home", "Köln"],
    ["moro em Lisboa", "home", "Lisboa"],
    ["I'm allergic to peanuts and my cat is called Tom", "allergy", "peanuts"],
    ["I prefer short answers", "preference", "short answers"],
  ])("%j is the fact %s: %s, in the person's own words", (text, key, value) => {
    expect(toStatedFact(text)).toEqual({ about: "me", key, value });
    const message = { parts: [{ kind: "typed", text: `please remember that ${text}` }] } as never;
    expect(areOwnWords({ name: key, value }, message)).toBe(true);
    expect(areOwnWords({ name: key, value: `${value} with Bo` }, message)).toBe(false);
    expect(areOwnWords({ name: "secret home", value }, message)).toBe(false);
  });

  it("has no key of its own where somebody else lives there, or only a question does", () => {
    for (const text of ["Bo lives in Lisbon", "who lives in Lisbon?", "> I live in Lisbon\nis that so?"]) {
      const message = { parts: [{ kind: "typed", text }] } as never;
      expect(areOwnWords({ name: "home", value: "Lisbon" }, message)).toBe(false);
    }
    expect(listStatedFacts("the crane is blue")).toEqual([]);
  });
});
