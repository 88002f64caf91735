import { type Block, rankIn } from "./block.ts";

/** The messages of a block from one position up to, and without, another. */
export interface BlockPart {
  readonly block: Block;
  readonly from: number;
  readonly to: number;
}

/** Messages of one channel, oldest first, each with a place in line across its blocks. */
export interface Frame {
  readonly parts: readonly BlockPart[];
  /** The place of each part's first message. */
  readonly offsets: readonly number[];
  readonly size: number;
  readonly totalLength: number;
  /** Seconds since Discord began, as ids tell. */
  readonly times: Uint32Array;
  readonly authors: Uint32Array;
  readonly lengths: Uint16Array;
  /** How many people speak around each message. */
  readonly crowds: Uint8Array;
  /** From each answer to what it answers, and back. */
  readonly targets: Links;
  readonly answers: Links;
}

/** Where the places that each place leads to begin, one after the other. Empty where none leads anywhere. */
interface Links {
  readonly starts: Int32Array;
  readonly tos: Int32Array;
}

/** So many messages before and after say how many people are speaking. */
const CROWD_REACH = 5;

/** The parts in rising order of their ids. */
export function toFrame(parts: readonly BlockPart[]): Frame {
  const offsets: number[] = [];
  const size = parts.reduce((sum, { from, to }) => {
    offsets.push(sum);
    return sum + to - from;
  }, 0);
  const times = new Uint32Array(size);
  const authors = new Uint32Array(size);
  const lengths = new Uint16Array(size);
  for (const [index, { block, from, to }] of parts.entries()) {
    const offset = offsets[index] ?? 0;
    authors.set(block.authors.subarray(from, to), offset);
    lengths.set(block.lengths.subarray(from, to), offset);
    fillTimes(times, { block, from, to }, offset);
  }
  const totalLength = lengths.reduce((sum, length) => sum + length, 0);
  const crowds = toCrowds(authors);
  return {
    parts,
    offsets,
    size,
    totalLength,
    times,
    authors,
    lengths,
    crowds,
    ...findReplies({ parts, offsets, size }),
  };
}

export function idAt({ parts, offsets }: Frame, place: number): bigint {
  let index = offsets.length - 1;
  while (index > 0 && (offsets[index] ?? 0) > place) index -= 1;
  const part = parts[index];
  return part?.block.ids[part.from + place - (offsets[index] ?? 0)] ?? 0n;
}

/** The place of a message; -1 when it is not there. */
function placeOf({ parts, offsets }: Pick<Frame, "parts" | "offsets">, id: bigint): number {
  for (const [index, { block, from, to }] of parts.entries()) {
    const position = rankIn(block, id);
    if (position >= from && position < to && block.ids[position] === id) return (offsets[index] ?? 0) + position - from;
  }
  return -1;
}

/** The places that one leads to. */
export function follow({ starts, tos }: Links, place: number): Int32Array {
  return tos.subarray(starts[place] ?? 0, starts[place + 1] ?? 0);
}

function toLinks(pairs: readonly { from: number; to: number }[], size: number): Links {
  const sorted = [...pairs].sort((a, b) => a.from - b.from || a.to - b.to);
  const starts = new Int32Array(sorted.length > 0 ? size + 1 : 0);
  for (const { from } of sorted) starts[from + 1] = (starts[from + 1] ?? 0) + 1;
  for (let place = 1; place < starts.length; place += 1)
    starts[place] = (starts[place] ?? 0) + (starts[place - 1] ?? 0);
  return { starts, tos: Int32Array.from(sorted, ({ to }) => to) };
}

/** Only where both the answer and what it answers are there. */
function findReplies(frame: Pick<Frame, "parts" | "offsets" | "size">): Pick<Frame, "targets" | "answers"> {
  const pairs = frame.parts.flatMap(({ block: { replies }, from, to }, index) =>
    [...replies.positions.entries()].flatMap(([n, position]) => {
      const target = position >= from && position < to ? placeOf(frame, replies.targets[n] ?? 0n) : -1;
      return target < 0 ? [] : [{ from: (frame.offsets[index] ?? 0) + position - from, to: target }];
    }),
  );
  const back = pairs.map(({ from, to }) => ({ from: to, to: from }));
  return { targets: toLinks(pairs, frame.size), answers: toLinks(back, frame.size) };
}

/** Without making a BigInt of each id: its upper 42 bits are milliseconds. */
function fillTimes(times: Uint32Array, { block: { ids }, from, to }: BlockPart, offset: number): void {
  const halves = new Uint32Array(ids.buffer, ids.byteOffset, ids.length * 2);
  for (let position = from; position < to; position += 1) {
    const [low, high] = [halves[position * 2] ?? 0, halves[position * 2 + 1] ?? 0];
    times[offset + position - from] = Math.floor((high * 1024 + (low >>> 22)) / 1000);
  }
}

function toCrowds(authors: Uint32Array): Uint8Array {
  const crowds = new Uint8Array(authors.length);
  for (let place = 0; place < authors.length; place += 1) {
    const seen: number[] = [];
    const end = Math.min(authors.length, place + CROWD_REACH + 1);
    for (let near = Math.max(0, place - CROWD_REACH); near < end; near += 1) {
      const author = authors[near] ?? 0;
      if (!seen.includes(author)) seen.push(author);
    }
    crowds[place] = seen.length;
  }
  return crowds;
}
