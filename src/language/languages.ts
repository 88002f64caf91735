import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseLanguageFile } from "./language-file.ts";
import type { Language, WordList } from "./language-words.ts";
import { toLanguage } from "./to-language.ts";

/** The same folder for the sources and for the build, whose parts lie in folders beside it. */
const FOLDER = join(import.meta.dirname, "../language");

export interface Languages {
  /** All of which there are words, English first. */
  readonly wordLists: readonly WordList[];
  /** Those whose questions are understood: they have sentences to answer with. */
  readonly languages: readonly Language[];
}

/** Reads all files of a folder, one per language. Throws a `LanguageFileError` for one that cannot be used. */
export function readLanguages(folder: string): Languages {
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
    wordLists: files.map(({ language }) => language),
    languages: files.filter(({ isServed }) => isServed).map(({ language }) => language),
  };
}

export const READ = readLanguages(FOLDER);

/** Those whose questions are understood. */
export const LANGUAGES: readonly Language[] = READ.languages;

/** Understood everywhere, and used where no other language is. */
export const ENGLISH = toEnglish(LANGUAGES);

function toEnglish([english]: readonly Language[]): Language {
  if (english?.code !== "en") throw new Error(`en.txt is missing in ${FOLDER}.`);
  return english;
}
