import { editDistance } from "../names/edit-distance.ts";
import { foldBare } from "../search/keywords.ts";
import { toStem } from "../search/stem.ts";
import { isStopWord, toQueryTerms, toTerms, toWords } from "../search/terms.ts";
import type { Language } from "./languages/language-words.ts";
import { formsOf, isLightWord, relatedTo } from "./word-families.ts";

/** One word of what is asked for, with everything that stands for it. */
export interface TopicWord {
  readonly stem: string;
  /** Stem to how well it stands for the word, 0 to 1. */
  readonly alternatives: ReadonlyMap<string, number>;
  readonly isLight: boolean;
}

export type Topic = readonly TopicWord[];

const RELATED_COUNTS = 0.75;
const TYPO_COUNTS = 0.85;

export function toTopicWords(topic: string, { asks }: Pick<Language, "asks">): Topic {
  const { rest, meant } = takeGlossed(topic, asks.glossary);
  // In a script without spaces what is left are pieces of words, with the endings of those that were understood.
  const isPiece = (stem: string) =>
    meant.length > 0 && /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(stem);
  const others = toQueryTerms(rest).map((stem) => toTopicWord(stem));
  return [...meant, ...others.map((word) => (isPiece(word.stem) ? { ...word, isLight: true } : word))];
}

function toTopicWord(stem: string, same: readonly string[] = []): TopicWord {
  const alternatives = new Map([[stem, 1]]);
  const add = (others: readonly string[], counts: number) => {
    for (const other of others) if (!alternatives.has(other)) alternatives.set(other, counts);
  };
  add(same, 1);
  add(formsOf(stem), 1);
  add(relatedTo(stem), RELATED_COUNTS);
  return { stem, alternatives, isLight: isLightWord(stem) };
}

/** Words of the glossary, each as one word of the topic, and what is left. */
function takeGlossed(topic: string, glossary: Readonly<Record<string, string>>): { rest: string; meant: TopicWord[] } {
  let rest = topic;
  const meant: TopicWord[] = [];
  for (const [word, english] of Object.entries(glossary)) {
    const pattern = toPattern(word);
    if (!pattern.test(rest)) continue;
    rest = rest.replaceAll(pattern, " ");
    const [first = word, ...others] = english.split(" ").map(toStem);
    meant.push(
      toTopicWord(first, [...others, ...(/\p{sc=Latin}/u.test(word) ? [toStem(foldBare(word))] : toQueryTerms(word))]),
    );
  }
  return { rest, meant };
}

/** Scripts without spaces have no ends of words. */
function toPattern(word: string): RegExp {
  return /\p{sc=Latin}/u.test(word) ? new RegExp(`(?<![\\p{L}])${word}(?![\\p{L}])`, "giu") : new RegExp(word, "gu");
}

/** With what its words mean in English, for the search: a community writes mostly in one language. */
export function glossed(topic: string, { asks }: Pick<Language, "asks">): string {
  const english = Object.entries(asks.glossary).flatMap(([word, meaning]) =>
    toPattern(word).test(topic) ? [meaning] : [],
  );
  return [topic, ...english].join(" ").trim();
}

/** The stems of a text, words joined with their neighbours among them: "tide board" is also "tideboard". */
export function stemsOf(text: string): ReadonlySet<string> {
  const words = toWords(text);
  const stems = new Set(words.flatMap((word) => toTerms(word).map(({ term }) => term)));
  for (const [index, word] of words.entries()) {
    const next = words[index + 1];
    if (next && !word.isDense && !next.isDense && !isStopWord(word.text)) stems.add(toStem(word.text + next.text));
  }
  return stems;
}

/** With words of the texts that a word of the topic, which is in none of them, may be a misspelling of. */
export function withTypos(topic: Topic, texts: readonly ReadonlySet<string>[]): Topic {
  let known: string[] | undefined;
  return topic.map((word) => {
    const stems = [...word.alternatives.keys()];
    if (word.stem.length < MIN_TYPO_LENGTH || texts.some((text) => stems.some((stem) => text.has(stem)))) return word;
    known ??= [...new Set(texts.flatMap((text) => [...text]))];
    const close = known.filter((each) => isTypo(word.stem, each));
    if (close.length === 0) return word;
    return {
      ...word,
      alternatives: new Map([...word.alternatives, ...close.map((each) => [each, TYPO_COUNTS] as const)]),
    };
  });
}

const MIN_TYPO_LENGTH = 4;
/** In shorter words a letter more or less makes another word: "launch" is not "lunch". */
const MIN_LONG_LENGTH = 7;
const MIN_VERY_LONG_LENGTH = 9;

function isTypo(typed: string, meant: string): boolean {
  if (meant.length < MIN_TYPO_LENGTH) return false;
  if (typed.length < MIN_LONG_LENGTH) return isSwapped(typed, meant);
  const maxEdits = typed.length < MIN_VERY_LONG_LENGTH ? 1 : 2;
  return editDistance(typed, meant, maxEdits) <= maxEdits;
}

/** Two neighbouring letters changed places. */
function isSwapped(a: string, b: string): boolean {
  return a.length === b.length && [...a].sort().join("") === [...b].sort().join("") && editDistance(a, b, 1) === 1;
}

/** Names of those who speak say little: people seldom write their own. */
export function withoutNames(topic: Topic, names: ReadonlySet<string>): Topic {
  const isTelling = topic.some(({ stem, isLight }) => !isLight && !names.has(stem));
  return isTelling ? topic.map((word) => (names.has(word.stem) ? { ...word, isLight: true } : word)) : topic;
}

/** How well a text stands for a word, 0 to 1. */
export function matchWord({ alternatives }: TopicWord, stems: ReadonlySet<string>): number {
  let best = 0;
  for (const [stem, counts] of alternatives) if (counts > best && stems.has(stem)) best = counts;
  return best;
}

/** How much each word counts: rare ones more. One that occurs nowhere counts a little more than the rarest. */
export function weighWords(topic: Topic, texts: readonly ReadonlySet<string>[]): number[] {
  const counts = topic.map((word) => texts.filter((text) => matchWord(word, text) > 0).length);
  const rarities = counts.map((count) => Math.log(1 + (texts.length - count + 0.5) / (count + 0.5)));
  const highest = Math.max(MIN_WEIGHT, ...rarities.filter((_, index) => (counts[index] ?? 0) > 0));
  return topic.map(({ isLight }, index) => {
    const rarity = counts[index] === 0 ? highest * ABSENT_COUNTS : (rarities[index] ?? 0);
    return Math.max(MIN_WEIGHT, rarity) * (isLight ? LIGHT_COUNTS : 1);
  });
}

const MIN_WEIGHT = 0.4;
const LIGHT_COUNTS = 0.3;
const ABSENT_COUNTS = 1.2;
