import { EditTable } from "../text/edit-distance.ts";

/** Endings that a stem may have lost. */
const ENDINGS = [
  ...[
    "",
    "s",
    "e",
    "es",
    "d",
    "ed",
    "ing",
    "er",
    "ers",
    "y",
    "ies",
    "ly",
    "al",
    "ion",
    "ions",
    "ation",
    "ment",
    "ness",
    "able",
  ],
];
const MIN_LENGTH_FOR_ONE_TYPO = 5;
const MIN_LENGTH_FOR_TWO_TYPOS = 8;

/** Number of typos tolerated in a word: none in a short one, where every letter counts. */
export function allowedTypos(word: string): number {
  if (word.length < MIN_LENGTH_FOR_ONE_TYPO) return 0;
  return word.length < MIN_LENGTH_FOR_TWO_TYPOS ? 1 : 2;
}

/**
 * Counts the typos (an extra, missing or wrong letter, or two swapped) between a form of a stem and the typed word; null if it takes more
 * than `most`. The first letter is nearly always right, or swapped with the second.
 */
export function createTypoCounter(typed: string, most: number): (stem: string) => number | null {
  const table = new EditTable(typed);
  return (stem) => {
    if (stem[0] !== typed[0] && (stem[0] !== typed[1] || stem[1] !== typed[0])) return null;
    for (let index = 0; index < stem.length; index += 1) if (table.add(stem, index) > most) return null;
    let least = most + 1;
    for (const ending of ENDINGS) {
      // With an ending, too short a stem could be any word.
      if (ending !== "" && stem.length < MIN_LENGTH_FOR_ONE_TYPO) continue;
      if (Math.abs(stem.length + ending.length - typed.length) >= least) continue;
      const word = stem + ending;
      for (let index = stem.length; index < word.length; index += 1) table.add(word, index);
      least = Math.min(least, table.distance(word.length));
    }
    return least > most ? null : least;
  };
}

/** For a single stem. */
export function typosBetween(typed: string, stem: string, most: number): number | null {
  return createTypoCounter(typed, most)(stem);
}
