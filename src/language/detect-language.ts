import { foldWord, type Language, type WordList } from "./language-words.ts";
import { ENGLISH, type Languages, READ } from "./languages.ts";

const MAX_WORD_COUNTS = 2;

/**
 * The language that a text is in, of those whose questions are understood; English for all others. `usual` is what was spoken before: it decides where
 * nothing else does.
 */
export function detectLanguage(text: string, usual: string | null = null, read: Languages = READ): Language {
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  const { code } = mostLikely(words.map(foldWord), read.wordLists, { text, usual });
  return read.languages.find((language) => language.code === code) ?? ENGLISH;
}

/** The same among all that there are words of, for words without accents. */
export function languageOf(words: readonly string[]): WordList {
  return mostLikely(words, READ.wordLists, { text: words.join(" "), usual: null });
}

function mostLikely<One extends WordList>(
  words: readonly string[],
  all: readonly One[],
  { text, usual }: { readonly text: string; readonly usual: string | null },
): One {
  const byScript = all.find(({ script }) => script?.test(text));
  if (byScript) return byScript;
  const lower = text.toLowerCase();
  const counts: number[] = all.map(({ letters }) => ([...letters].some((letter) => lower.includes(letter)) ? 1 : 0));
  for (const word of words) {
    const owners = all.flatMap(({ vocabulary }, index) => (vocabulary.has(word) ? [index] : []));
    // Short words are alike in many languages.
    for (const owner of owners)
      counts[owner] = (counts[owner] ?? 0) + Math.min(MAX_WORD_COUNTS, word.length / 2) / owners.length;
  }
  const top = Math.max(...counts);
  const best = all.filter((_, index) => counts[index] === top);
  const [first] = best;
  if (first === undefined) throw new Error("There are no languages.");
  // "Mark?" is in whatever language was spoken before.
  return (top === 0 ? all : best).find(({ code }) => code === usual) ?? first;
}
