const MAX_NAME_LENGTH = 50;

/** The names that are most like the one given, if any could be meant by it: at most two letters differ. */
export function similarNames(name: string, names: readonly string[]): string[] {
  const allowed = name.length < 4 ? 1 : 2;
  const near = names.map((other) => ({ other, distance: editDistance(name.slice(0, MAX_NAME_LENGTH), other) }));
  const least = Math.min(...near.map(({ distance }) => distance));
  return least > allowed ? [] : near.filter(({ distance }) => distance === least).map(({ other }) => other);
}

/** Letters to add, remove, change or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  let [before, row] = [[] as number[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : change;
      next[j] = Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
