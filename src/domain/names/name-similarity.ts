import { editDistance } from "../text/edit-distance.ts";
import { type NameForms, toLookalike } from "./name-forms.ts";

/** The parts by which two names are compared when neither contains the other. */
export interface ComparisonKey {
  /** With look-alike letters made equal. */
  readonly whole: string;
  /** Also with repeated letters reduced to one. */
  readonly text: string;
  /** A bit for each letter that occurs (some share a bit): a quick test that rules out maxEdits names. */
  readonly letters: number;
  readonly isWhole: boolean;
  readonly hasDigits: boolean;
  /** Several words, one of which alone is not enough for a match. */
  readonly isSeveral: boolean;
}

/** Keys of the whole name and of its longer words. None for a name too short to compare. */
export function toComparisonKeys({ bare, words }: NameForms): readonly ComparisonKey[] {
  const longer = words.filter((word) => word.length >= MIN_NAME_LENGTH && !/^\p{N}+$/u.test(word));
  return [bare, ...longer]
    .filter((word) => word.length >= 3)
    .map((word) => ({
      ...toComparisonKey(word, word === bare),
      isSeveral: word === bare && longer.length > 1,
    }));
}

/** From 0, not similar, to 1. */
export function measureSimilarity(query: ComparisonKey, name: ComparisonKey): number {
  const similarity = compare(query, name);
  return similarity === 0 || name.isWhole ? similarity : similarity - WORD_IN_NAME;
}

/** Shorter names are similar only when their keys are equal. */
const MIN_NAME_LENGTH = 4;
/** Subtracted for a match of one word: puts whole names first without outweighing an edit. */
const WORD_IN_NAME = 0.001;
const ENOUGH_TRIGRAMS = 0.5;

function toComparisonKey(word: string, isWhole: boolean): Omit<ComparisonKey, "isSeveral"> {
  const text = toLookalike(word.replaceAll(/(.)\1+/gu, "$1"));
  let letters = 0;
  for (let index = 0; index < text.length; index += 1) letters |= 1 << (text.charCodeAt(index) & 31);
  return { whole: toLookalike(word), text, letters, isWhole, hasDigits: /\p{N}/u.test(word) };
}

/** Edit distance counts more than trigrams, which find longer names with more than a typo. */
function compare(a: ComparisonKey, b: ComparisonKey): number {
  const [shorter, longer] = a.text.length < b.text.length ? [a.text, b.text] : [b.text, a.text];
  if (a.whole === b.whole) return 1;
  if (shorter.length < MIN_NAME_LENGTH) return 0;
  const startAlike = shorter.charCodeAt(0) === longer.charCodeAt(0);
  // With one edit at the start the last letters are equal. In a short name the first letter is too large a part of it to differ.
  if (!startAlike && shorter.length <= MIN_NAME_LENGTH) return 0;
  if (!startAlike && shorter.charCodeAt(shorter.length - 1) !== longer.charCodeAt(longer.length - 1)) return 0;
  // People who make more than one typo rarely mistype the first letter.
  const maxEdits = startAlike ? maxEditsFor(shorter.length) : 1;
  if (longer.length - shorter.length <= maxEdits && countBits(a.letters ^ b.letters) <= 2 * maxEdits) {
    const edits = editDistance(shorter, longer, maxEdits);
    if (edits <= maxEdits) return 0.9 - edits / 10;
  }
  // If one is three times as long, they share too few trigrams.
  if (a.text.length <= MIN_NAME_LENGTH || 3 * shorter.length + 2 < longer.length) return 0;
  // Equal numbers prove nothing, and different numbers mean different names.
  if (a.hasDigits || b.hasDigits) return 0;
  // "harbour-office" is not "harbour-radio".
  if (a.isSeveral) return 0;
  if (!startAlike || shorter.charCodeAt(1) !== longer.charCodeAt(1)) return 0;
  const overlap = shareTrigrams(shorter, longer);
  // In coarse steps: a small difference must not decide.
  return overlap < ENOUGH_TRIGRAMS ? 0 : Math.floor(10 * overlap) / 20;
}

function maxEditsFor(length: number): number {
  if (length < 6) return 1;
  return length < 12 ? 2 : 3;
}

/** Dice's coefficient, with more weight on the beginning. */
function shareTrigrams(a: string, b: string): number {
  const first = toTrigrams(a);
  const second = toTrigrams(b);
  let shared = 0;
  for (const trigram of first) if (second.includes(trigram)) shared += 1;
  return (2 * shared) / (first.length + second.length);
}

/** As numbers, which are faster than strings. */
function toTrigrams(text: string): number[] {
  const trigrams: number[] = [];
  let [before, last] = [32, 32];
  for (let index = 0; index <= text.length; index += 1) {
    const code = index < text.length ? text.charCodeAt(index) & 0x3ff : 32;
    const trigram = (before << 20) | (last << 10) | code;
    if (!trigrams.includes(trigram)) trigrams.push(trigram);
    [before, last] = [last, code];
  }
  return trigrams;
}

function countBits(bits: number): number {
  let left = bits >>> 0;
  let count = 0;
  for (; left !== 0; left &= left - 1) count += 1;
  return count;
}
