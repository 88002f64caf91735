import { ENGLISH } from "../../language/languages.ts";

const { small } = ENGLISH;

/** Of English alone: what is no word to search for in one language may be one in another. Expects a word without accents. */
export function isStopWord(word: string): boolean {
  return small.has(word);
}
