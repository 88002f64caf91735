import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Language, toLanguage } from "./language.ts";
import { foldWord, parseLanguageFile } from "./language-file.ts";

/** The same folder for the sources and for the build, whose parts lie in folders beside it. */
const FOLDER = join(import.meta.dirname, "../language");

/** Reads all files of a folder, one per language. Throws a `LanguageFileError` for one that cannot be used. */
export function readLanguages(folder: string) {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".txt"))
    .sort((a, b) => Number(b === "en.txt") - Number(a === "en.txt") || (a < b ? -1 : 1))
    .map((name) => {
      const file = parseLanguageFile(join(folder, name), readFileSync(join(folder, name)));
      const language = toLanguage(name.slice(0, -".txt".length), file);
      // A sentence that is missing is told at the start, not to the first person who asks.
      const isServed = file.entries("answers").length > 0 && language.says !== undefined;
      return { language, isServed };
    });
  return {
    /** All of which there are words, English first. */
    wordLists: files.map(({ language }) => language),
    /** Those whose questions are understood: they have sentences to answer with. */
    languages: files.filter(({ isServed }) => isServed).map(({ language }) => language),
  };
}

export const READ = readLanguages(FOLDER);

export const LANGUAGES: readonly Language[] = READ.languages;

const [english] = LANGUAGES;
if (english?.code !== "en") throw new Error(`en.txt is missing in ${FOLDER}.`);

export const ENGLISH: Language = english;

const MAX_WORD_COUNTS = 2;

/** Of the languages whose questions are understood; English for all others. `usual` is what was spoken before: it decides where nothing else does. */
export function detectLanguage(text: string, usual: string | null = null, read = READ): Language {
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  const likely = mostLikely(words.map(foldWord), text, read.wordLists);
  // "Mark?" is in whatever language was spoken before.
  const { code } = likely.find((language) => language.code === usual) ?? likely[0] ?? ENGLISH;
  return read.languages.find((language) => language.code === code) ?? ENGLISH;
}

/** The same among all that there are words of, for words without accents. */
export function languageOf(words: readonly string[]): Language {
  return mostLikely(words, words.join(" "), READ.wordLists)[0] ?? ENGLISH;
}

function mostLikely(words: readonly string[], text: string, all: readonly Language[]): readonly Language[] {
  const byScript = all.find(({ script }) => script?.test(text));
  if (byScript) return [byScript];
  const lower = text.toLowerCase();
  const counts: number[] = all.map(({ letters }) => ([...letters].some((letter) => lower.includes(letter)) ? 1 : 0));
  for (const word of words) {
    const owners = all.flatMap(({ vocabulary }, index) => (vocabulary.has(word) ? [index] : []));
    // Short words are alike in many languages.
    for (const owner of owners)
      counts[owner] = (counts[owner] ?? 0) + Math.min(MAX_WORD_COUNTS, word.length / 2) / owners.length;
  }
  const top = Math.max(...counts);
  return all.filter((_, index) => counts[index] === top);
}
