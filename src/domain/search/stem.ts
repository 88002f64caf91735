import { toScriptStem } from "./word-forms.ts";

/** Endings and their replacements, longest first within each step; a step applies the first that matches. */
type Endings = readonly (readonly [ending: string, replacement: string])[];

const LONG_ENDINGS: Endings = [
  ["ational", "ate"],
  ["ization", "ize"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["tional", "tion"],
  ["biliti", "ble"],
  ["entli", "ent"],
  ["ousli", "ous"],
  ["ation", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["alli", "al"],
  ["ator", "ate"],
  ["logi", "log"],
  ["bli", "ble"],
  ["eli", "e"],
];
const MIDDLE_ENDINGS: Endings = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];
const LAST_ENDINGS = [
  ...["ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize"],
  ...["ion", "al", "er", "ic", "ou"],
];

/**
 * The common stem of English word forms: Porter's algorithm (https://tartarus.org/martin/PorterStemmer/). Words with anything but small Latin letters in them
 * stay as they are, except Russian and Arabic ones (see `toScriptStem`).
 */
export function toStem(word: string): string {
  if (word.length < 3) return word;
  if (!/^[a-z]+$/.test(word)) return toScriptStem(word);
  let stem = withoutPast(withoutPlural(word));
  if (stem.endsWith("y") && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`;
  stem = replaceEnding(replaceEnding(stem, LONG_ENDINGS), MIDDLE_ENDINGS);
  return withoutSilentEnd(withoutLastEnding(stem));
}

function withoutPlural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function withoutPast(word: string): string {
  if (word.endsWith("eed")) return syllables(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = ["ed", "ing"].find((each) => word.endsWith(each));
  const stem = ending === undefined ? word : word.slice(0, -ending.length);
  if (ending === undefined || !hasVowel(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsDoubled(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1);
  return syllables(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

function replaceEnding(word: string, endings: Endings): string {
  const found = endings.find(([ending]) => word.endsWith(ending));
  if (!found) return word;
  const stem = word.slice(0, -found[0].length);
  return syllables(stem) > 0 ? stem + found[1] : word;
}

function withoutLastEnding(word: string): string {
  const ending = LAST_ENDINGS.find((each) => word.endsWith(each));
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  return syllables(stem) > 1 && (ending !== "ion" || /[st]$/.test(stem)) ? stem : word;
}

function withoutSilentEnd(word: string): string {
  let stem = word;
  if (word.endsWith("e")) {
    const shorter = word.slice(0, -1);
    const count = syllables(shorter);
    if (count > 1 || (count === 1 && !endsShort(shorter))) stem = shorter;
  }
  return stem.endsWith("ll") && syllables(stem) > 1 ? stem.slice(0, -1) : stem;
}

function isVowel(word: string, index: number): boolean {
  const letter = word[index];
  if (letter === "y") return index > 0 && !isVowel(word, index - 1);
  return letter === "a" || letter === "e" || letter === "i" || letter === "o" || letter === "u";
}

/** Number of vowels followed by a consonant. */
function syllables(word: string): number {
  let count = 0;
  let wasVowel = false;
  for (let index = 0; index < word.length; index += 1) {
    const vowel = isVowel(word, index);
    if (wasVowel && !vowel) count += 1;
    wasVowel = vowel;
  }
  return count;
}

function hasVowel(word: string): boolean {
  for (let index = 0; index < word.length; index += 1) if (isVowel(word, index)) return true;
  return false;
}

function endsDoubled(word: string): boolean {
  return word.length > 1 && word.at(-1) === word.at(-2) && !isVowel(word, word.length - 1);
}

/** Consonant, vowel, consonant, as in "hop": there an "e" may have been lost. */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  return (
    last > 1 && !isVowel(word, last) && isVowel(word, last - 1) && !isVowel(word, last - 2) && !/[wxy]$/.test(word)
  );
}
