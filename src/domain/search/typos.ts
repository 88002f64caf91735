/** What the stem of a word may have lost. */
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

/** How many typos are forgiven in a word: none in a short one, where every letter counts. */
export function allowedTypos(word: string): number {
  if (word.length < MIN_LENGTH_FOR_ONE_TYPO) return 0;
  return word.length < MIN_LENGTH_FOR_TWO_TYPOS ? 1 : 2;
}

/**
 * Says how many typos (a letter too many, missing, wrong, or two swapped) lead from a form of a stem to what was typed; null when it takes more
 * than `most`. The first letter is nearly always right, or swapped with the second.
 */
export function createTypoCounter(typed: string, most: number): (stem: string) => number | null {
  const table = new TypoTable(typed);
  return (stem) => {
    if (stem[0] !== typed[0] && (stem[0] !== typed[1] || stem[1] !== typed[0])) return null;
    for (let index = 0; index < stem.length; index += 1) if (table.add(stem, index) > most) return null;
    let least = most + 1;
    for (const ending of ENDINGS) {
      // Too short a stem with an ending could be anything.
      if (ending !== "" && stem.length < MIN_LENGTH_FOR_ONE_TYPO) continue;
      if (Math.abs(stem.length + ending.length - typed.length) >= least) continue;
      const word = stem + ending;
      for (let index = stem.length; index < word.length; index += 1) table.add(word, index);
      least = Math.min(least, table.distance(word.length));
    }
    return least > most ? null : least;
  };
}

/** The same for a single stem. */
export function typosBetween(typed: string, stem: string, most: number): number | null {
  return createTypoCounter(typed, most)(stem);
}

/**
 * Edit distances, swapping two neighbours counting once, between all beginnings of two words: a row for each letter of the intended word. Rows are
 * kept: words with the same beginning share them, and the next word overwrites them.
 */
class TypoTable {
  readonly #typed: string;
  readonly #rows: number[][];

  constructor(typed: string) {
    this.#typed = typed;
    this.#rows = [Array.from({ length: typed.length + 1 }, (_, column) => column)];
  }

  /** Enters the letter at the index; gives back the least of its row, below which no later one can fall. */
  add(word: string, index: number): number {
    const [before, last] = [this.#rows[index - 1], this.#rows[index] ?? []];
    const row = this.#rows[index + 1] ?? [];
    const typed = this.#typed;
    const letter = word.charCodeAt(index);
    const previous = word.charCodeAt(index - 1);
    row[0] = index + 1;
    let least = index + 1;
    for (let column = 1; column <= typed.length; column += 1) {
      const isSame = letter === typed.charCodeAt(column - 1);
      let typos = (last[column - 1] ?? 0) + (isSame ? 0 : 1);
      typos = Math.min(typos, (last[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1);
      if (before && letter === typed.charCodeAt(column - 2) && previous === typed.charCodeAt(column - 1))
        typos = Math.min(typos, (before[column - 2] ?? typos) + 1);
      row[column] = typos;
      if (typos < least) least = typos;
    }
    this.#rows[index + 1] = row;
    return least;
  }

  distance(length: number): number {
    return this.#rows[length]?.[this.#typed.length] ?? Number.POSITIVE_INFINITY;
  }
}
