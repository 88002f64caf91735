const MAX_CANDIDATES = 10;
/** Longer names are compared by their beginning. */
const MAX_COMPARED_LENGTH = 50;

/** The names that are most like a mistyped one, the closest first. */
export function nearestNames(typed: string, known: Iterable<string>): string[] {
  return [...new Set(known)]
    .map((name) => ({ name, distance: distanceOf(typed, name) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_CANDIDATES)
    .map(({ name }) => name);
}

function distanceOf(typed: string, name: string): number {
  const [one, other] = [typed, name].map((text) => text.slice(0, MAX_COMPARED_LENGTH).toLowerCase());
  if (one === undefined || other === undefined) return Number.POSITIVE_INFINITY;
  return one !== "" && (other.includes(one) || one.includes(other)) ? 0 : countEdits(one, other);
}

/** Levenshtein's distance. */
function countEdits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, against] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === against ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
