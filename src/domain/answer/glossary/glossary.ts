import { foldBare } from "../../search/keywords.ts";
import { glossaryOfHome } from "./glossary-home.ts";
import { glossaryOfNumbers } from "./glossary-numbers.ts";
import { glossaryOfVerbs } from "./glossary-verbs.ts";
import { glossaryOfWork } from "./glossary-work.ts";
import { glossaryOfWorld } from "./glossary-world.ts";

/** A word of a question that the glossary knows, and what it may mean in English. */
export interface GlossedWord {
  readonly written: string;
  readonly english: readonly string[];
}

interface Glossary {
  /** By the word without accents. */
  readonly exact: ReadonlyMap<string, readonly string[]>;
  /** By the word without accents and without its ending. */
  readonly stems: ReadonlyMap<string, readonly string[]>;
  /** Entries of several words, and words of scripts without spaces; the longest first. */
  readonly patterns: readonly (readonly [pattern: RegExp, english: readonly string[]])[];
}

const LANGUAGES = ["de", "es", "fr", "pt", "ja", "ko"];
/** Endings of inflected words, the longest first. Too coarse for grammar, and enough to look a word up. */
const ENDINGS: Readonly<Record<string, RegExp>> = {
  de: /(?:sten|ten|tem|ter|tes|test|est|te|en|em|er|es|st|et|e|n|s|t)$/u,
  es: /(?:ciones|aron|ieron|aban|ando|iendo|ados|adas|idos|idas|ado|ada|ido|ida|amos|emos|imos|aba|ar|er|ir|an|en|os|as|es|io|o|a|e|s)$/u,
  fr: /(?:aient|erait|erons|eront|ions|ees|ent|ait|ais|ons|ant|era|er|ez|es|ee|ir|re|e|s|x|t)$/u,
  pt: /(?:coes|aram|eram|iram|avam|ando|endo|indo|ados|adas|idos|idas|ado|ada|ido|ida|amos|emos|imos|ava|ar|er|ir|am|em|ou|eu|iu|os|as|es|oes|ao|o|a|e|s)$/u,
};
const MIN_STEM_LENGTH = 3;
/** A German word this long may be two. */
const MIN_COMPOUND_LENGTH = 8;
const MIN_PART_LENGTH = 4;
const LINK = /(?:es|en|s|n|e)$/u;
const IS_LATIN = /\p{sc=Latin}/u;
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu;

const ROWS = [glossaryOfHome, glossaryOfWorld, glossaryOfWork, glossaryOfVerbs, glossaryOfNumbers]
  .flatMap((theme) => theme.trim().split("\n"))
  .map((row) => row.split("|").map((cell) => cell.split(" ")));

const GLOSSARIES: ReadonlyMap<string, Glossary> = new Map(
  LANGUAGES.map((code, index) => [code, toGlossary(code, index + 1)]),
);

/** All English words of the glossary. */
export const GLOSSARY_ENGLISH: readonly string[] = ROWS.flatMap(([english = []]) => english);

/** Takes the words out of a text that the glossary knows. Names, numbers and what it does not know are left. */
export function takeGlossed(text: string, code: string): { rest: string; meant: GlossedWord[] } {
  const glossary = GLOSSARIES.get(code);
  const meant: GlossedWord[] = [];
  if (!glossary) return { rest: text, meant };
  let rest = text;
  for (const [pattern, english] of glossary.patterns)
    rest = rest.replaceAll(pattern, (written) => {
      meant.push({ written, english });
      return " ";
    });
  rest = rest.replaceAll(WORD, (written) => {
    const found = lookUp(written, code, glossary);
    meant.push(...found);
    return found.length > 0 ? " " : written;
  });
  return { rest: rest.replaceAll(/\s+/gu, " ").trim(), meant };
}

/** Whether the language has the word, as it is written or with another ending. */
export function isGlossed(word: string, code: string, isExact: boolean): boolean {
  const glossary = GLOSSARIES.get(code);
  if (!glossary) return false;
  return isExact ? glossary.exact.has(fold(word)) : find(fold(word), code, glossary) !== undefined;
}

function lookUp(written: string, code: string, glossary: Glossary): GlossedWord[] {
  const word = fold(written.replace(/^[ldjmnst]['’]/iu, ""));
  const english =
    find(word, code, glossary) ??
    (code === "de" ? find(word.replaceAll(/([aou])e/gu, "$1"), code, glossary) : undefined);
  if (english) return [{ written, english }];
  return code === "de" && word.length >= MIN_COMPOUND_LENGTH ? splitCompound(word, written, glossary) : [];
}

function find(word: string, code: string, { exact, stems }: Glossary): readonly string[] | undefined {
  const forms = toStems(word, code);
  const first = (map: Glossary["exact"]) => forms.map((form) => map.get(form)).find((english) => english !== undefined);
  return first(exact) ?? first(stems);
}

/** "Segelboot" is a sail and a boat. Both parts have to be known. */
function splitCompound(word: string, written: string, glossary: Glossary): GlossedWord[] {
  for (let at = MIN_PART_LENGTH; at <= word.length - MIN_PART_LENGTH; at += 1) {
    const [head, tail] = [word.slice(0, at), word.slice(at)];
    const first = find(head, "de", glossary) ?? find(head.replace(LINK, ""), "de", glossary);
    const second = find(tail, "de", glossary);
    if (first && second)
      return [
        { written: head, english: first },
        { written, english: second },
      ];
  }
  return [];
}

/** The word, and what is left of it without its ending: without the shortest, and without the longest that fits. */
function toStems(word: string, code: string): string[] {
  const ending = ENDINGS[code] ?? /$/u;
  const shorter = word.slice(0, -1);
  const stems = [word, ...(ending.test(word.slice(-1)) ? [shorter] : []), word.replace(ending, "")];
  return stems.filter((stem) => stem === word || stem.length >= MIN_STEM_LENGTH);
}

function toGlossary(code: string, column: number): Glossary {
  const exact = new Map<string, string[]>();
  const stems = new Map<string, string[]>();
  const patterns = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, key: string, english: readonly string[]) =>
    map.set(key, [...new Set([...(map.get(key) ?? []), ...english])]);
  for (const row of ROWS)
    for (const word of row[column] ?? []) {
      const english = row[0] ?? [];
      if (!IS_LATIN.test(word) || word.includes("-")) add(patterns, word, english);
      else {
        add(exact, fold(word), english);
        for (const stem of toStems(fold(word), code)) add(stems, stem, english);
      }
    }
  return {
    exact,
    stems,
    patterns: [...patterns]
      .sort(([a], [b]) => b.length - a.length)
      .map(([word, english]) => [toPattern(word), english] as const),
  };
}

function fold(word: string): string {
  return foldBare(word).replaceAll("ß", "ss");
}

/** Scripts without spaces have no ends of words; a single Korean syllable has at least to begin one. */
function toPattern(word: string): RegExp {
  if (IS_LATIN.test(word)) return new RegExp(`(?<![\\p{L}])${word.replaceAll("-", "[ -]")}(?![\\p{L}])`, "giu");
  return /^\p{sc=Hangul}$/u.test(word) ? new RegExp(`(?<![\\p{L}])${word}`, "gu") : new RegExp(word, "gu");
}
