import { foldWord, type LanguageFile } from "./language-file.ts";

/** What words are in English, by the word and by what is left of it without an ending; all without accents. */
export interface Glossary {
  readonly english: ReadonlyMap<string, readonly string[]>;
  readonly endings: readonly string[];
  /** Of scripts without spaces, all words. */
  readonly dense: RegExp | null;
}

/** A word of a question that the glossary knows, and what it may mean in English. */
export interface GlossedWord {
  readonly written: string;
  readonly english: readonly string[];
}

const MIN_STEM_LENGTH = 3;
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu;

export function toGlossary(
  file: LanguageFile,
  { endings, script }: { readonly endings: readonly string[]; readonly script: RegExp | null },
): Glossary {
  const exact = file
    .pairs("glossary")
    .flatMap(([words, english]) => words.split(" ").map((word) => [foldWord(word), english.split(" ")] as const));
  if (script !== null) {
    const words = exact.map(([word]) => word).sort((a, b) => b.length - a.length);
    // A single Korean syllable has at least to begin a word.
    const sources = words.map((word) => (/^\p{sc=Hangul}$/u.test(word) ? String.raw`(?<!\p{L})${word}` : word));
    return { english: new Map(exact), endings: [], dense: new RegExp(sources.join("|") || "(?!)", "gu") };
  }
  const stems = exact.flatMap(([word, english]) => toStems(word, endings).map((stem) => [stem, english] as const));
  return { english: new Map([...stems.reverse(), ...exact]), endings, dense: null };
}

/** The word, and what is left of it without an ending. Too coarse for grammar, and enough to look a word up. */
function toStems(word: string, endings: readonly string[]): string[] {
  const stems = endings.filter((ending) => word.endsWith(ending)).map((ending) => word.slice(0, -ending.length));
  return [word, ...stems.filter((stem) => stem.length >= MIN_STEM_LENGTH).sort((a, b) => b.length - a.length)];
}

/** Takes the words out of a text that the glossary knows. Names, numbers and what it does not know are left. */
export function takeGlossed(text: string, glossary: Glossary): { rest: string; meant: GlossedWord[] } {
  const meant: GlossedWord[] = [];
  const rest = text.replaceAll(glossary.dense ?? WORD, (written) => {
    const english = lookUp(written, glossary);
    if (english) meant.push({ written, english });
    return english ? " " : written;
  });
  return { rest: rest.replaceAll(/\s+/gu, " ").trim(), meant };
}

function lookUp(written: string, { english, endings }: Glossary): readonly string[] | undefined {
  // "l'heure" is an hour.
  const word = foldWord(written.replace(/^\p{L}{1,2}['’]/u, ""));
  const known = toStems(word, endings).find((stem) => english.has(stem));
  return known === undefined ? undefined : english.get(known);
}
