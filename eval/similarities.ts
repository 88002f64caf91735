/** Two common measures of how alike two words are, to compare with. */

export function levenshtein(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [row, letter] of [...a].entries()) {
    const line = [row + 1];
    for (let column = 1; column <= b.length; column += 1) {
      const kept = (last[column - 1] ?? 0) + (b[column - 1] === letter ? 0 : 1);
      line.push(Math.min(kept, (last[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1));
    }
    last = line;
  }
  return last[b.length] ?? 0;
}

export function jaroWinkler(a: string, b: string): number {
  if (a === b) return 1;
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1);
  const taken = new Set<number>();
  const fromA: string[] = [];
  for (let index = 0; index < a.length; index += 1) {
    for (let other = Math.max(0, index - reach); other <= Math.min(b.length - 1, index + reach); other += 1) {
      if (taken.has(other) || a[index] !== b[other]) continue;
      taken.add(other);
      fromA.push(a[index] ?? "");
      break;
    }
  }
  if (fromA.length === 0) return 0;
  const fromB = [...taken].sort((x, y) => x - y).map((index) => b[index]);
  const swapped = fromA.filter((letter, index) => letter !== fromB[index]).length / 2;
  const common = fromA.length;
  const jaro = (common / a.length + common / b.length + (common - swapped) / common) / 3;
  let start = 0;
  while (start < 4 && start < a.length && a[start] === b[start]) start += 1;
  return jaro + start * 0.1 * (1 - jaro);
}
