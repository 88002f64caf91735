import { foldBare, type Keyword } from "../../domain/search/keywords.ts";

/** From this code point on a single character carries meaning: Han, Kana, Hangul, emoji. */
const FIRST_WIDE = 0x2e80;
/** Maximum terms per lookup; candidates are compared with the text anyway. */
const MAX_LOOKED_UP = 16;

/**
 * The index terms of a text: every three neighbouring letters, the last two before a space or the end, and in scripts without spaces also
 * every two and every one. No term contains a space.
 */
export function toGrams(content: string): Set<string> {
  const letters = [...foldBare(content)];
  const grams = new Set<string>();
  for (const [index, letter] of letters.entries()) {
    if (!isSolid(letter)) continue;
    const second = letters[index + 1];
    if (isWide(letter)) grams.add(letter);
    if (second === undefined || !isSolid(second)) continue;
    const third = letters[index + 2];
    const isLast = third === undefined || !isSolid(third);
    if (isLast || isWide(letter) || isWide(second)) grams.add(letter + second);
    if (!isLast) grams.add(letter + second + third);
  }
  return grams;
}

/** FTS5 terms that every text with these keywords has. Empty if all keywords are too short. */
export function toLookUps(keywords: readonly Keyword[]): string[] {
  const each = keywords.map(({ folded }) => {
    const grams = [...toGrams(folded)];
    const longest = Math.max(0, ...grams.map((gram) => [...gram].length));
    return grams.filter((gram) => [...gram].length === longest);
  });
  const all = [...new Set(each.flat())].map(toLookUp);
  if (all.length <= MAX_LOOKED_UP) return all;
  return Array.from(
    { length: MAX_LOOKED_UP },
    (_, index) => all[Math.floor((index * all.length) / MAX_LOOKED_UP)],
  ).filter((gram) => gram !== undefined);
}

/** Two letters are the end of a word, or the start of a longer term. */
function toLookUp(gram: string): string {
  const letters = [...gram];
  return letters.length === 2 && !letters.some(isWide) ? `${quoteTerm(gram)} *` : quoteTerm(gram);
}

function isWide(letter: string): boolean {
  return (letter.codePointAt(0) ?? 0) >= FIRST_WIDE;
}

/** Neither space nor control character, at which the tokenizer would split. */
function isSolid(letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0;
  return code < 0x80 ? code > 0x20 && code !== 0x7f : !/\s/u.test(letter);
}

/** The term for all messages of a place. Longer than any gram, so that it cannot be mistaken for one. */
export function placeTerm(place: bigint): string {
  return `place${place}`;
}

export function inPlaces(places: readonly bigint[]): string {
  return `(${places.map((place) => quoteTerm(placeTerm(place))).join(" OR ")})`;
}

export function quoteTerm(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}
