/**
 * Optimal string alignment distance: the number of letters to insert, delete, replace or swap with their neighbour; `maxEdits + 1` if it is more
 * than `maxEdits`. No substring is edited twice, so the distance from "ca" to "abc" is three.
 */
export function editDistance(a: string, b: string, maxEdits: number): number {
  if (Math.abs(a.length - b.length) > maxEdits) return maxEdits + 1;
  let start = 0;
  while (start < a.length && start < b.length && a.charCodeAt(start) === b.charCodeAt(start)) start += 1;
  let endA = a.length;
  let endB = b.length;
  while (endA > start && endB > start && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1)) {
    endA -= 1;
    endB -= 1;
  }
  const longer = Math.max(endA, endB) - start;
  if (endA === start || endB === start || longer === 1) return Math.min(longer, maxEdits + 1);
  // Different at both ends: one edit is enough only to swap two letters.
  if (maxEdits === 1 && longer > 2) return 2;
  const table = new EditTable(b.slice(start, endB));
  const other = a.slice(start, endA);
  // No row is cheaper than the one before it, but a swap reaches back two rows.
  for (let index = 0; index < other.length; index += 1) if (table.add(other, index) > maxEdits + 1) return maxEdits + 1;
  return Math.min(table.distance(other.length), maxEdits + 1);
}

/**
 * Edit distances between all prefixes of two words, with one row for each letter of the other word; swapping two neighbours counts once.
 * Words with the same prefix share its rows, and the next word overwrites the rest.
 */
export class EditTable {
  readonly #word: string;
  readonly #rows: number[][];

  constructor(own: string) {
    this.#word = own;
    this.#rows = [Array.from({ length: own.length + 1 }, (_, column) => column)];
  }

  /** Enters the letter at the index; returns the minimum of its row, a lower bound for all later rows. */
  add(word: string, index: number): number {
    const [before, last] = [this.#rows[index - 1], this.#rows[index] ?? []];
    const row = this.#rows[index + 1] ?? [];
    const own = this.#word;
    const letter = word.charCodeAt(index);
    const previous = word.charCodeAt(index - 1);
    row[0] = index + 1;
    let least = index + 1;
    for (let column = 1; column <= own.length; column += 1) {
      const isSame = letter === own.charCodeAt(column - 1);
      let edits = (last[column - 1] ?? 0) + (isSame ? 0 : 1);
      edits = Math.min(edits, (last[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1);
      if (before && letter === own.charCodeAt(column - 2) && previous === own.charCodeAt(column - 1))
        edits = Math.min(edits, (before[column - 2] ?? edits) + 1);
      row[column] = edits;
      if (edits < least) least = edits;
    }
    this.#rows[index + 1] = row;
    return least;
  }

  distance(length: number): number {
    return this.#rows[length]?.[this.#word.length] ?? Number.POSITIVE_INFINITY;
  }
}
