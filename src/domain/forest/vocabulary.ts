import { isOrdinaryWord } from "../names/ordinary-words.ts";
import { isStopWord } from "../search/stop-words.ts";
import { cuesOf } from "./cue-words.ts";
import type { NameEntry } from "./forest-names.ts";

/** A word of the texts or a mention token, analysed once, however often it occurs. */
export interface ForestWord {
  readonly text: string;
  /** How often a text begins with it, and how often it occurs later in a text. */
  readonly places: { first: number; within: number };
  readonly cues: number;
  /** Its number if it is a content word, otherwise null. */
  readonly contentNumber: number | null;
  /** For a mention token the person, if they are among the authors; null for a word. */
  readonly mentioned: readonly number[] | null;
  /** Names that begin with the word. */
  names: readonly NameEntry[];
}

/** All words, by spelling. */
export type ForestVocabulary = Map<string, ForestWord>;

const MAX_WORD_LENGTH = 40;
const NO_NAMES: readonly NameEntry[] = [];

/** The words of a text in order. Adds new ones to the vocabulary. */
export function learnWords(
  vocabulary: ForestVocabulary,
  pieces: readonly string[],
  people: ReadonlyMap<string, number>,
): ForestWord[] {
  return pieces.map((text, at) => {
    let word = vocabulary.get(text);
    if (!word) {
      word = toWord(text, vocabulary.size, people);
      vocabulary.set(text, word);
    }
    if (at === 0) word.places.first += 1;
    else word.places.within += 1;
    return word;
  });
}

function toWord(text: string, number: number, people: ReadonlyMap<string, number>): ForestWord {
  const isMention = text.startsWith("<");
  const person = isMention ? people.get(text.replace(/\D+/g, "")) : undefined;
  return {
    text,
    places: { first: 0, within: 0 },
    cues: cuesOf(text),
    contentNumber: !isMention && isContentWord(text) ? number : null,
    mentioned: isMention ? (person === undefined ? [] : [person]) : null,
    names: NO_NAMES,
  };
}

function isContentWord(word: string): boolean {
  return word.length > 2 && word.length <= MAX_WORD_LENGTH && !isStopWord(word) && !isOrdinaryWord(word);
}
