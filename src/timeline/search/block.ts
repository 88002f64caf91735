import type { Message } from "../../domain/message.ts";
import type { TermReader } from "./message-terms.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Positions of messages in a block, and how often a term occurs there, share sixteen bits. */
const COUNT_BITS = 6;
const MOST_COUNTED = (1 << COUNT_BITS) - 1;
export const MOST_IN_BLOCK = 1 << (16 - COUNT_BITS);

/** Up to 1,024 messages of one channel that stand one after the other, oldest first, and which terms occur in which of them. */
export interface Block {
  readonly ids: BigUint64Array;
  /** The number of the mark of each author. */
  readonly authors: Uint32Array;
  readonly lengths: Uint16Array;
  /** Which messages answer which. */
  readonly replies: { readonly positions: Uint16Array; readonly targets: BigUint64Array };
  /** Rising. */
  readonly terms: Uint32Array;
  /** Where the entries of each term begin; one more than there are terms. */
  readonly starts: Uint32Array;
  /** By position within each term. */
  readonly entries: Uint16Array;
}

export interface BlockDeps {
  readonly vocabulary: Vocabulary;
  readonly reader: TermReader;
}

/** The messages in rising order of their ids. Its terms stay in the vocabulary until they are released. */
export function buildBlock(messages: readonly Message[], { vocabulary, reader }: BlockDeps): Block {
  const authors = new Uint32Array(messages.length);
  const lengths = new Uint16Array(messages.length);
  /** Term, position and count in one number, so that sorting is cheap. */
  const keys: number[] = [];
  for (const [position, message] of messages.entries()) {
    const { counts, length, author } = reader.read(message);
    lengths[position] = Math.min(length, 0xffff);
    authors[position] = vocabulary.add(author);
    for (const [term, count] of counts)
      keys.push(vocabulary.add(term) * 0x1_0000 + ((position << COUNT_BITS) | Math.min(count, MOST_COUNTED)));
  }
  const block = {
    ids: BigUint64Array.from(messages, ({ message_id }) => BigInt(message_id)),
    authors,
    lengths,
    replies: repliesIn(messages),
    ...invert(Float64Array.from(keys).sort()),
  };
  vocabulary.retain(block.terms);
  return block;
}

/** Where the entries of a term stand; an empty range when there are none. */
export function findEntries({ terms, starts }: Block, term: number): { from: number; to: number } {
  let low = 0;
  let high = terms.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((terms[middle] ?? 0) < term) low = middle + 1;
    else high = middle;
  }
  return terms[low] === term ? { from: starts[low] ?? 0, to: starts[low + 1] ?? 0 } : { from: 0, to: 0 };
}

export function positionOf(entry: number): number {
  return entry >>> COUNT_BITS;
}

export function countOf(entry: number): number {
  return entry & MOST_COUNTED;
}

/** How many of the block's messages have smaller ids. */
export function rankIn({ ids }: Block, id: bigint): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? 0n) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What it takes, with its share of the vocabulary. */
export function weighBlock({ ids, replies, terms, entries }: Block): number {
  return 256 + 25 * ids.length + 10 * replies.positions.length + 28 * terms.length + 2 * entries.length;
}

function invert(keys: Float64Array): Pick<Block, "terms" | "starts" | "entries"> {
  const entries = new Uint16Array(keys.length);
  const terms: number[] = [];
  const starts: number[] = [];
  for (const [index, key] of keys.entries()) {
    const term = Math.floor(key / 0x1_0000);
    if (term !== terms.at(-1)) {
      terms.push(term);
      starts.push(index);
    }
    entries[index] = key - term * 0x1_0000;
  }
  return { terms: Uint32Array.from(terms), starts: Uint32Array.from([...starts, keys.length]), entries };
}

function repliesIn(messages: readonly Message[]): Block["replies"] {
  const answers = [...messages.entries()].flatMap(([position, { reply_to }]) =>
    reply_to ? [{ position, target: BigInt(reply_to.message_id) }] : [],
  );
  return {
    positions: Uint16Array.from(answers, ({ position }) => position),
    targets: BigUint64Array.from(answers, ({ target }) => target),
  };
}
