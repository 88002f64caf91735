import { ENGLISH } from "../../language/languages.ts";

const { small } = ENGLISH;

/** For English only: a stop word of one language may be a content word of another. Expects a word without accents. */
export function isStopWord(word: string): boolean {
  return small.has(word);
}
