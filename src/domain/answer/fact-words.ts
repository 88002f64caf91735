import { listStatedFacts } from "../memory/stated-fact.ts";
import { matchWord, stemsOf, type Topic } from "./topic.ts";

/** A statement as a fact: a short name, and the words of the person who made it. */
export interface StatedFact {
  readonly about: "me" | "server";
  readonly key: string;
  readonly value: string;
}

const IS = `(?:is|are|was|=|:|ist|sind|es|son|est|sont|é|são)`;
const MINE = new RegExp(
  String.raw`^(?:my|mein|meine|mi|mis|mon|ma|mes|meu|minha) (?<key>[\p{L}\p{N}' -]{1,60}?) ${IS} (?<value>.+)$`,
  "iu",
);
const OURS = new RegExp(
  String.raw`^(?:our|unser|unsere|nuestro|nuestra|notre|nos|nosso|nossa) (?<key>[\p{L}\p{N}' -]{1,60}?) ${IS} (?<value>.+)$`,
  "iu",
);
const MAX_KEY_LENGTH = 60;

/** "my berth is C 12" is about me: berth, C 12. What has no such form is kept whole, under its first words. */
export function toStatedFact(statement: string): StatedFact {
  const mine = MINE.exec(statement)?.groups;
  if (mine) return { about: "me", key: mine["key"] ?? "", value: mine["value"] ?? "" };
  const ours = OURS.exec(statement)?.groups;
  if (ours) return { about: "server", key: ours["key"] ?? "", value: ours["value"] ?? "" };
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
  const topic = words.filter((word) => matchWord(word, whose) === 0 && !word.isLight);
  if (topic.length === 0) return 0;
  const stems = stemsOf(`${key} ${text}`);
  const sum = topic.reduce((total, word) => total + Math.max(matchWord(word, own), 0.7 * matchWord(word, stems)), 0);
  return sum / topic.length;
}
