/**
 * How many letters must be put in, left out, exchanged or swapped with their neighbour to turn one word into the other; `most + 1` as soon
 * as it is more than `most`. No stretch is edited twice, so that "ca" is three away from "abc".
 */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    let least = row;
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const cost = Math.min(
        at(last, column) + 1,
        at(line, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, column - 2) + 1 : most + 1,
      );
      line.push(cost);
      least = Math.min(least, cost);
    }
    // A swap reaches back two lines, so one line above the limit is not yet the end.
    if (least > most && Math.min(...last) > most) return most + 1;
    beforeLast = last;
    last = line;
  }
  return Math.min(at(last, b.length), most + 1);
}

function at(line: readonly number[], column: number): number {
  return line[column] ?? Number.POSITIVE_INFINITY;
}
