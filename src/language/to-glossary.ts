import type { LanguageFile } from "./language-file.ts";
import { foldWord, type GlossedWords, type WordList } from "./language-words.ts";

const MIN_STEM_LENGTH = 3;

export function toGlossary(file: LanguageFile, { endings, script }: WordList): GlossedWords {
  const exact = new Map(
    file
      .pairs("glossary")
      .flatMap(([words, english]) => words.split(" ").map((word) => [foldWord(word), english.split(" ")] as const)),
  );
  if (script !== null) {
    const longestFirst = [...exact].sort(([a], [b]) => b.length - a.length);
    const dense = longestFirst.map(([word, english]) => [toPattern(word), english] as const);
    return { exact: new Map(), stems: new Map(), dense, endings: [], joints: [] };
  }
  const stems = new Map<string, readonly string[]>();
  for (const [word, english] of exact)
    for (const stem of toStems(word, endings)) if (!stems.has(stem)) stems.set(stem, english);
  return { exact, stems, dense: [], endings, joints: file.words("joints") };
}

/** The word, and what is left of it without an ending. Too coarse for grammar, and enough to look a word up. */
export function toStems(word: string, endings: readonly string[]): string[] {
  const stems = endings.filter((ending) => word.endsWith(ending)).map((ending) => word.slice(0, -ending.length));
  return [word, ...stems.filter((stem) => stem.length >= MIN_STEM_LENGTH).sort((a, b) => b.length - a.length)];
}

/** Scripts without spaces have no ends of words; a single Korean syllable has at least to begin one. */
function toPattern(word: string): RegExp {
  return /^\p{sc=Hangul}$/u.test(word) ? new RegExp(`(?<![\\p{L}])${word}`, "gu") : new RegExp(word, "gu");
}
