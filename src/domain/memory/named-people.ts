import { toForms, toLookalike } from "../names/name-forms.ts";
import { isOrdinaryWord } from "../names/ordinary-words.ts";
import type { Named } from "../names/resolve-name.ts";

/** Shorter names have too many other meanings. */
const MIN_LETTERS = 3;
const MAX_NAME_WORDS = 8;
const PLAIN = /^[ -~]*$/;
const BARE = /^[a-z0-9]*$/;
const NOT_BARE = /[^a-z0-9]+/g;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * Ids of the people whom these texts name in plain words: by a whole nickname, display name or username that only one person has.
 * Conservative, because people can choose any name: no parts of names, no ordinary words, and in scripts without spaces only names that
 * stand alone.
 */
export function findNamedPeople(texts: readonly string[], people: Iterable<Named>): ReadonlySet<string> {
  const runs = new Set(texts.flatMap((text) => toRuns(text)));
  // Compared by look-alikes, since mixed scripts in a word are only used to mislead.
  const mixed = texts.filter((text) => isMixed(text.normalize("NFKC")));
  const mixedRuns = new Set(mixed.flatMap((text) => toRuns(text, (words) => words.some(isMixed))).map(toLookalike));
  const isThere = (bare: string) => runs.has(bare) || (mixedRuns.size > 0 && mixedRuns.has(toLookalike(bare)));
  const holders = new Map<string, Set<string>>();
  for (const { id, names } of people)
    for (const name of names) {
      if (PLAIN.test(name) && !isThere(toPlainBare(name))) continue;
      const { bare, words } = toForms(name);
      if (!isThere(bare) || !isTelling(bare, words)) continue;
      holders.set(bare, (holders.get(bare) ?? new Set()).add(id));
    }
  return new Set([...holders.values()].flatMap((ids) => (ids.size === 1 ? [...ids] : [])));
}

/** The bare form of an ASCII name, much faster: there may be hundreds of thousands of names, and few of them are in a text. */
function toPlainBare(name: string): string {
  const lower = name.toLowerCase();
  return BARE.test(lower) ? lower : lower.replace(NOT_BARE, "");
}

/** Each word and each short run of words, in the form in which names are compared: "Ann-Marie", "ann marie" and "AnnMarie" are equal. */
function toRuns(text: string, isWanted: (words: readonly string[]) => boolean = () => true): string[] {
  const words = (text.normalize("NFKC").match(WORD) ?? []).map((word) => toForms(word).bare);
  const runs: string[] = [];
  for (let start = 0; start < words.length; start += 1)
    for (let count = 1; count <= Math.min(MAX_NAME_WORDS, words.length - start); count += 1) {
      const run = words.slice(start, start + count);
      if (isWanted(run)) runs.push(run.join(""));
    }
  return runs;
}

/** Whether a word has letters of several alphabets that look alike. */
function isMixed(word: string): boolean {
  return /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word);
}

function isTelling(bare: string, words: readonly string[]): boolean {
  const letters = bare.match(/\p{L}/gu)?.length ?? 0;
  return letters >= MIN_LETTERS && !(words.length > 0 ? words : [bare]).every(isOrdinaryWord);
}
