import { editDistance } from "../names/edit-distance.ts";
import { foldBare } from "../search/keywords.ts";
import { toStem } from "../search/stem.ts";
import { isStopWord } from "../search/stop-words.ts";
import { isFraming, toQueryTerms, toSpellings, toTerms, toWords } from "../search/terms.ts";
import { allowedTypos, typosBetween } from "../search/typos.ts";
import { type GlossedWord, takeGlossed } from "./glossary/glossary.ts";
import { isKnownWord, isSwapped, suggestWords } from "./known-words.ts";
import type { Language } from "./languages/language-words.ts";
import { formsOf, isLightWord, relatedTo } from "./word-families.ts";

/** One word of what is asked for, with everything that stands for it. */
export interface TopicWord {
  readonly stem: string;
  /** As it was typed, without case and accents. */
  readonly spelling: string;
  /** Stem to how well it stands for the word, 0 to 1. */
  readonly alternatives: ReadonlyMap<string, number>;
  readonly isLight: boolean;
  /** It was translated: others may use another word for it. */
  readonly isMeant: boolean;
}

export type Topic = readonly TopicWord[];

const RELATED_COUNTS = 0.75;
const TYPO_COUNTS = 0.85;
/** "originally", "locally": says how, not what. */
const ADVERB = /^[a-z]{3,}[^i]ly$/u;

export function toTopicWords(topic: string, { code }: Pick<Language, "code">): Topic {
  const { rest, meant } = takeGlossed(topic, code);
  const spellings = toSpellings(rest);
  // In a script without spaces what is left are pieces of words: endings of those that were understood, or other words.
  const isEnding = (stem: string) => meant.length > 0 && /[\p{sc=Hiragana}\p{sc=Hangul}]/u.test(stem);
  const isPiece = (stem: string) => meant.length > 0 && /[\p{sc=Han}\p{sc=Katakana}]/u.test(stem);
  const terms = toQueryTerms(rest).filter((stem) => !isEnding(stem));
  const spelled = terms.map((stem) => spellings.get(stem)?.text ?? stem);
  const others = terms.map((stem, index) => {
    const spelling = spelled[index] ?? stem;
    // Others write neighbours as one word: "tide board" is "tideboard".
    const joined = [spelled.slice(index - 1, index + 1), spelled.slice(index, index + 2)].flatMap((pair) =>
      pair.length === 2 ? [toStem(pair.join(""))] : [],
    );
    const word = toTopicWord(stem, {
      spelling,
      same: joined,
      typoOf: code === "en" ? suggestWords(spelling).map(toStem) : [],
    });
    return isPiece(stem) ? { ...word, isLight: true } : word;
  });
  return [...meant.map(toMeantWord), ...others];
}

function toMeantWord({ written, english }: GlossedWord): TopicWord {
  const [first = written, ...others] = english.map(toStem);
  const own = /\p{sc=Latin}/u.test(written) ? [toStem(foldBare(written))] : toQueryTerms(written);
  return toTopicWord(first, { spelling: foldBare(written), same: [...others, ...own], isMeant: true });
}

interface WordMeanings {
  readonly spelling: string;
  readonly same?: readonly string[];
  readonly typoOf?: readonly string[];
  readonly isMeant?: boolean;
}

function toTopicWord(stem: string, { spelling, same = [], typoOf = [], isMeant = false }: WordMeanings): TopicWord {
  const alternatives = new Map([[stem, 1]]);
  const add = (others: readonly string[], counts: number) => {
    for (const other of others) if (!alternatives.has(other)) alternatives.set(other, counts);
  };
  add(same, 1);
  add(formsOf(stem), 1);
  add(relatedTo(stem), RELATED_COUNTS);
  for (const meant of typoOf) add([meant, ...formsOf(meant)], TYPO_COUNTS);
  const isLight =
    isLightWord(stem) || isFraming(stem) || (typoOf.length > 0 && typoOf.every(isLightWord)) || ADVERB.test(spelling);
  return { stem, spelling, alternatives, isLight, isMeant };
}

/** With what its words mean in English, or are misspellings of, for the search: a community writes mostly in one language. */
export function glossed(topic: string, { code }: Pick<Language, "code">): string {
  const english = takeGlossed(topic, code).meant.flatMap((word) => word.english);
  const typed = code === "en" ? toWords(topic).flatMap(({ text }) => suggestWords(text)) : [];
  return [topic, ...new Set([...english, ...typed])].join(" ").trim();
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
  const isAbsent = ({ stem, spelling, alternatives }: TopicWord) => {
    const stems = isKnownWord(spelling) ? [...alternatives.keys()] : [stem];
    return !texts.some((text) => stems.some((each) => text.has(each)));
  };
  const absent = topic.filter((word) => word.spelling.length >= MIN_TYPO_LENGTH && isAbsent(word));
  if (absent.length === 0) return topic;
  const known = [...new Set(texts.flatMap((text) => [...text]))];
  const certain = new Map(absent.map((word) => [word, known.filter((each) => isTypo(word, each))]));
  // Short words are close to others by chance; only who mistyped another word may have mistyped them.
  const isSloppy = [...certain.values()].some((close) => close.length > 0);
  return topic.map((word) => {
    const close = certain.get(word) ?? [];
    const others =
      close.length === 0 && isSloppy && certain.has(word) ? known.filter((each) => mayBeTypo(word, each)) : close;
    if (others.length === 0) return word;
    const alternatives = new Map([...word.alternatives, ...others.map((each) => [each, TYPO_COUNTS] as const)]);
    return { ...word, alternatives };
  });
}

const MIN_TYPO_LENGTH = 4;
const MIN_MEANT_LENGTH = 3;
/** In a word this long that does not exist, a wrong letter is a typo; one that exists has to be longer. */
const MIN_UNKNOWN_LENGTH = 6;
const MIN_KNOWN_LENGTH = 7;
const MIN_VERY_LONG_LENGTH = 9;

function isTypo(word: TopicWord, meant: string): boolean {
  const { stem, spelling } = word;
  if (meant.length < MIN_TYPO_LENGTH) return false;
  if (isSwapped(stem, meant) || isSwapped(spelling, meant) || isSameRoot(stem, meant)) return true;
  if (!isKnownWord(spelling)) return spelling.length >= MIN_UNKNOWN_LENGTH && mayBeTypo(word, meant);
  if (stem.length < MIN_KNOWN_LENGTH) return false;
  const maxEdits = stem.length < MIN_VERY_LONG_LENGTH ? 1 : 2;
  return editDistance(stem, meant, maxEdits) <= maxEdits;
}

/** "transcription" and "transcribing". */
function isSameRoot(a: string, b: string): boolean {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  return same >= MIN_ROOT_LENGTH && same >= MIN_ROOT_SHARE * Math.max(a.length, b.length);
}

const MIN_ROOT_LENGTH = 6;
const MIN_ROOT_SHARE = 0.7;

function mayBeTypo({ spelling }: TopicWord, meant: string): boolean {
  if (isKnownWord(spelling) || meant.length < MIN_MEANT_LENGTH) return false;
  return typosBetween(spelling, meant, Math.max(1, allowedTypos(spelling))) !== null;
}

/** Whether a word was translated, or may be a misspelling. */
export function isUncertain(topic: Topic): boolean {
  return topic.some(({ isMeant, alternatives }) => isMeant || [...alternatives.values()].includes(TYPO_COUNTS));
}

/** Words that say little count little, unless there are no others. */
export function lighten(topic: Topic, saysLittle: (word: TopicWord) => boolean): Topic {
  const isTelling = topic.some((word) => !word.isLight && !saysLittle(word));
  return isTelling ? topic.map((word) => (saysLittle(word) ? { ...word, isLight: true } : word)) : topic;
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
  return topic.map(({ isLight, isMeant }, index) => {
    const absent = highest * (isMeant ? ABSENT_MEANT_COUNTS : ABSENT_COUNTS);
    const rarity = counts[index] === 0 ? absent : (rarities[index] ?? 0);
    return Math.max(MIN_WEIGHT, rarity) * (isLight ? LIGHT_COUNTS : 1);
  });
}

const MIN_WEIGHT = 0.4;
const LIGHT_COUNTS = 0.3;
const ABSENT_COUNTS = 1.2;
const ABSENT_MEANT_COUNTS = 0.8;
