import type { Pacer, Steps } from "../../domain/steps/pace.ts";
import { countOf, findPostings, positionOf } from "../index/block.ts";
import type { Frame } from "../index/frame.ts";
import { DIALOGUE, MAX_LENT, Nearby, REACH } from "./nearby.ts";
import type { Plan, QueryWord } from "./plan.ts";

/** BM25's two constants, as commonly chosen for short texts: repeating a word soon adds little, and length counts mildly. */
const SATURATION = 0.9;
const LENGTH_WEIGHT = 0.4;

/** A message that is short is not more about its words than one of average length, and an announcement not less about what it announces. */
const MIN_LENGTH_SHARE = 1;
const MAX_LENGTH_SHARE = 2;

/**
 * A query that names a person mostly looks for their messages; a query for a topic looks for statements rather than questions; a query for a date looks for a
 * message that contains a time.
 */
const NAMED_FACTOR = 1.12;
const ASKING_FACTOR = 0.85;
/** Besides, where more than two speak: there, who asks something in one sentence tells the rest to be understood. Two people ask back as they answer. */
const ASKING_IN_COMPANY_FACTOR = 0.5;
const TIMED_FACTOR = 1.25;

/** A frame, and how many parts the frames before it have. */
export interface FrameAt {
  readonly frame: Frame;
  readonly firstPart: number;
}

/** How many messages are scored between two looks at the pacer. */
const BATCH_SIZE = 128;
/** The cost of scoring a message, and of each word, in units of work. */
const MESSAGE_COST = 15;
const WORD_COST = 5;
/** The cost of finding a term in one part. */
const FIND_COST = 15;
/** Clearing memory takes this much less than looking at it, as a power of two. */
const FILL_SHIFT = 5;

interface Bounds {
  readonly allowed: Uint8Array | "all";
  readonly floor: number;
}

/** Scores the messages of one frame after the other. */
export class MessageScorer {
  readonly #plan: Plan;
  readonly #pacer: Pacer;
  /** How much each word counts where it was said, by row in the current frame. */
  readonly #said: Float32Array[];
  /** In the current frame no message can get more for the words from here on. */
  readonly #mostFrom: Float64Array;
  /** Which words each message has: a bit each, the last for all that are left. */
  #having = new Uint32Array(0);
  /** 1 for each message that asks something. */
  #asks = new Uint8Array(0);
  /** The factor for the score of each message. */
  #factors = new Float32Array(0);
  readonly #mostFactor: number;
  #isTouched = new Uint8Array(0);
  #touched = new Int32Array(0);

  constructor(plan: Plan, pacer: Pacer) {
    this.#plan = plan;
    this.#pacer = pacer;
    this.#said = plan.words.map(() => new Float32Array(0));
    this.#mostFrom = new Float64Array(plan.words.length + 1);
    this.#mostFactor = (plan.named.length > 0 ? NAMED_FACTOR : 1) * (plan.timed.length > 0 ? TIMED_FACTOR : 1);
  }

  /** Calls back for each message that is a hit and may score as much as `floor`, in no particular order. */
  *visit(at: FrameAt, floor: number, found: (row: number, score: number) => void): Steps<void> {
    const { frame } = at;
    const hasWords = this.#plan.words.length > 0;
    if (hasWords && !this.#isMet(at)) return;
    const allowed = yield* this.#allowed(frame);
    if (allowed === "none") return;
    if (!hasWords) yield* this.#visitAll(frame, allowed, found);
    else {
      this.#reserve(frame.size);
      yield* this.#note(at);
      const least = floor / this.#mostFactor;
      const count = yield* this.#touch(at, least);
      if (count === 0) return;
      yield* this.#noteFactors(at);
      yield* this.#scoreTouched(frame, { count, allowed, floor: least }, found);
    }
  }

  /** Whether any word may have been said there. */
  #isMet({ frame, firstPart }: FrameAt): boolean {
    const end = 2 * (firstPart + frame.parts.length);
    for (const { matches } of this.#plan.words)
      for (const { ranges } of matches)
        for (let at = 2 * firstPart; at < end; at += 2) if ((ranges[at] ?? 0) < (ranges[at + 1] ?? 0)) return true;
    return false;
  }

  *#visitAll(frame: Frame, allowed: Uint8Array | "all", found: (row: number, score: number) => void): Steps<void> {
    for (let row = 0; row < frame.size; row += 1) {
      if (allowed === "all" || allowed[row] === 1) found(row, 0);
      if (row % BATCH_SIZE === 0 && this.#pacer.spend(BATCH_SIZE * MESSAGE_COST)) yield;
    }
  }

  *#scoreTouched(
    frame: Frame,
    { count, ...bounds }: Bounds & { readonly count: number },
    found: (row: number, score: number) => void,
  ): Steps<void> {
    const nearby = new Nearby(frame, this.#said, this.#asks);
    for (let from = 0; from < count; from += BATCH_SIZE) {
      const cost = this.#scoreSome(
        { nearby, frame },
        { from, to: Math.min(count, from + BATCH_SIZE), ...bounds },
        found,
      );
      if (this.#pacer.spend(cost)) yield;
    }
  }

  /** Gives back what it took. A function of its own, because loops in generators run slower. */
  #scoreSome(
    { nearby, frame }: { readonly nearby: Nearby; readonly frame: Frame },
    { from, to, allowed, floor }: Bounds & { readonly from: number; readonly to: number },
    found: (row: number, score: number) => void,
  ): number {
    const { starts } = frame.answers;
    const [touched, isTouched] = [this.#touched, this.#isTouched];
    let cost = (to - from) * (MESSAGE_COST + WORD_COST * this.#said.length);
    for (let index = from; index < to; index += 1) {
      const row = touched[index] ?? 0;
      isTouched[row] = 0;
      if (allowed !== "all" && allowed[row] !== 1) continue;
      cost += (starts[row + 1] ?? 0) - (starts[row] ?? 0);
      if (this.#mostAt(frame, row) < floor) continue;
      const score = nearby.scoreAt(row, floor, this.#mostFrom);
      if (score > 0) found(row, (score + this.#timely(frame, row)) * (this.#factors[row] ?? 1));
    }
    return cost;
  }

  /** Collects the postings of a frame, and the maximum score they can reach. */
  *#note(at: FrameAt): Steps<void> {
    const { frame } = at;
    const { words, times, averageLength } = this.#plan;
    const having = this.#having;
    having.fill(0, 0, frame.size);
    this.#mostFrom[words.length] = times.reduce((sum, { weight }) => sum + weight, 0);
    for (let index = words.length - 1; index >= 0; index -= 1) {
      const said = this.#said[index] ?? new Float32Array(0);
      said.fill(0, 0, frame.size);
      const bit = 1 << Math.min(index, 31);
      let most = 0;
      const note = (row: number, count: number, weight: number) => {
        const share = (frame.lengths[row] ?? 0) / averageLength;
        const length = Math.min(MAX_LENGTH_SHARE, Math.max(MIN_LENGTH_SHARE, share));
        const damping = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length);
        const score = (weight * count * (1 + SATURATION)) / (count + damping);
        if (score > (said[row] ?? 0)) said[row] = score;
        if (score > most) most = score;
        having[row] = (having[row] ?? 0) | bit;
      };
      for (let part = 0; part < frame.parts.length; part += 1)
        if (this.#pacer.spend(visitPostings(at, { part, word: words[index] }, note))) yield;
      // A little more, because what was said is kept less exactly than what is summed up here.
      this.#mostFrom[index] = (this.#mostFrom[index + 1] ?? 0) + most * 1.000_001;
      if (this.#pacer.spend(frame.size >> FILL_SHIFT)) yield;
    }
  }

  *#noteFactors(at: FrameAt): Steps<void> {
    const { named, asking, askingWithin, timed } = this.#plan;
    const [factors, asks] = [this.#factors, this.#asks];
    factors.fill(1, 0, at.frame.size);
    asks.fill(0, 0, at.frame.size);
    for (const [terms, factor, minSpeakers] of [
      [named, NAMED_FACTOR, 0],
      [asking, ASKING_FACTOR, 0],
      [askingWithin, ASKING_IN_COMPANY_FACTOR, DIALOGUE + 1],
      [timed, TIMED_FACTOR, 0],
    ] as const) {
      // Once, however many words of the name are in the query.
      const word = { matches: terms, weight: 1 };
      const seen = new Set<number>();
      const note = (row: number) => {
        if (terms === askingWithin) asks[row] = 1;
        if (seen.has(row) || (at.frame.speakers[row] ?? 0) < minSpeakers) return;
        if (terms.length > 1) seen.add(row);
        factors[row] = (factors[row] ?? 1) * factor;
      };
      for (let part = 0; part < at.frame.parts.length; part += 1)
        if (this.#pacer.spend(visitPostings(at, { part, word }, note))) yield;
    }
  }

  /**
   * Collects the rows that words may count for. The words come the rarest first: once the rest together cannot lift a
   * message up to the floor, rows that only they speak for are not worth a look.
   */
  *#touch(at: FrameAt, floor: number): Steps<number> {
    const { targets, answers, size, parts } = at.frame;
    const [isTouched, touched] = [this.#isTouched, this.#touched];
    let count = 0;
    let linked = 0;
    const touch = (row: number) => {
      if (isTouched[row] === 1) return;
      isTouched[row] = 1;
      touched[count] = row;
      count += 1;
    };
    const visit = (row: number) => {
      const end = Math.min(size - 1, row + REACH);
      for (let near = Math.max(0, row - REACH); near <= end; near += 1) touch(near);
      const [targetsEnd, answersEnd] = [targets.starts[row + 1] ?? 0, answers.starts[row + 1] ?? 0];
      for (let link = targets.starts[row] ?? 0; link < targetsEnd; link += 1) touch(targets.tos[link] ?? 0);
      for (let link = answers.starts[row] ?? 0; link < answersEnd; link += 1) touch(answers.tos[link] ?? 0);
      linked += answersEnd - (answers.starts[row] ?? 0);
    };
    for (const [index, word] of this.#plan.words.entries()) {
      if ((this.#mostFrom[index] ?? 0) < floor) break;
      for (let part = 0; part < parts.length; part += 1) {
        linked = 0;
        const postings = visitPostings(at, { part, word }, visit);
        if (this.#pacer.spend(2 * postings + linked)) yield;
      }
    }
    return count;
  }

  /** A message cannot get more than this, seeing which words it has and which were said nearby. Cheaper than to know what it gets. */
  #mostAt({ answers, targets, size }: Frame, row: number): number {
    const having = this.#having;
    const own = having[row] ?? 0;
    const end = Math.min(size - 1, row + REACH);
    let near = 0;
    for (let at = Math.max(0, row - REACH); at <= end; at += 1) near |= having[at] ?? 0;
    const [targetsEnd, answersEnd] = [targets.starts[row + 1] ?? 0, answers.starts[row + 1] ?? 0];
    for (let at = targets.starts[row] ?? 0; at < targetsEnd; at += 1) near |= having[targets.tos[at] ?? 0] ?? 0;
    for (let at = answers.starts[row] ?? 0; at < answersEnd; at += 1) near |= having[answers.tos[at] ?? 0] ?? 0;
    const words = this.#said.length;
    let most = this.#mostFrom[words] ?? 0;
    for (let index = 0; index < words; index += 1) {
      const bit = 1 << Math.min(index, 31);
      const share = own & bit ? 1 : near & bit ? MAX_LENT : 0;
      if (share > 0) most += share * ((this.#mostFrom[index] ?? 0) - (this.#mostFrom[index + 1] ?? 0));
    }
    return most;
  }

  #timely({ times }: Frame, row: number): number {
    const time = times[row] ?? 0;
    const isWithin = ({ from, to }: { from: number; to: number }) => time >= from && time < to;
    return this.#plan.times.reduce((sum, { spans, weight }) => (spans.some(isWithin) ? sum + weight : sum), 0);
  }

  /** Which messages have everything that is needed and nothing that is unwanted. */
  *#allowed(frame: Frame): Steps<Uint8Array | "all" | "none"> {
    const { needed, unwanted } = this.#plan;
    if (needed.length + unwanted.length === 0) return "all";
    const allowed = new Uint8Array(frame.size).fill(1);
    for (const terms of needed) {
      const having = new Uint8Array(frame.size);
      for (const term of terms) yield* this.#fill(having, frame, { term, value: 1 });
      let left = 0;
      for (let row = 0; row < frame.size; row += 1) {
        const isAllowed = (allowed[row] ?? 0) & (having[row] ?? 0);
        allowed[row] = isAllowed;
        left += isAllowed;
      }
      if (this.#pacer.spend(frame.size >> 2)) yield;
      if (left === 0) return "none";
    }
    for (const term of unwanted) yield* this.#fill(allowed, frame, { term, value: 0 });
    return allowed;
  }

  /** Sets the value for all messages that have the term. */
  *#fill(values: Uint8Array, frame: Frame, { term, value }: { term: number; value: number }): Steps<void> {
    for (const [index, { block, from, to }] of frame.parts.entries()) {
      const postings = findPostings(block, term);
      for (let at = postings.from; at < postings.to; at += 1) {
        const position = positionOf(block.postings[at] ?? 0);
        if (position >= from && position < to) values[(frame.offsets[index] ?? 0) + position - from] = value;
      }
      if (this.#pacer.spend(FIND_COST + postings.to - postings.from)) yield;
    }
  }

  #reserve(size: number): void {
    if (size <= this.#touched.length) return;
    for (const index of this.#said.keys()) this.#said[index] = new Float32Array(size);
    this.#having = new Uint32Array(size);
    this.#asks = new Uint8Array(size);
    this.#factors = new Float32Array(size);
    this.#isTouched = new Uint8Array(size);
    this.#touched = new Int32Array(size);
  }
}

/**
 * Every message of one part of the frame that has the word in one of its forms, how often, and how much that form counts. Gives back what that
 * took, in units of work.
 */
function visitPostings(
  { frame, firstPart }: FrameAt,
  { part: index, word }: { part: number; word: QueryWord | undefined },
  visit: (row: number, count: number, weight: number) => void,
): number {
  const part = frame.parts[index];
  if (!part || !word) return 0;
  const { block, from, to } = part;
  const offset = (frame.offsets[index] ?? 0) - from;
  let cost = 0;
  for (const { ranges, weight } of word.matches) {
    const worth = weight * word.weight;
    const end = ranges[2 * (firstPart + index) + 1] ?? 0;
    const start = ranges[2 * (firstPart + index)] ?? 0;
    cost += 1 + end - start;
    for (let at = start; at < end; at += 1) {
      const posting = block.postings[at] ?? 0;
      const position = positionOf(posting);
      if (position >= from && position < to) visit(offset + position, countOf(posting), worth);
    }
  }
  return cost;
}
