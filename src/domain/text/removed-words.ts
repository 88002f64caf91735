/** Letters and digits in a row; signs and emoji, which can say as much, each by themselves. Punctuation is no word. */
const WORD = /[\p{L}\p{N}\p{M}]+|[^\s\p{P}\p{L}\p{N}\p{M}]/gu;

/** Whether a text has lost words on the way from one version to another. Additions, case, order and punctuation do not matter. */
export function hasRemovedWords(before: string, after: string): boolean {
  if (before === after) return false;
  const left = wordsOf(after);
  for (const word of wordsOf(before)) if (!left.has(word)) return true;
  return false;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.normalize("NFKC").toLowerCase().match(WORD));
}
