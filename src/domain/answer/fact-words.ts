import { LANGUAGES } from "../../language/languages.ts";
import { listStatedFacts } from "../memory/stated-fact.ts";
import { isIn, stemsOf, type Topic } from "./topic.ts";

/** A statement as a fact: a short name, and the words of the person who made it. */
export interface StatedFact {
  readonly about: "me" | "server";
  readonly key: string;
  readonly value: string;
}

const MAX_KEY_LENGTH = 60;

/** "my berth is C 12" is about me: berth, C 12. What has no such form is kept whole, under its first words. */
export function toStatedFact(statement: string): StatedFact {
  for (const { asks } of LANGUAGES)
    for (const [about, phrases] of [
      ["me", asks.myStatement],
      ["server", asks.ourStatement],
    ] as const) {
      const { what: key, topic: value } = phrases.exec(statement)?.groups ?? {};
      if (key !== undefined && value !== undefined) return { about, key, value };
    }
  const [stated] = listStatedFacts(statement);
  if (stated) return { about: "me", ...stated };
  const words = statement.replace(/^(?:i(?:'m| am| have| like| prefer)?|ich|yo|je|eu) /iu, "").split(" ");
  return { about: "me", key: words.slice(0, 4).join(" ").slice(0, MAX_KEY_LENGTH), value: statement };
}

/** How many of the words of a topic a fact has in its key or value, 0 to 1. */
export function matchFact(
  { key, text, name }: { readonly key: string; readonly text: string; readonly name: string | null },
  words: Topic,
): number {
  const own = stemsOf(key);
  // Whose fact it is, is known; the rest has to fit.
  const whose = stemsOf(name ?? "");
  const topic = words.filter((word) => !isIn(word, whose));
  if (topic.length === 0) return 0;
  const stems = stemsOf(`${key} ${text}`);
  const sum = topic.reduce((total, word) => total + (isIn(word, own) ? 1 : isIn(word, stems) ? 0.7 : 0), 0);
  return sum / topic.length;
}
