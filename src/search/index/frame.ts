import type { Pacer, Steps } from "../../domain/steps/pace.ts";
import { MAX_MESSAGES_PER_BLOCK, rankIn, type WordBlock } from "./block.ts";

/** The messages of a block from one position up to, and without, another. */
export interface BlockPart {
  readonly block: WordBlock;
  readonly from: number;
  readonly to: number;
}

/** A data frame: one row for each message of one channel, oldest first, across its blocks. */
export interface Frame {
  readonly parts: readonly BlockPart[];
  /** The row of each part's first message. */
  readonly offsets: readonly number[];
  readonly size: number;
  readonly totalLength: number;
  /** Seconds since Discord began, as ids tell. */
  readonly times: Uint32Array;
  readonly authors: Uint32Array;
  readonly lengths: Uint16Array;
  /** How many people speak around each message. */
  readonly speakers: Uint8Array;
  /** From each answer to what it answers, and back. */
  readonly targets: Links;
  readonly answers: Links;
}

/** Pairs of rows in rising order, and where those of each row begin. Empty if there are no links. */
interface Links {
  readonly starts: Int32Array;
  readonly froms: Int32Array;
  readonly tos: Int32Array;
}

/** How many messages before and after are looked at to count the people who speak there. */
const SPEAKER_WINDOW = 5;

/** The cost of placing one message, and of resolving one reply, in units of work. */
const place_COST = 15;
const LINK_COST = 30;

/** The parts in rising order of their ids. */
export function* toFrame(parts: readonly BlockPart[], pacer: Pacer): Steps<Frame> {
  const offsets: number[] = [];
  const size = parts.reduce((sum, { from, to }) => {
    offsets.push(sum);
    return sum + to - from;
  }, 0);
  const times = new Uint32Array(size);
  const authors = new Uint32Array(size);
  const lengths = new Uint16Array(size);
  let totalLength = 0;
  for (const [index, { block, from, to }] of parts.entries()) {
    const offset = offsets[index] ?? 0;
    authors.set(block.authors.subarray(from, to), offset);
    lengths.set(block.lengths.subarray(from, to), offset);
    fillTimes(times, { block, from, to }, offset);
    for (let position = from; position < to; position += 1) totalLength += block.lengths[position] ?? 0;
    if (pacer.spend(place_COST * (to - from))) yield;
  }
  const speakers = new Uint8Array(size);
  for (const [index, { from, to }] of parts.entries()) {
    fillSpeakers(speakers, authors, { start: offsets[index] ?? 0, count: to - from });
    if (pacer.spend(place_COST * (to - from))) yield;
  }
  const links = yield* findReplies({ parts, offsets, size }, pacer);
  return { parts, offsets, size, totalLength, times, authors, lengths, speakers, ...links };
}

export function idAt({ parts, offsets }: Frame, row: number): bigint {
  const index = lastAtMost(offsets, row);
  const part = parts[index];
  return part?.block.ids[part.from + row - (offsets[index] ?? 0)] ?? 0n;
}

/** The last part that begins no later than the row: the offsets rise. */
function lastAtMost(offsets: readonly number[], row: number): number {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((offsets[middle] ?? 0) <= row) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

/** The row of a message; -1 when it is not there. */
function rowOf({ parts, offsets }: Pick<Frame, "parts" | "offsets">, id: bigint): number {
  let [low, high] = [0, parts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    const part = parts[middle];
    if (part && (part.block.ids[part.from] ?? 0n) <= id) low = middle;
    else high = middle - 1;
  }
  const part = parts[low];
  const position = part ? rankIn(part.block, id) : 0;
  const isThere = part && position >= part.from && position < part.to && part.block.ids[position] === id;
  return isThere ? (offsets[low] ?? 0) + position - part.from : -1;
}

/** The rows that one leads to. */
export function follow({ starts, tos }: Links, row: number): Int32Array {
  return tos.subarray(starts[row] ?? 0, starts[row + 1] ?? 0);
}

/** Pairs of rows. */
interface Pairs {
  readonly froms: number[];
  readonly tos: number[];
}

/** Only where both the answer and what it answers are there. */
function* findReplies(
  frame: Pick<Frame, "parts" | "offsets" | "size">,
  pacer: Pacer,
): Steps<Pick<Frame, "targets" | "answers">> {
  const pairs: Pairs = { froms: [], tos: [] };
  for (const [index, { block, from, to }] of frame.parts.entries()) {
    const { positions, targets } = block.replies;
    for (const [n, position] of positions.entries()) {
      const target = position >= from && position < to ? rowOf(frame, targets[n] ?? 0n) : -1;
      if (target < 0) continue;
      pairs.froms.push((frame.offsets[index] ?? 0) + position - from);
      pairs.tos.push(target);
    }
    if (pacer.spend(LINK_COST * positions.length)) yield;
  }
  const targets = yield* toLinks(pairs, frame.size, pacer);
  const answers = yield* toLinks({ froms: pairs.tos, tos: pairs.froms }, frame.size, pacer);
  return { targets, answers };
}

/** Ordered by counting: those that lead from the same row stay in the order given, which is rising. */
function* toLinks({ froms, tos }: Pairs, size: number, pacer: Pacer): Steps<Links> {
  const count = froms.length;
  const starts = new Int32Array(count > 0 ? size + 1 : 0);
  const links = { starts, froms: new Int32Array(count), tos: new Int32Array(count) };
  if (count === 0) return links;
  for (const from of froms) starts[from + 1] = (starts[from + 1] ?? 0) + 1;
  for (let row = 1; row < starts.length; row += 1) starts[row] = (starts[row] ?? 0) + (starts[row - 1] ?? 0);
  if (pacer.spend(count + size)) yield;
  const next = starts.slice();
  for (let index = 0; index < count; index += 1) {
    const from = froms[index] ?? 0;
    const at = next[from] ?? 0;
    links.froms[at] = from;
    links.tos[at] = tos[index] ?? 0;
    next[from] = at + 1;
  }
  if (pacer.spend(count * 2 + size)) yield;
  return links;
}

/** Without making a BigInt of each id: its upper 42 bits are milliseconds. */
function fillTimes(times: Uint32Array, { block: { ids }, from, to }: BlockPart, offset: number): void {
  const halves = new Uint32Array(ids.buffer, ids.byteOffset, ids.length * 2);
  for (let position = from; position < to; position += 1) {
    const [low, high] = [halves[position * 2] ?? 0, halves[position * 2 + 1] ?? 0];
    times[offset + position - from] = Math.floor((high * 1024 + (low >>> 22)) / 1000);
  }
}

function fillSpeakers(
  speakers: Uint8Array,
  authors: Uint32Array,
  { start, count }: { start: number; count: number },
): void {
  for (let row = start; row < start + count; row += 1) {
    const seen: number[] = [];
    const end = Math.min(authors.length, row + SPEAKER_WINDOW + 1);
    for (let near = Math.max(0, row - SPEAKER_WINDOW); near < end; near += 1) {
      const author = authors[near] ?? 0;
      if (!seen.includes(author)) seen.push(author);
    }
    speakers[row] = seen.length;
  }
}

/** Falls into pieces wherever one of the ids belongs between two of its messages. */
export function cutAt({ block, from, to }: BlockPart, ids: readonly bigint[]): BlockPart[] {
  const inside = ids.slice(countBelow(ids, block.ids[from] ?? 0n), countBelow(ids, block.ids[to - 1] ?? 0n));
  const cuts = [...new Set(inside.map((id) => rankIn(block, id)))].filter((cut) => cut > from && cut < to);
  const ends = [from, ...cuts, to];
  return ends.slice(1).map((end, index) => ({ block, from: ends[index] ?? from, to: end }));
}

/** Falls into pieces without these of its messages. */
export function cutOut({ block, from, to }: BlockPart, ids: ReadonlySet<bigint>): BlockPart[] {
  const without = [...ids]
    .map((id) => rankIn(block, id))
    .filter((at) => at >= from && at < to && ids.has(block.ids[at] ?? 0n));
  const starts = [from, ...[...new Set(without)].sort((a, b) => a - b).map((at) => at + 1)];
  const parts = starts.map((start, index) => ({
    block,
    from: start,
    to: index + 1 < starts.length ? (starts[index + 1] ?? to) - 1 : to,
  }));
  return parts.filter((part) => part.from < part.to);
}

/** The messages that reply to one that is meant. */
export function repliesIn(parts: readonly BlockPart[], isMeant: (target: bigint) => boolean): bigint[] {
  return parts.flatMap(({ block, from, to }) => {
    const { positions, targets } = block.replies;
    const found: bigint[] = [];
    for (const [index, position] of positions.entries())
      if (position >= from && position < to && isMeant(targets[index] ?? 0n)) found.push(block.ids[position] ?? 0n);
    return found;
  });
}

/** Parts a rising row of ids where one of the others, which rise too, belongs between two of them, and where there are too many. */
export function toRuns(ids: readonly bigint[], others: readonly bigint[]): bigint[][] {
  const runs: bigint[][] = [];
  let next = 0;
  for (const id of ids) {
    const current = runs.at(-1);
    const before = next;
    for (let other = others[next]; other !== undefined && other < id; other = others[next]) next += 1;
    if (!current || next > before || current.length >= MAX_MESSAGES_PER_BLOCK) runs.push([id]);
    else current.push(id);
  }
  return runs;
}

function countBelow(rising: readonly bigint[], id: bigint): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] ?? 0n) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function firstOf({ block, from }: BlockPart): bigint {
  return block.ids[from] ?? 0n;
}
