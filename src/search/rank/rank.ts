import type { ChannelId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Query } from "../../domain/search/query.ts";
import { holdsPhrase, toPhraseText } from "../../domain/search/terms.ts";
import { COST, type Steps } from "../../domain/steps/pace.ts";
import type { Here, Hit } from "../../ports/search.ts";
import { findPostings, positionOf } from "../index/block.ts";
import { type Frame, idAt } from "../index/frame.ts";
import { toMark } from "../index/vocabulary.ts";
import { weighChannels } from "./channel-weights.ts";
import { isOneTerm, type Plan, type PlanDeps, type QueryWord, toPlan } from "./plan.ts";
import { type FrameAt, MessageScorer } from "./score.ts";

/** The factor for the newest message compared with a very old one; it halves at the half-life. */
const FRESHNESS = 0.05;
const FRESHNESS_HALF_LIFE_SECONDS = 30 * 86_400;
/** The cost of starting another frame, in units of work. */
const FRAME_COST = 50;
/** How many messages are read where the index alone cannot tell. */
const MAX_READ = 5_000;

export interface Ranking {
  /** The best first. */
  readonly candidates: readonly Candidate[];
  /** There would have been more to look at. */
  readonly isCut: boolean;
  /** How many words of the query a message has itself. */
  wordsIn(frame: Frame, row: number): Hit["words_in_message"];
}

export interface RankRequest {
  readonly query: Query;
  readonly frames: readonly Frame[];
  /** Candidates to find. */
  readonly max: number;
  readonly except: ReadonlySet<bigint>;
  isWanted?(message: Message): boolean;
  readonly here: Here | null;
  channelOf(frame: Frame): ChannelId;
}

export interface RankDeps extends PlanDeps {
  read(frame: Frame, row: number): Message | undefined;
}

/** The messages that fit the query best, of all that are in the frames. */
export function* rank(request: RankRequest, deps: RankDeps): Steps<Ranking> {
  const { pacer, read } = deps;
  const { query, frames, max, except } = request;
  const filter = toFilter(request);
  const top = new Top(filter ? MAX_READ : max + except.size);
  const plan = yield* toPlan(query, frames, deps);
  const scorer = new MessageScorer(plan, pacer);
  const weights = yield* weighChannels({ ...request, plan }, deps);
  let newest = 0;
  for (const { times } of frames) newest = Math.max(newest, times.at(-1) ?? 0);
  let offered = 0;
  for (const { weight, ...at } of byWeight(frames, weights)) {
    yield* scorer.visit(at, top.floor / (1 + FRESHNESS) / weight, (row, score) => {
      const { frame } = at;
      const age = newest - (frame.times[row] ?? 0);
      const freshness = 1 + (FRESHNESS * FRESHNESS_HALF_LIFE_SECONDS) / (FRESHNESS_HALF_LIFE_SECONDS + age);
      offered += 1;
      top.offer({ frame, row, score: score * freshness * weight });
    });
    if (pacer.spend(FRAME_COST)) yield;
  }
  const candidates: Candidate[] = [];
  for (const candidate of top.best()) {
    if (candidates.length === max) break;
    if (except.has(idAt(candidate.frame, candidate.row))) continue;
    const message = filter && read(candidate.frame, candidate.row);
    if (!filter || (message && filter.accepts(message))) candidates.push(candidate);
    if (message && pacer.spend(COST.message + filter.cost(message))) yield;
  }
  return {
    candidates,
    isCut: filter !== null && candidates.length < max && offered > MAX_READ,
    wordsIn: (frame, row) => countWords(plan, { frames, vocabulary: deps.vocabulary }, { frame, row }),
  };
}

/** Highest weight first: the sooner good messages are found, the fewer of the others need to be examined. */
function byWeight(frames: readonly Frame[], weights: Float64Array): (FrameAt & { readonly weight: number })[] {
  let firstPart = 0;
  const all = frames.map((frame, index) => {
    firstPart += frame.parts.length;
    return { frame, index, firstPart: firstPart - frame.parts.length, weight: weights[index] ?? 1 };
  });
  return all.sort((a, b) => b.weight - a.weight);
}

/** How many words of the query a message has itself: others are found by what was said around them, or by meaning. */
function countWords(
  { words, wordCount }: Plan,
  { frames, vocabulary }: Pick<RankRequest, "frames"> & Pick<PlanDeps, "vocabulary">,
  { frame, row }: { readonly frame: Frame; readonly row: number },
): Hit["words_in_message"] {
  const part = frame.offsets.findLastIndex((offset) => offset <= row);
  const { block, from } = frame.parts[part] ?? {};
  if (!block || from === undefined) return "none";
  const position = from + row - (frame.offsets[part] ?? 0);
  let at = part;
  for (const before of frames) {
    if (before === frame) break;
    at += before.parts.length;
  }
  const isHere = (posting: number) => positionOf(posting) === position;
  const isLent = (number: number) => {
    const mark = vocabulary.find(toMark("lent", vocabulary.term(number)));
    const { from: start, to } = mark === undefined ? { from: 0, to: 0 } : findPostings(block, mark);
    return block.postings.subarray(start, to).some(isHere);
  };
  const isHeld = ({ matches }: QueryWord) =>
    matches.some(
      ({ number, ranges }) =>
        block.postings.subarray(ranges[2 * at] ?? 0, ranges[2 * at + 1] ?? 0).some(isHere) && !isLent(number),
    );
  const held = words.filter(isHeld).length;
  if (held === wordCount) return "all";
  return held > 0 ? "some" : "none";
}

/** Conditions that can only be checked by reading the message. */
export interface Filter {
  accepts(message: Message): boolean;
  /** The cost of the check, in units of work. */
  cost(message: Message): number;
}

/** Null when nothing has to be read. */
export function toFilter({ query, isWanted }: Pick<RankRequest, "query" | "isWanted">): Filter | null {
  const wanted = query.phrases.map(toPhraseText);
  const unwanted = [...query.not.phrases, ...query.not.words.filter((word) => !isOneTerm(word))].map(toPhraseText);
  const phrases = wanted.length + unwanted.length;
  if (phrases === 0 && !isWanted) return null;
  return {
    accepts(message) {
      if (phrases > 0) {
        const text = toPhraseText(message.content);
        if (!wanted.every((phrase) => holdsPhrase(text, phrase))) return false;
        if (unwanted.some((phrase) => holdsPhrase(text, phrase))) return false;
      }
      return isWanted?.(message) ?? true;
    },
    cost: ({ content }) => (phrases === 0 ? 0 : content.length * (COST.character + phrases)),
  };
}

export interface Candidate {
  readonly frame: Frame;
  readonly row: number;
  readonly score: number;
}

/** The top k of all candidates offered; of two that are equally good, the newer is better. */
export class Top {
  readonly #max: number;
  /** Each is no better than the two below it, at twice its position and one further. */
  readonly #heap: Candidate[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** A message that does not score more is discarded, unless it is newer. */
  get floor(): number {
    return this.#heap.length < this.#max ? Number.NEGATIVE_INFINITY : (this.#heap[0]?.score ?? 0);
  }

  offer(candidate: Candidate): void {
    const worst = this.#heap[0];
    if (this.#heap.length < this.#max) {
      this.#heap.push(candidate);
      this.#rise(this.#heap.length - 1);
    } else if (worst && candidate.score >= worst.score && isBetter(candidate, worst)) {
      this.#heap[0] = candidate;
      this.#sink(0);
    }
  }

  /** The best first. */
  sorted(): Candidate[] {
    return [...this.best()];
  }

  /** The best first, one at a time: a caller who needs only a few of many does not have all of them sorted. */
  *best(): Generator<Candidate, void, undefined> {
    const heap = [...this.#heap];
    for (let at = (heap.length >> 1) - 1; at >= 0; at -= 1) sinkWorse(heap, at);
    for (let first = heap[0]; first; first = heap[0]) {
      yield first;
      const last = heap.pop();
      if (!last || heap.length === 0) return;
      heap[0] = last;
      sinkWorse(heap, 0);
    }
  }

  #rise(start: number): void {
    for (let at = start; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBetter(parent, at)) return;
      at = parent;
    }
  }

  #sink(start: number): void {
    for (let at = start; ; ) {
      const [left, right] = [this.#heap[2 * at + 1], this.#heap[2 * at + 2]];
      if (!left) return;
      const child = right && isBetter(left, right) ? 2 * at + 2 : 2 * at + 1;
      if (!this.#swapIfBetter(at, child)) return;
      at = child;
    }
  }

  #swapIfBetter(upper: number, lower: number): boolean {
    const [above, below] = [this.#heap[upper], this.#heap[lower]];
    if (!above || !below || !isBetter(above, below)) return false;
    this.#heap[upper] = below;
    this.#heap[lower] = above;
    return true;
  }
}

/** In a heap with the best on top. */
function sinkWorse(heap: Candidate[], start: number): void {
  for (let at = start; ; ) {
    const [upper, left, right] = [heap[at], heap[2 * at + 1], heap[2 * at + 2]];
    if (!upper || !left) return;
    const child = right && isBetter(right, left) ? 2 * at + 2 : 2 * at + 1;
    const lower = heap[child];
    if (!lower || !isBetter(lower, upper)) return;
    heap[at] = lower;
    heap[child] = upper;
    at = child;
  }
}

function isBetter(a: Candidate, b: Candidate): boolean {
  if (a.score !== b.score) return a.score > b.score;
  return a.frame === b.frame ? a.row > b.row : idAt(a.frame, a.row) > idAt(b.frame, b.row);
}
