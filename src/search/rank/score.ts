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

/** A frame, its place among those searched, and how many parts the frames before it have. */
export interface FrameAt {
  readonly frame: Frame;
  readonly index: number;
  readonly firstPart: number;
}

/** How many messages are scored between two looks at the pacer. */
const BATCH_SIZE = 512;
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

/** The last bit stands for all words that are left: they are the commonest, which say least. */
const LAST_BIT = 7;

/** Scores the messages of one frame after the other. */
export class MessageScorer {
  readonly #plan: Plan;
  readonly #pacer: Pacer;
  /** How much each word counts where it was said, by row in the current frame. */
  readonly #said: Float32Array[];
  /** In the current frame no message can get more for the words from here on. */
  readonly #mostFrom: Float64Array;
  /** The same for the words that a message has, or has nearby, by their bits. */
  readonly #mostOf = new Float64Array(2 << LAST_BIT);
  /** Which words each message has, a bit each, and which it has or has nearby. */
  #own = new Uint8Array(0);
  #near = new Uint8Array(0);
  /** 1 for each message that asks something. */
  #asks = new Uint8Array(0);
  /** The factor for the score of each message. */
  #factors = new Float32Array(0);
  readonly #mostFactor: number;
  /** No message can get more than that for the time it was said at. */
  readonly #mostLate: number;

  constructor(plan: Plan, pacer: Pacer) {
    this.#plan = plan;
    this.#pacer = pacer;
    this.#said = plan.words.map(() => new Float32Array(0));
    this.#mostFrom = new Float64Array(plan.words.length + 1);
    this.#mostLate = plan.times.reduce((sum, { weight }) => sum + weight, 0);
    this.#mostFactor = (plan.named.length > 0 ? NAMED_FACTOR : 1) * (plan.timed.length > 0 ? TIMED_FACTOR : 1);
  }

  /** Calls back for each message that is a hit and may score as much as `floor`, in no particular order. */
  *visit(at: FrameAt, floor: number, found: (row: number, score: number) => void): Steps<void> {
    const { frame } = at;
    const hasWords = this.#plan.words.length > 0;
    const least = floor / this.#mostFactor;
    if (hasWords && !this.#mayReach(least, at)) return;
    const allowed = yield* this.#allowed(frame);
    if (allowed === "none") return;
    if (!hasWords) yield* this.#visitAll(frame, allowed, found);
    else {
      this.#reserve(frame.size);
      yield* this.#note(at);
      if ((this.#mostFrom[0] ?? 0) < least) return;
      yield* this.#noteFactors(at);
      yield* this.#scoreAll(frame, { allowed, floor: least }, found);
    }
  }

  /** Whether any word was said there, and those that were could lift a message up to the floor, however often it has them. */
  #mayReach(floor: number, { index }: FrameAt): boolean {
    let most = 0;
    for (const { matches, weight } of this.#plan.words) {
      let best = 0;
      for (const match of matches) if ((match.counts[index] ?? 0) > 0) best = Math.max(best, match.weight);
      most += best * weight;
    }
    return most > 0 && most * (1 + SATURATION) + this.#mostLate >= floor;
  }

  *#visitAll(frame: Frame, allowed: Uint8Array | "all", found: (row: number, score: number) => void): Steps<void> {
    for (let row = 0; row < frame.size; row += 1) {
      if (allowed === "all" || allowed[row] === 1) found(row, 0);
      if (row % BATCH_SIZE === 0 && this.#pacer.spend(BATCH_SIZE * MESSAGE_COST)) yield;
    }
  }

  *#scoreAll(frame: Frame, bounds: Bounds, found: (row: number, score: number) => void): Steps<void> {
    const nearby = new Nearby(frame, this.#said, this.#asks);
    for (let from = 0; from < frame.size; from += BATCH_SIZE) {
      const cost = this.#scoreSome(
        { nearby, frame },
        { from, to: Math.min(frame.size, from + BATCH_SIZE), ...bounds },
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
    const [own, near, mostOf] = [this.#own, this.#near, this.#mostOf];
    const { starts } = frame.answers;
    // Rows that only the commonest speak for, which together cannot lift a message up to the floor, are not worth a look.
    const rarest = this.#mostFrom.findLastIndex((most) => most >= floor);
    const major = rarest >= LAST_BIT ? -1 : (2 << rarest) - 1;
    let cost = to - from;
    for (let row = from; row < to; row += 1) {
      const all = near[row] ?? 0;
      if ((all & major) === 0) continue;
      const has = own[row] ?? 0;
      // A message cannot get more than that, seeing which words it has and which were said nearby.
      if (this.#mostLate + (mostOf[has] ?? 0) + MAX_LENT * (mostOf[all & ~has] ?? 0) < floor) continue;
      if (allowed !== "all" && allowed[row] !== 1) continue;
      cost += MESSAGE_COST + WORD_COST * this.#said.length + (starts[row + 1] ?? 0) - (starts[row] ?? 0);
      const score = nearby.scoreAt(row, floor, this.#mostFrom);
      if (score > 0) found(row, (score + this.#timely(frame, row)) * (this.#factors[row] ?? 1));
    }
    return cost;
  }

  /** Collects the postings of a frame, and the maximum score they can reach. */
  *#note(at: FrameAt): Steps<void> {
    const { size, parts, targets } = at.frame;
    const { words } = this.#plan;
    this.#own.fill(0, 0, size);
    this.#near.fill(0, 0, size);
    this.#mostOf.fill(0);
    this.#mostFrom[words.length] = this.#mostLate;
    const masks = 1 << Math.min(words.length, LAST_BIT + 1);
    for (let index = words.length - 1; index >= 0; index -= 1) {
      this.#said[index]?.fill(0, 0, size);
      this.#mostFrom[index] = 0;
      for (let part = 0; part < parts.length; part += 1) if (this.#pacer.spend(this.#notePart(at, part, index))) yield;
      // A little more, because what was said is kept less exactly than what is summed up here.
      const most = (this.#mostFrom[index] ?? 0) * 1.000_001;
      this.#mostFrom[index] = (this.#mostFrom[index + 1] ?? 0) + most;
      const bit = 1 << Math.min(index, LAST_BIT);
      for (let mask = bit; mask < masks; mask += 1)
        if ((mask & bit) > 0) this.#mostOf[mask] = (this.#mostOf[mask] ?? 0) + most;
      if (this.#pacer.spend(size >> FILL_SHIFT)) yield;
    }
    if (this.#pacer.spend(noteLinks(targets, this.#own, this.#near))) yield;
  }

  /** Every message of one part that has the word in one of its forms, and all that are near to it. Gives back what that took. */
  #notePart({ frame, firstPart }: FrameAt, index: number, wordAt: number): number {
    const { averageLength, words } = this.#plan;
    const [part, word, said] = [frame.parts[index], words[wordAt], this.#said[wordAt]];
    if (!part || !word || !said) return 0;
    const { lengths, size } = frame;
    const [own, near, bit] = [this.#own, this.#near, 1 << Math.min(wordAt, LAST_BIT)];
    const { block, from, to } = part;
    const offset = (frame.offsets[index] ?? 0) - from;
    let [most, cost] = [this.#mostFrom[wordAt] ?? 0, 0];
    for (const { ranges, weight } of word.matches) {
      const worth = weight * word.weight;
      const end = ranges[2 * (firstPart + index) + 1] ?? 0;
      const start = ranges[2 * (firstPart + index)] ?? 0;
      cost += 1 + 3 * (end - start);
      for (let at = start; at < end; at += 1) {
        const posting = block.postings[at] ?? 0;
        const position = positionOf(posting);
        if (position < from || position >= to) continue;
        const row = offset + position;
        const count = countOf(posting);
        const share = (lengths[row] ?? 0) / averageLength;
        const length = Math.min(MAX_LENGTH_SHARE, Math.max(MIN_LENGTH_SHARE, share));
        const damping = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length);
        const score = (worth * count * (1 + SATURATION)) / (count + damping);
        if (score > (said[row] ?? 0)) said[row] = score;
        if (score > most) most = score;
        own[row] = (own[row] ?? 0) | bit;
        const last = Math.min(size - 1, row + REACH);
        for (let beside = Math.max(0, row - REACH); beside <= last; beside += 1)
          near[beside] = (near[beside] ?? 0) | bit;
      }
    }
    this.#mostFrom[wordAt] = most;
    return cost;
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
      const seen = new Set<number>();
      const note = (row: number) => {
        if (terms === askingWithin) asks[row] = 1;
        if (seen.has(row) || (at.frame.speakers[row] ?? 0) < minSpeakers) return;
        if (terms.length > 1) seen.add(row);
        factors[row] = (factors[row] ?? 1) * factor;
      };
      for (let part = 0; part < at.frame.parts.length; part += 1)
        if (this.#pacer.spend(visitPostings(at, { part, matches: terms }, note))) yield;
    }
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
    if (size <= this.#own.length) return;
    for (const index of this.#said.keys()) this.#said[index] = new Float32Array(size);
    this.#own = new Uint8Array(size);
    this.#near = new Uint8Array(size);
    this.#asks = new Uint8Array(size);
    this.#factors = new Float32Array(size);
  }
}

/** Words of a message are near to those that it answers, and that answer it. */
function noteLinks({ froms, tos }: Frame["targets"], own: Uint8Array, near: Uint8Array): number {
  for (let link = 0; link < froms.length; link += 1) {
    const from = froms[link] ?? 0;
    const to = tos[link] ?? 0;
    near[from] = (near[from] ?? 0) | (own[to] ?? 0);
    near[to] = (near[to] ?? 0) | (own[from] ?? 0);
  }
  return froms.length;
}

/** Every message of one part of the frame that has one of the terms. Gives back what that took, in units of work. */
function visitPostings(
  { frame, firstPart }: FrameAt,
  { part: index, matches }: { part: number; matches: QueryWord["matches"] },
  visit: (row: number) => void,
): number {
  const part = frame.parts[index];
  if (!part) return 0;
  const { block, from, to } = part;
  const offset = (frame.offsets[index] ?? 0) - from;
  let cost = 0;
  for (const { ranges } of matches) {
    const end = ranges[2 * (firstPart + index) + 1] ?? 0;
    const start = ranges[2 * (firstPart + index)] ?? 0;
    cost += 1 + end - start;
    for (let at = start; at < end; at += 1) {
      const position = positionOf(block.postings[at] ?? 0);
      if (position >= from && position < to) visit(offset + position);
    }
  }
  return cost;
}
