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
  return fillTable(a.slice(start, endA), b.slice(start, endB), maxEdits);
}

function fillTable(a: string, b: string, maxEdits: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    let least = row;
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const edited = Math.min(at(last, column), at(line, column - 1), at(last, column - 1) - (isSame ? 1 : 0)) + 1;
      const cost = isSwap ? Math.min(edited, at(beforeLast, column - 2) + 1) : edited;
      if (cost < least) least = cost;
      line.push(cost);
    }
    // No row is cheaper than the one before it, but a swap reaches back two rows.
    if (least > maxEdits + 1) return maxEdits + 1;
    beforeLast = last;
    last = line;
  }
  return Math.min(at(last, b.length), maxEdits + 1);
}

function at(line: readonly number[], column: number): number {
  return line[column] ?? Number.POSITIVE_INFINITY;
}
