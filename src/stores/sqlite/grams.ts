import { foldBare, type Keyword } from "../../domain/search/keywords.ts";

/** From here on a single sign carries meaning: Han, Kana, Hangul, emoji. */
const FIRST_WIDE = 0x2e80;
/** As many are looked up for one search; what they let through is checked against the text. */
const MAX_LOOKED_UP = 16;

/**
 * The parts by which a text can be found: every three neighbouring letters, the last two before a space or the end, and of scripts that write without
 * spaces also every two and every one. None has a space in it.
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

/** Terms that every text with these keywords has, as FTS5 is asked for them. None where all keywords are too short to have any. */
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

/** Two letters stand at the end of a word, or begin three. */
function toLookUp(gram: string): string {
  const letters = [...gram];
  return letters.length === 2 && !letters.some(isWide) ? `${quoteTerm(gram)} *` : quoteTerm(gram);
}

function isWide(letter: string): boolean {
  return (letter.codePointAt(0) ?? 0) >= FIRST_WIDE;
}

/** Neither space nor a control character: the tokenizer would part there. */
function isSolid(letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0;
  return code < 0x80 ? code > 0x20 && code !== 0x7f : !/\s/u.test(letter);
}

/** The term under which all messages of a place are entered. Longer than any gram, so that it cannot be mistaken for one. */
export function placeTerm(place: bigint): string {
  return `place${place}`;
}

export function inPlaces(places: readonly bigint[]): string {
  return `(${places.map((place) => quoteTerm(placeTerm(place))).join(" OR ")})`;
}

export function quoteTerm(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}
