import { type GlossedWord, takeGlossed } from "../../language/glossary.ts";
import type { Language } from "../../language/language.ts";
import { foldBare } from "../search/keywords.ts";
import { toStem } from "../search/stem.ts";
import { isStopWord } from "../search/stop-words.ts";
import { toQueryTerms, toSpellings, toTerms, toWords } from "../search/terms.ts";
import { allowedTypos, typosBetween } from "../search/typos.ts";

/** One word of what is asked for, with everything that stands for it. */
export interface TopicWord {
  /** As it was typed, without case and accents. */
  readonly spelling: string;
  /** What stands for it; the first is its own. */
  readonly stems: readonly string[];
}

export type Topic = readonly TopicWord[];

export function toTopicWords(topic: string, { glossary }: Pick<Language, "glossary">): Topic {
  const { rest, meant } = takeGlossed(topic, glossary);
  const spellings = toSpellings(rest);
  const terms = toQueryTerms(rest);
  const spelled = terms.map((stem) => spellings.get(stem)?.text ?? stem);
  const others = terms.map((stem, index) => {
    // Others write neighbours as one word: "tide board" is "tideboard".
    const pairs = [spelled.slice(index - 1, index + 1), spelled.slice(index, index + 2)];
    const joined = pairs.flatMap((pair) => (pair.length === 2 ? [toStem(pair.join(""))] : []));
    return { spelling: spelled[index] ?? stem, stems: [stem, ...joined] };
  });
  return [...meant.map(toMeantWord), ...others];
}

/** A word of another language, by what it means in English: a community writes mostly in one language. */
function toMeantWord({ written, english }: GlossedWord): TopicWord {
  const own = /\p{sc=Latin}/u.test(written) ? [toStem(foldBare(written))] : toQueryTerms(written);
  return { spelling: foldBare(written), stems: [...english.map(toStem), ...own] };
}

/** With what its words mean in English, for the search. */
export function glossed(topic: string, { glossary }: Pick<Language, "glossary">): string {
  const english = takeGlossed(topic, glossary).meant.flatMap((word) => word.english);
  return [topic, ...new Set(english)].join(" ").trim();
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

/** With the words of the texts that a word of the topic, which is in none of them, is a misspelling of. */
export function withTypos(topic: Topic, texts: readonly ReadonlySet<string>[]): Topic {
  const isAbsent = (word: TopicWord) => !texts.some((text) => isIn(word, text));
  if (!topic.some(isAbsent)) return topic;
  const known = [...new Set(texts.flatMap((text) => [...text]))];
  return topic.map((word) => {
    const meant = isAbsent(word) ? known.filter((stem) => isTypo(word.spelling, stem)) : [];
    return { ...word, stems: [...word.stems, ...meant] };
  });
}

/** Two letters are swapped; or, in a word so long that hardly another is like it, any typo. "Launch" is not "lunch". */
function isTypo(spelling: string, stem: string): boolean {
  const most = allowedTypos(spelling);
  if (most === 0 || typosBetween(spelling, stem, most) === null) return false;
  return spelling.length >= MIN_LONG || isSwapped(spelling, stem);
}

const MIN_LONG = 7;

/** The same letters in another order; a stem may lack an ending. */
function isSwapped(spelling: string, stem: string): boolean {
  const sorted = (word: string) => [...word].sort().join("");
  return sorted(spelling.slice(0, stem.length)) === sorted(stem);
}

export function isIn({ stems }: TopicWord, text: ReadonlySet<string>): boolean {
  return stems.some((stem) => text.has(stem));
}

/** How much each word counts: rare ones more. One that occurs nowhere counts as the rarest. */
export function weighWords(topic: Topic, texts: readonly ReadonlySet<string>[]): number[] {
  return topic.map((word) => {
    const count = Math.max(1, texts.filter((text) => isIn(word, text)).length);
    return MIN_WEIGHT + Math.log(1 + (texts.length - count + 0.5) / (count + 0.5));
  });
}

const MIN_WEIGHT = 0.4;
