import type { Frame } from "../index/frame.ts";
import { SILENCE_SECONDS } from "./nearby.ts";
import { type Candidate, Top } from "./rank.ts";

/** How many of the best by words are looked for in the semantic order. */
const WITNESSES = 20;
/**
 * In standard deviations above chance, which the witnesses must reach: an order that has nothing to do with the query gets that far about once in
 * 30,000 queries.
 */
const TRUSTED = 4;
/** After the first seven hits, every third is the best by both orders together, at most ten times. */
const UNTOUCHED = 7;
const EVERY = 3;
const MAX_LIFTED = 10;
/** How many of each order are joined, by reciprocal rank. */
const DEPTH = 100;
const DAMPING = 10;
/** An answer seldom says what it answers: what was said right before counts for a message too, and a little what came right after. */
const SAID_BEFORE = 0.5;
const SAID_AFTER = 0.3;
const DIALOGUE = 2;
/** Beyond what the closest of all compared would be by chance, in standard deviations. */
const STANDING_OUT = 0.5;
const MIN_COMPARED = 20;

/** What is scored by its closeness to the query. */
export interface Close extends Candidate {
  readonly text: string;
}

/** How many by words are needed, whichever page is asked for: what is lifted must not depend on it. */
export const NEEDED_BY_WORDS = DEPTH;

/**
 * One order of two: by words, and semantic (in no order, scored by their closeness to the query, all of which meet its conditions).
 *
 * However bad the embedder: the first seven by words stay the first seven. Of the others up to ten are lifted, and the rest keep their order;
 * each gives way to at most one for every two by words that come after the first seven, and to ten in all. Nothing is lost. Where the first by words are no closer to
 * the query than any other messages would be, or too few to tell, nothing is lifted at all: the order by words is kept as it is, and only what
 * stands far out semantically is added after the last.
 */
export function fuse(byWords: readonly Candidate[], bySemantics: readonly Close[]): Candidate[] {
  const rows = new RowMap(bySemantics);
  const lifted = trustOf(byWords, rows) < TRUSTED ? [] : joinRanks(byWords.slice(0, DEPTH), inContext(rows));
  const shown = new RowMap<Candidate>([]);
  const next = (candidates: readonly Candidate[], from: number): number => {
    let at = from;
    for (let each = candidates[at]; each && shown.get(each.frame, each.row); each = candidates[at]) at += 1;
    return at;
  };
  const fused: Candidate[] = [];
  const show = (candidate: Candidate) => {
    shown.add(candidate);
    fused.push(candidate);
  };
  let [word, lift] = [0, 0];
  for (let lifts = 0; ; ) {
    word = next(byWords, word);
    lift = next(lifted, lift);
    const isLift = fused.length >= UNTOUCHED && (fused.length - UNTOUCHED) % EVERY === 0 && lifts < MAX_LIFTED;
    const candidate = (isLift ? lifted[lift] : undefined) ?? byWords[word];
    if (!byWords[word] || !candidate) break;
    if (isLift) lifts += 1;
    show(candidate);
  }
  for (const each of standingOut(bySemantics)) if (!shown.get(each.frame, each.row)) show(each);
  return fused;
}

/** How many of the first hits shown were surely in the order by words. */
export function countByWords(hits: number): number {
  return hits - Math.min(MAX_LIFTED, Math.ceil(Math.max(0, hits - UNTOUCHED) / EVERY));
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

/** The closest, with regard to what was said around them; the closest first. */
function inContext(rows: RowMap<Close>): Candidate[] {
  const top = new Top(DEPTH);
  for (const { frame, row, score } of rows.all) {
    const near = (at: number, weight: number) => {
      const close = rows.get(frame, at)?.score;
      const silence = Math.abs((frame.times[at] ?? 0) - (frame.times[row] ?? 0));
      if (close === undefined || silence > SILENCE_SECONDS) return weight * score;
      const speakerCount = frame.authors[at] === frame.authors[row] ? 1 : (frame.speakers[row] ?? 1);
      const calm = Math.min(1, DIALOGUE / speakerCount);
      return weight * (calm * close + (1 - calm) * score);
    };
    top.offer({ frame, row, score: score + near(row - 1, SAID_BEFORE) + near(row + 1, SAID_AFTER) });
  }
  return top.sorted();
}

/** The best by both orders first. */
function joinRanks(byWords: readonly Candidate[], bySemantics: readonly Candidate[]): Candidate[] {
  const joined = new RowMap<Candidate>([]);
  const top = new Top(byWords.length + bySemantics.length);
  const semanticScores = new Map<Candidate, number>();
  const semanticRows = new RowMap(bySemantics);
  for (const [rank, each] of bySemantics.entries()) semanticScores.set(each, 1 / (DAMPING + rank + 1));
  for (const [rank, { frame, row }] of byWords.entries()) {
    const candidate = semanticRows.get(frame, row);
    const score = 1 / (DAMPING + rank + 1) + ((candidate && semanticScores.get(candidate)) ?? 0);
    joined.add({ frame, row, score });
    top.offer({ frame, row, score });
  }
  for (const each of bySemantics) {
    const { frame, row } = each;
    if (!joined.get(frame, row)) top.offer({ frame, row, score: semanticScores.get(each) ?? 0 });
  }
  return top.sorted();
}

/** Those that are far closer than even the closest would be if closeness were chance; the closest first. */
function standingOut(bySemantics: readonly Candidate[]): Candidate[] {
  const count = bySemantics.length;
  if (count < MIN_COMPARED) return [];
  const mean = bySemantics.reduce((sum, { score }) => sum + score, 0) / count;
  const deviation = Math.sqrt(bySemantics.reduce((sum, { score }) => sum + (score - mean) ** 2, 0) / count);
  const floor = mean + deviation * (Math.sqrt(2 * Math.log(count)) + STANDING_OUT);
  const top = new Top(MAX_LIFTED);
  if (deviation > 0) for (const each of bySemantics) if (each.score > floor) top.offer(each);
  return top.sorted();
}
