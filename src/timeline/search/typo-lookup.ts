import { slipsBetween } from "../../domain/search/typing-slips.ts";
import { COST, type Pacer, type Steps } from "../../domain/steps/pace.ts";
import { type Block, findEntries, positionOf } from "./block.ts";
import type { BlockPart, Frame } from "./frame.ts";
import { lettersOf, MAX_LENGTH, toShape, type Vocabulary } from "./vocabulary.ts";

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
/** What is spent between two looks at the pacer. */
const MAX_COST = 20_000;
/** Shorter terms are too short to be compared. */
const MIN_LENGTH = 3;

/**
 * The `most` closest terms that may be meant by a word, beside the word itself: what begins with its stem, and what it may be a typo of. Looks only
 * at terms of the frames' own messages, so that neither what is found nor what it costs depends on other channels.
 */
export function* findSimilar(
  typed: Typed,
  { frames, most }: { frames: readonly Frame[]; most: number },
  { vocabulary, pacer }: LookupDeps,
): Steps<Similar[]> {
  const seen = new Uint8Array(vocabulary.end);
  const closest: Similar[] = [];
  const ranges = toRanges(typed);
  const match = createMatcher(typed, vocabulary);
  for (const { parts } of frames)
    for (const part of parts) {
      const { terms, words } = part.block;
      let cost = 20;
      for (const { from, to } of ranges) {
        const end = rankOf(part.block, to + 1, vocabulary);
        for (let at = rankOf(part.block, from, vocabulary); at < end; at += 1) {
          const number = terms[words[at] ?? 0] ?? 0;
          cost += 1;
          if (seen[number] === 1) continue;
          if (!occursIn(part, number)) continue;
          seen[number] = 1;
          const distance = match(number);
          if (distance === "unlike") continue;
          cost += COST.comparison;
          if (distance !== null) insert(closest, { number, term: vocabulary.term(number), distance }, most);
          if (cost < MAX_COST) continue;
          if (pacer.spend(cost)) yield;
          cost = 0;
        }
      }
      if (pacer.spend(cost)) yield;
    }
  return closest;
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
  return (number: number): number | null | "unlike" => {
    const shape = vocabulary.shape(number);
    const length = shape % (MAX_LENGTH + 1);
    const mayBeTypo = maxTypos > 0 && length <= longest && bitCount(vocabulary.letters(number) & absent) <= maxTypos;
    const mayBegin = length > stem.length && shape - length === toShape(first, 0);
    if (!mayBeTypo && !mayBegin) return "unlike";
    const term = vocabulary.term(number);
    if (term === stem) return "unlike";
    const typos = mayBeTypo ? slipsBetween(spelling, term, maxTypos) : null;
    if (typos !== null) return Math.max(1, typos);
    return mayBegin && term.startsWith(stem) ? 1 : mayBeTypo ? null : "unlike";
  };
}

/** Of a block of which only a part counts, not every term occurs there. */
function occursIn({ block, from, to }: BlockPart, term: number): boolean {
  if (from === 0 && to === block.ids.length) return true;
  const entries = findEntries(block, term);
  for (let at = entries.from; at < entries.to; at += 1) {
    const position = positionOf(block.entries[at] ?? 0);
    if (position >= from && position < to) return true;
  }
  return false;
}

/** How many of the block's words have a smaller shape. */
function rankOf({ terms, words }: Block, shape: number, vocabulary: Vocabulary): number {
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
function insert(closest: Similar[], similar: Similar, most: number): void {
  const last = closest.at(-1);
  if (closest.length >= most && last && !isCloser(similar, last)) return;
  const at = closest.findIndex((other) => isCloser(similar, other));
  closest.splice(at < 0 ? closest.length : at, 0, similar);
  if (closest.length > most) closest.pop();
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
