/** A search word, prepared once for many messages. */
export interface Keyword {
  readonly folded: string;
  readonly lower: string;
}

/** The words of a query; may be empty. */
export function toKeywords(query: string): Keyword[] {
  return query
    .split(/\s+/u)
    .map((word) => ({ folded: fold(word), lower: toLower(word) }))
    .filter(({ folded }) => folded !== "");
}

/** Whether every word occurs, also within longer words, ignoring case, width and accents. */
export function containsKeywords(content: string, keywords: readonly Keyword[]): boolean {
  const folded = fold(content);
  // Normalising sorts the marks on a letter, so characters that were adjacent may be apart.
  const missing = keywords.filter((keyword) => !folded.includes(keyword.folded));
  if (missing.length === 0) return true;
  const lower = toLower(content);
  return missing.every((keyword) => lower.includes(keyword.lower));
}

/** Removes case, width, ligatures and the accents of Latin, Greek and Cyrillic letters; keeps the vowel signs of other scripts. */
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

/** Without any marks. `containsKeywords` finds nothing that this form lacks, so an index can use it. */
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
