/** A run of letters and digits, or a single symbol or emoji, which can say as much. Punctuation does not count. */
const WORD = /[\p{L}\p{N}\p{M}]+|[^\s\p{P}\p{L}\p{N}\p{M}]/gu;

/** Whether an edit removed any word. Additions, case, order and punctuation do not matter. */
export function hasRemovedWords(before: string, after: string): boolean {
  if (before === after) return false;
  const left = wordsOf(after);
  for (const word of wordsOf(before)) if (!left.has(word)) return true;
  return false;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.normalize("NFKC").toLowerCase().match(WORD));
}
