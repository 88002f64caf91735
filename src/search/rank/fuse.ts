import type { Frame } from "../index/frame.ts";
import { SILENCE_SECONDS } from "./nearby.ts";
import { type Candidate, Top } from "./rank.ts";

/** How many of the best by words are looked for in the semantic order. */
const WITNESSES = 20;
/**
 * How much the semantic order counts beside the words where the witnesses speak for it: nothing up to the first number of standard deviations above
 * chance, all of the weight from the second on. An order that has nothing to do with the query gets as far as the first in one of six queries.
 */
const DOUBTED = 1;
const TRUSTED = 4;
/** With which the closest message counts beside the best by words. Found on conversations with questions, by a weak sentence encoder. */
const TRUSTED_WEIGHT = 0.3;
/** A closeness this far above the maximum expected by chance counts in full, whatever the witnesses say. */
const CERTAIN = 2;
/** A closeness this far above it is included, after all messages that contain the words. */
const STANDING_OUT = 0.5;
/** How many of those without the words of the query are shown at most. */
const MAX_LIFTED = 10;
/** How many of each order are joined. */
const DEPTH = 100;
/** An answer seldom says what it answers: what was said right before counts for a message too, and a little what came right after. */
const SAID_BEFORE = 0.5;
const SAID_AFTER = 0.3;
const DIALOGUE = 2;
/** With fewer messages, chance cannot be estimated. */
const MIN_COMPARED = 20;

export interface Close extends Candidate {
  readonly text: string;
}

/** How many by words are needed, whichever page is asked for: what is lifted must not depend on it. */
export const NEEDED_BY_WORDS = DEPTH;

/**
 * One order of two: by words, and semantic (in no order, scored by their closeness to the query, all of which meet its conditions). `weight`: how
 * much closeness counts here, from what is known about the embedder; null to judge it by this query alone.
 *
 * Closeness is measured in standard deviations, and adds up to `weight` of what the best by words has. Only what lies beyond all chance adds more, so an
 * embedder that knows nothing changes next to nothing, and one that knows the answer puts it first. Nothing by words is lost, and of all without the words
 * of the query few are added.
 */
export function fuse(byWords: readonly Candidate[], bySemantics: readonly Close[], weight: number | null): Candidate[] {
  const rows = new RowMap(bySemantics);
  const used = weight ?? TRUSTED_WEIGHT * share(trustOf(byWords, rows), DOUBTED, TRUSTED);
  const gains = toGains(rows, used);
  if (!gains) return [...byWords];
  const best = byWords[0]?.score ?? 0;
  const known = new RowMap<Candidate>([]);
  const joined: Candidate[] = [];
  for (const { frame, row, score } of byWords.slice(0, DEPTH)) {
    const fused = { frame, row, score: (best > 0 ? score / best : 0) + (gains.get(frame, row)?.score ?? 0) };
    known.add(fused);
    joined.push(fused);
  }
  const lifted = new Top(MAX_LIFTED);
  const last = new Top(MAX_LIFTED);
  for (const gain of gains.all) {
    if (known.get(gain.frame, gain.row)) continue;
    if (gain.score > 0) lifted.offer(gain);
    else if (gain.isStandingOut) last.offer(gain);
  }
  const top = new Top(DEPTH + MAX_LIFTED);
  for (const candidate of [...joined, ...lifted.best()]) top.offer(candidate);
  const fused = top.sorted();
  const shown = new RowMap(fused);
  for (const candidate of [...byWords.slice(DEPTH), ...last.best()]) {
    if (shown.get(candidate.frame, candidate.row)) continue;
    shown.add(candidate);
    fused.push(candidate);
  }
  return fused;
}

/** 0 up to the first, 1 from the second on. */
function share(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)));
}

interface Gain extends Candidate {
  readonly isStandingOut: boolean;
}

/** By how much the closeness of each raises it; null when nothing can be concluded from it. */
function toGains(rows: RowMap<Close>, weight: number): RowMap<Gain> | null {
  const count = rows.all.length;
  if (count < MIN_COMPARED) return null;
  // The maximum expected by chance, in standard deviations.
  const chance = Math.sqrt(2 * Math.log(count));
  const alone = toDeviations(rows.all);
  const inTalk = toDeviations(inContext(rows));
  const gains = rows.all.map(({ frame, row }, index) => {
    const beyond = (alone[index] ?? 0) - chance;
    const score = weight * share(inTalk[index] ?? 0, 0, chance) + Math.max(0, beyond - CERTAIN);
    return { frame, row, score, isStandingOut: beyond > STANDING_OUT };
  });
  return new RowMap(gains);
}

/** By how many standard deviations each score lies above the mean; 0 where all are the same. */
function toDeviations(candidates: readonly Candidate[]): Float64Array {
  const scores = Float64Array.from(candidates, ({ score }) => score);
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const deviation = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length);
  return scores.map((score) => (deviation > 0 ? (score - mean) / deviation : 0));
}

/** Candidates by where they stand. */
class RowMap<Kind extends Candidate> {
  readonly #frames = new Map<Frame, Map<number, Kind>>();
  readonly all: readonly Kind[];

  constructor(candidates: readonly Kind[]) {
    this.all = candidates;
    for (const candidate of candidates) this.add(candidate);
  }

  get(frame: Frame, row: number): Kind | undefined {
    return this.#frames.get(frame)?.get(row);
  }

  add(candidate: Kind): void {
    const rows = this.#frames.get(candidate.frame) ?? new Map<number, Kind>();
    this.#frames.set(candidate.frame, rows.set(candidate.row, candidate));
  }
}

/**
 * By how many standard deviations the first by words stand closer to the query than messages picked at random would (the rank-sum test).
 * Texts that are the same are equally close, and speak once.
 */
function trustOf(byWords: readonly Candidate[], rows: RowMap<Close>): number {
  const scores = new Map(rows.all.map(({ text, score }) => [text, score]));
  const all = Float64Array.from(scores.values()).sort();
  const known = byWords.slice(0, WITNESSES).flatMap(({ frame, row }) => rows.get(frame, row)?.text ?? []);
  const witnesses = new Set(known);
  const [few, many] = [witnesses.size, all.length];
  if (few === 0 || few === many) return 0;
  let sum = 0;
  for (const text of witnesses) sum += rankOf(all, scores.get(text) ?? 0);
  const expected = (few * (many + 1)) / 2;
  const deviation = Math.sqrt((few * (many - few) * (many + 1)) / 12);
  return (sum - expected) / deviation;
}

/** From 1 on; those that are equal share the middle of their ranks. */
function rankOf(rising: Float64Array, score: number): number {
  const countBelow = (isBelow: (other: number) => boolean) => {
    let [low, high] = [0, rising.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBelow(rising[middle] ?? 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return (countBelow((other) => other < score) + countBelow((other) => other <= score) + 1) / 2;
}

/** The closeness of each, with regard to what was said around it, in the same order. */
function inContext(rows: RowMap<Close>): Candidate[] {
  return rows.all.map(({ frame, row, score }) => {
    const near = (at: number, weight: number) => {
      const close = rows.get(frame, at)?.score;
      const silence = Math.abs((frame.times[at] ?? 0) - (frame.times[row] ?? 0));
      if (close === undefined || silence > SILENCE_SECONDS) return weight * score;
      const speakerCount = frame.authors[at] === frame.authors[row] ? 1 : (frame.speakers[row] ?? 1);
      const calm = Math.min(1, DIALOGUE / speakerCount);
      return weight * (calm * close + (1 - calm) * score);
    };
    return { frame, row, score: score + near(row - 1, SAID_BEFORE) + near(row + 1, SAID_AFTER) };
  });
}
