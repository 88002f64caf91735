import { isOrdinaryWord } from "../names/ordinary-words.ts";
import { isStopWord } from "../search/stop-words.ts";
import { cuesOf } from "./cue-words.ts";
import type { NameEntry } from "./forest-names.ts";

/** A word of the texts, or a token that mentions somebody; looked at once, however often it is said. */
export interface ForestWord {
  readonly text: string;
  /** In how many places a text begins with it, and in how many it stands further on. */
  readonly places: { first: number; within: number };
  readonly cues: number;
  /** Its number among the words that say something; null if it does not. */
  readonly contentNumber: number | null;
  /** Whom the token mentions, if they are there; null if it is a word. */
  readonly mentioned: readonly number[] | null;
  /** The names that begin with it. */
  names: readonly NameEntry[];
}

/** All words, by how they are written. */
export type ForestVocabulary = Map<string, ForestWord>;

const MAX_WORD_LENGTH = 40;
const NO_NAMES: readonly NameEntry[] = [];

/** The words of a text in order; those not yet known become known. */
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
