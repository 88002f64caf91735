import { createTypoCounter } from "../../domain/search/typos.ts";
import { COST, type Pacer, type Steps } from "../../domain/steps/pace.ts";
import { findPostings, positionOf, type WordBlock } from "../index/block.ts";
import type { BlockPart, Frame } from "../index/frame.ts";
import { lettersOf, MAX_LENGTH, toShape, type Vocabulary } from "../index/vocabulary.ts";

/** A word as it was typed. */
export interface Typed {
  readonly stem: string;
  readonly spelling: string;
  /** Typing errors to forgive. */
  readonly maxTypos: number;
}

export interface Similar {
  readonly number: number;
  readonly term: string;
  /** Typing errors between the two; 1 for what begins with the stem. */
  readonly distance: number;
}

interface LookupDeps {
  readonly vocabulary: Vocabulary;
  readonly pacer: Pacer;
}

/** The longest ending that a stem has lost. */
const MAX_ENDING = 5;
/** What is spent between two looks at the pacer, about, and what it takes to begin with a part. */
const MAX_COST = 20_000;
const PART_COST = 20;
/** Shorter terms are too short to be compared. */
const MIN_LENGTH = 3;

/**
 * The `max` closest terms that may be meant by a word, beside the word itself: what begins with its stem, and what it may be a typo of. Looks only
 * at terms of the frames' own messages, so that neither what is found nor what it costs depends on other channels.
 */
export function* findSimilar(
  typed: Typed,
  { frames, max }: { frames: readonly Frame[]; max: number },
  { vocabulary, pacer }: LookupDeps,
): Steps<Similar[]> {
  const lookup = new Lookup(typed, max, vocabulary);
  const ranges = toRanges(typed);
  for (const { parts } of frames)
    for (const part of parts)
      for (const { from, to } of ranges) {
        const end = rankOf(part.block, to + 1, vocabulary);
        for (let at = rankOf(part.block, from, vocabulary); at < end; ) {
          at = lookup.look(part, at, end);
          if (pacer.spend(lookup.takeCost())) yield;
        }
      }
  return lookup.closest;
}

/** Looks at each term once. A class of its own, because loops in generators run slower. */
class Lookup {
  readonly closest: Similar[] = [];
  readonly #max: number;
  readonly #vocabulary: Vocabulary;
  readonly #seen: Uint8Array;
  readonly #match: (number: number) => number | null | "unlike";
  #cost = 0;

  constructor(typed: Typed, max: number, vocabulary: Vocabulary) {
    this.#max = max;
    this.#vocabulary = vocabulary;
    this.#seen = new Uint8Array(vocabulary.end);
    this.#match = createMatcher(typed, vocabulary);
  }

  /** Goes through the words of a part from one place to another, or until that has cost enough; gives back how far it got. */
  look(part: BlockPart, from: number, to: number): number {
    const { terms, words } = part.block;
    const seen = this.#seen;
    for (let at = from; at < to; at += 1) {
      const number = terms[words[at] ?? 0] ?? 0;
      if (seen[number] === 1 || !occursIn(part, number)) continue;
      seen[number] = 1;
      this.#compare(number);
      if (this.#cost >= MAX_COST) {
        this.#cost += at - from;
        return at + 1;
      }
    }
    this.#cost += to - from;
    return to;
  }

  /** What it took since this was last asked, in units of work. */
  takeCost(): number {
    const cost = this.#cost + PART_COST;
    this.#cost = 0;
    return cost;
  }

  #compare(number: number): void {
    const distance = this.#match(number);
    if (distance === "unlike") return;
    this.#cost += COST.comparison;
    if (distance !== null) insert(this.closest, { number, term: this.#vocabulary.term(number), distance }, this.#max);
  }
}

/** The first letter is nearly always right, or swapped with the second. */
function toRanges({ stem, spelling, maxTypos }: Typed): { from: number; to: number }[] {
  const [first, second] = [spelling.charCodeAt(0), spelling.charCodeAt(1)];
  const shortest = Math.max(MIN_LENGTH, stem.length - maxTypos - MAX_ENDING);
  const ranges = [{ from: toShape(first, shortest), to: toShape(first, MAX_LENGTH) }];
  if (maxTypos > 0 && second !== first)
    ranges.push({ from: toShape(second, shortest), to: toShape(second, spelling.length + maxTypos) });
  return ranges;
}

/** How far a term is from what was typed: null when too far, "unlike" when that could be told without comparing the two. */
function createMatcher({ stem, spelling, maxTypos }: Typed, vocabulary: Vocabulary) {
  const first = spelling.charCodeAt(0);
  const absent = ~lettersOf(spelling);
  const longest = spelling.length + maxTypos;
  const countTypos = createTypoCounter(spelling, maxTypos);
  return (number: number): number | null | "unlike" => {
    const shape = vocabulary.shape(number);
    const length = shape % (MAX_LENGTH + 1);
    const mayBeTypo = maxTypos > 0 && length <= longest && bitCount(vocabulary.letters(number) & absent) <= maxTypos;
    const mayBegin = length > stem.length && shape - length === toShape(first, 0);
    if (!mayBeTypo && !mayBegin) return "unlike";
    const term = vocabulary.term(number);
    if (term === stem) return "unlike";
    const typos = mayBeTypo ? countTypos(term) : null;
    if (typos !== null) return Math.max(1, typos);
    return mayBegin && term.startsWith(stem) ? 1 : mayBeTypo ? null : "unlike";
  };
}

/** Of a block of which only a part counts, not every term occurs there. */
function occursIn({ block, from, to }: BlockPart, term: number): boolean {
  if (from === 0 && to === block.ids.length) return true;
  const postings = findPostings(block, term);
  for (let at = postings.from; at < postings.to; at += 1) {
    const position = positionOf(block.postings[at] ?? 0);
    if (position >= from && position < to) return true;
  }
  return false;
}

/** How many of the block's words have a smaller shape. */
function rankOf({ terms, words }: WordBlock, shape: number, vocabulary: Vocabulary): number {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (vocabulary.shape(terms[words[middle] ?? 0] ?? 0) < shape) low = middle + 1;
    else high = middle;
  }
  return low;
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
