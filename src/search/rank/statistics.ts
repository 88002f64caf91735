import { findPostings, positionOf } from "../index/block.ts";
import type { Frame } from "../index/frame.ts";

/** Seconds, as frames count them; without the end. */
export interface SecondsSpan {
  readonly from: number;
  readonly to: number;
}

/** The postings of a term among the searched messages. */
export interface TermPostings {
  /** How many messages have it. */
  readonly count: number;
  /** The same, for each frame. */
  readonly counts: Uint32Array;
  /** For each part of each frame, one after the other, where its postings begin and end there. */
  readonly ranges: Int32Array;
}

/** The cost of finding a term in one part. */
const FIND_COST = 15;

/** How common things are among the messages looked at, and nowhere else. */
export class Statistics {
  readonly #frames: readonly Frame[];
  readonly #size: number;
  readonly averageLength: number;
  /** How many parts all frames have together. */
  readonly parts: number;
  /** The cost of one `find`, in units of work. */
  readonly findCost: number;

  constructor(frames: readonly Frame[]) {
    let [size, parts, totalLength] = [0, 0, 0];
    for (const frame of frames) {
      size += frame.size;
      parts += frame.parts.length;
      totalLength += frame.totalLength;
    }
    this.#frames = frames;
    this.#size = size;
    this.parts = parts;
    this.findCost = FIND_COST * parts;
    this.averageLength = Math.max(1, totalLength / Math.max(1, size));
  }

  /** The times of the oldest and the newest message; null when there are none. */
  get span(): SecondsSpan | null {
    if (this.#size === 0) return null;
    let [from, to] = [Number.POSITIVE_INFINITY, 0];
    for (const { size, times } of this.#frames) {
      if (size === 0) continue;
      from = Math.min(from, times[0] ?? 0);
      to = Math.max(to, times.at(-1) ?? 0);
    }
    return { from, to };
  }

  /** Inverse document frequency: the fewer messages have something, the more it says. */
  idf(count: number): number {
    const having = Math.min(count, this.#size);
    return Math.log(1 + (this.#size - having + 0.5) / (having + 0.5));
  }

  /** Finds the postings of a term. */
  find(term: number): TermPostings {
    const ranges = new Int32Array(2 * this.parts);
    const counts = new Uint32Array(this.#frames.length);
    let total = 0;
    let at = 0;
    for (const [index, { parts }] of this.#frames.entries()) {
      let count = 0;
      for (const { block, from, to } of parts) {
        const postings = findPostings(block, term);
        ranges[at] = postings.from;
        ranges[at + 1] = postings.to;
        at += 2;
        if (from === 0 && to === block.ids.length) count += postings.to - postings.from;
        else
          for (let each = postings.from; each < postings.to; each += 1) {
            const position = positionOf(block.postings[each] ?? 0);
            if (position >= from && position < to) count += 1;
          }
      }
      counts[index] = count;
      total += count;
    }
    return { count: total, counts, ranges };
  }

  countWithin(spans: readonly SecondsSpan[]): number {
    let count = 0;
    for (const { times } of this.#frames)
      for (const { from, to } of spans) count += rankOf(times, to) - rankOf(times, from);
    return count;
  }
}

/** How many are earlier. */
function rankOf(times: Uint32Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
