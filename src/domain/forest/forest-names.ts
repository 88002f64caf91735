import { isOrdinaryWord } from "../names/ordinary-words.ts";
import { foldBare } from "../search/keywords.ts";
import { isStopWord } from "../search/stop-words.ts";

/** Names of participants by their first word, those with most words first. */
export type NamesByFirstWord = ReadonlyMap<string, readonly NameEntry[]>;

export interface NameEntry {
  readonly words: readonly string[];
  /** All who have this name. */
  readonly people: readonly number[];
  /** An ordinary word, which counts as a name only with a mark (`@name`, `name:`). */
  readonly isOrdinary: boolean;
}

const MAX_NAME_LENGTH = 64;
const MAX_WORDS = 5;
/** Names shared by more people are ambiguous. */
const MAX_ALIKE = 6;
const MIN_NAME_LENGTH = 3;
const MIN_FORENAME_LENGTH = 4;
/** A word used this often within texts is an ordinary word. */
const MIN_OFTEN = 4;

/** Indexes names by their words, whatever separates them: `Ana_Maria`, "ana maria". The vocabulary is that of the texts to search for names. */
export function indexNames(names: readonly string[], vocabulary: ReadonlyMap<string, Said>): NamesByFirstWord {
  const index = new Map<string, Entry[]>();
  for (const [person, name] of names.entries()) {
    const words = wordsOf(name);
    enter(index, { words, people: [person], isOrdinary: isOrdinaryName(words) });
    const forename = words.slice(0, 1);
    if (words.length < 2 || (forename[0] ?? "").length < MIN_FORENAME_LENGTH) continue;
    // Names joined by other characters than spaces are rarely shortened.
    enter(index, {
      words: forename,
      people: [person],
      isOrdinary: isOrdinaryName(forename) || !/\s/u.test(name.trim()),
    });
  }
  for (const [first, entries] of index) {
    const places = vocabulary.get(first)?.places;
    if (!places || places.within < MIN_OFTEN || places.within <= 2 * places.first) continue;
    for (const entry of entries) if (entry.words.length === 1) entry.isOrdinary = true;
  }
  for (const entries of index.values()) entries.sort((a, b) => b.words.length - a.words.length);
  return index;
}

/** How often a text begins with the word, and how often it occurs later in a text. */
interface Said {
  readonly places: { readonly first: number; readonly within: number };
}

interface Entry extends NameEntry {
  readonly people: number[];
  isOrdinary: boolean;
}

function enter(index: Map<string, Entry[]>, entry: Entry): void {
  const [first] = entry.words;
  if (first === undefined) return;
  const entries = index.get(first) ?? [];
  index.set(first, entries);
  const same = entries.find(({ words }) => words.join(" ") === entry.words.join(" "));
  if (!same && entries.length < MAX_ALIKE) entries.push(entry);
  else if (same && same.people.length < MAX_ALIKE) same.people.push(...entry.people);
}

function wordsOf(name: string): string[] {
  const words = foldBare(name.slice(0, MAX_NAME_LENGTH)).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.slice(0, MAX_WORDS);
}

function isOrdinaryName(words: readonly string[]): boolean {
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  return (
    letters < MIN_NAME_LENGTH || words.every((word) => isOrdinaryWord(word) || isStopWord(word) || /^\d+$/.test(word))
  );
}
