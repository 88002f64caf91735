import { singular } from "../../domain/search/terms.ts";
import { createTypoCounter } from "../../domain/search/typos.ts";
import { COST, type Pacer, type Steps } from "../../domain/steps/pace.ts";
import { findPostings, positionOf } from "../index/block.ts";
import type { BlockPart, Frame } from "../index/frame.ts";
import { lettersOf, MAX_LENGTH, toShape, type Vocabulary } from "../index/vocabulary.ts";

/** A word as it was typed. */
export interface Typed {
  readonly stem: string;
  readonly spelling: string;
  /** Typing errors to forgive; null where only longer words are looked for that have this one inside. */
  readonly maxTypos: number | null;
}

export interface Similar {
  readonly number: number;
  readonly term: string;
  /** 1 for a longer word that has this one inside, 2 for what begins with the stem, and one more than the typing errors. */
  readonly distance: number;
}

interface LookupDeps {
  readonly vocabulary: Vocabulary;
  readonly pacer: Pacer;
}

/** How many words are looked at between two looks at the pacer. */
const BATCH_SIZE = 4_096;
/** The cost of starting a part, in units of work. */
const PART_COST = 20;
/** Shorter words are neither compared nor looked for inside others. */
const MIN_LENGTH = 3;

/** The words of the frames' own messages, each once: neither what is found among them nor what it costs depends on other channels. */
export function* ownWords(frames: readonly Frame[], { vocabulary, pacer }: LookupDeps): Steps<Uint32Array> {
  const occurs = new Uint8Array(vocabulary.end);
  let end = 0;
  for (const { parts } of frames)
    for (const part of parts) {
      markTerms(occurs, part);
      end = Math.max(end, 1 + (part.block.terms.at(-1) ?? 0));
      if (pacer.spend(PART_COST + part.block.terms.length)) yield;
    }
  const words = new Uint32Array(end);
  let count = 0;
  for (let number = 0; number < end; number += 1) {
    if (occurs[number] === 0 || vocabulary.shape(number) % (MAX_LENGTH + 1) < MIN_LENGTH) continue;
    words[count] = number;
    count += 1;
  }
  return words.subarray(0, count);
}

/** Writes without checking whether the term is already marked, because most are. In a block that counts only partly, not every term occurs. */
function markTerms(occurs: Uint8Array, part: BlockPart): void {
  const { terms, ids } = part.block;
  const isWhole = part.from === 0 && part.to === ids.length;
  const own = isWhole ? terms : terms.filter((term) => occursIn(part, term));
  for (let at = 0; at < own.length; at += 1) occurs[own[at] ?? 0] = 1;
}

/**
 * The `max` closest of the words that may be meant by a typed one, beside the word itself: longer words that have it inside, what begins with its stem,
 * and what it may be a typo of.
 */
export function* findSimilar(
  typed: Typed,
  { words, max }: { words: Uint32Array; max: number },
  { vocabulary, pacer }: LookupDeps,
): Steps<Similar[]> {
  const closest: Similar[] = [];
  const match = createMatcher(typed, vocabulary);
  for (let from = 0; from < words.length; from += BATCH_SIZE) {
    let compared = 0;
    const end = Math.min(words.length, from + BATCH_SIZE);
    for (let at = from; at < end; at += 1) {
      const number = words[at] ?? 0;
      const distance = match(number);
      if (distance === "unlike") continue;
      compared += 1;
      if (distance !== null) insert(closest, { number, term: vocabulary.term(number), distance }, max);
    }
    if (pacer.spend(BATCH_SIZE + COST.comparison * compared)) yield;
  }
  return closest;
}

/** How far a term is from what was typed: null when too far, "unlike" when that could be told without comparing the two. */
function createMatcher({ stem, spelling, maxTypos }: Typed, vocabulary: Vocabulary) {
  const typos = maxTypos ?? 0;
  const single = singular(spelling);
  const first = toShape(spelling.charCodeAt(0), 0);
  const second = toShape(spelling.charCodeAt(1), 0);
  const letters = lettersOf(spelling);
  const [singleLetters, stemLetters] = [lettersOf(single), lettersOf(stem)];
  const longest = spelling.length + typos;
  const countTypos = createTypoCounter(spelling, typos);
  const isInside = (term: string) =>
    (single.length >= MIN_LENGTH && term.includes(single)) || (stem.length >= MIN_LENGTH && term.endsWith(stem));
  return (number: number): number | null | "unlike" => {
    const shape = vocabulary.shape(number);
    const length = shape % (MAX_LENGTH + 1);
    const initial = shape - length;
    const its = vocabulary.letters(number);
    // The first letter is nearly always right, or swapped with the second.
    const mayBeTypo =
      typos > 0 && length <= longest && (initial === first || initial === second) && bitCount(its & ~letters) <= typos;
    const mayHold = length > stem.length && ((stemLetters & ~its) === 0 || (singleLetters & ~its) === 0);
    if (!mayBeTypo && !mayHold) return "unlike";
    const term = vocabulary.term(number);
    if (term === stem) return "unlike";
    if (mayHold && isInside(term)) return 1;
    if (maxTypos === null) return null;
    const count = mayBeTypo ? countTypos(term) : null;
    if (count !== null) return 1 + Math.max(1, count);
    return mayHold && term.startsWith(stem) ? 2 : null;
  };
}

function occursIn({ block, from, to }: BlockPart, term: number): boolean {
  const postings = findPostings(block, term);
  for (let at = postings.from; at < postings.to; at += 1) {
    const position = positionOf(block.postings[at] ?? 0);
    if (position >= from && position < to) return true;
  }
  return false;
}

/** Keeps the closest, in order. */
function insert(closest: Similar[], similar: Similar, max: number): void {
  const last = closest.at(-1);
  if (closest.length >= max && last && !isCloser(similar, last)) return;
  const at = closest.findIndex((other) => isCloser(similar, other));
  closest.splice(at < 0 ? closest.length : at, 0, similar);
  if (closest.length > max) closest.pop();
}

function isCloser(a: Similar, b: Similar): boolean {
  if (a.distance !== b.distance) return a.distance < b.distance;
  return a.term.length === b.term.length ? a.term < b.term : a.term.length < b.term.length;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}
