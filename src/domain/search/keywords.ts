/** A word to look for, prepared once for many messages. */
export interface Keyword {
  readonly folded: string;
  readonly lower: string;
}

/** The words of a query; empty when there is nothing in it to look for. */
export function toKeywords(query: string): Keyword[] {
  return query
    .split(/\s+/u)
    .map((word) => ({ folded: fold(word), lower: toLower(word) }))
    .filter(({ folded }) => folded !== "");
}

/** Every word occurs somewhere, also within a longer word, whatever its case, width or accents. */
export function containsKeywords(content: string, keywords: readonly Keyword[]): boolean {
  const folded = fold(content);
  // Normalising sorts the marks on a letter, so part of what stands there may no longer stand together.
  const missing = keywords.filter((keyword) => !folded.includes(keyword.folded));
  if (missing.length === 0) return true;
  const lower = toLower(content);
  return missing.every((keyword) => lower.includes(keyword.lower));
}

/** Case, width, ligatures and the accents of Latin, Greek and Cyrillic letters fall away; the vowel signs of other scripts stay. */
function fold(text: string): string {
  if (isPlain(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .replaceAll("ς", "σ");
}

/** Without any marks at all. Whatever `containsKeywords` finds is also found in this form, which makes it fit for an index. */
export function foldBare(text: string): string {
  return isPlain(text) ? text.toLowerCase() : fold(text).replaceAll(/\p{M}/gu, "");
}

/** Letter by letter, because the lower case of a whole word depends on where a letter stands. */
function toLower(text: string): string {
  if (isPlain(text)) return text.toLowerCase();
  let lower = "";
  for (const letter of text) lower += letter.toLowerCase();
  return lower;
}

function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}
