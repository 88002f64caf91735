import { isOrdinaryWord } from "../names/ordinary-words.ts";
import { isStopWord } from "../search/stop-words.ts";
import { isFunctionWord } from "./glossary/function-words.ts";
import { isGlossed } from "./glossary/glossary.ts";
import { isKnownWord } from "./known-words.ts";
import { de } from "./languages/de.ts";
import { en } from "./languages/en.ts";
import { es } from "./languages/es.ts";
import { fr } from "./languages/fr.ts";
import { ja } from "./languages/ja.ts";
import { ko } from "./languages/ko.ts";
import type { Language } from "./languages/language-words.ts";
import { pt } from "./languages/pt.ts";
import { isChatSpelling } from "./mistyped.ts";

const ENGLISH = en;
const LATIN: readonly Language[] = [en, de, es, fr, pt];
/** All whose questions are understood. */
export const LANGUAGES: readonly Language[] = [...LATIN, ja, ko];

/** Not a word of English as well. */
function isTelling(word: string, code: string): boolean {
  return word.length > 2 && isFunctionWord(word, code) && !isKnownWord(word);
}

const GLOSSED_COUNTS = 0.6;

/** The language that a question is asked in, of those whose questions are understood; English for all others. */
export function detectLanguage(text: string, usual: string | null = null): Language {
  if (/[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text)) return ja;
  if (/\p{sc=Hangul}/u.test(text)) return ko;
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const counts = LATIN.map((language) => {
    const { thanks, greetings } = language.asks;
    const isMark = (word: string) =>
      [language.marks, thanks, greetings].some((set) => set.has(word)) ||
      (language === ENGLISH
        ? isStopWord(word) || isOrdinaryWord(word) || isChatSpelling(word)
        : isTelling(word, language.code));
    // Short words are alike in many languages.
    const marks = words.reduce((sum, word) => sum + (isMark(word) ? Math.min(2, word.length / 2) : 0), 0);
    // A word without its ending is like words of many languages; it counts where others speak for the language.
    const known = words.filter((word) => !isKnownWord(word) && isGlossed(word, language.code, marks === 0)).length;
    return { language, count: marks + GLOSSED_COUNTS * known + (language.letters?.test(text) ? 1 : 0) };
  });
  const top = Math.max(...counts.map(({ count }) => count));
  const best = counts.filter(({ count }) => count === top).map(({ language }) => language);
  // "Mark?" is in whatever language was spoken before.
  if (top === 0 || best.length > 1) return [...best, ja, ko].find(({ code }) => code === usual) ?? best[0] ?? ENGLISH;
  return best[0] ?? ENGLISH;
}
