import type { Message } from "../../domain/message.ts";
import { COST, type Pacer, type Steps } from "../../domain/steps/pace.ts";
import type { MessageTerms, TermReader } from "./message-terms.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Positions of messages in a block, and how often a term occurs there, share sixteen bits. */
const COUNT_BITS = 6;
const MAX_COUNTED = (1 << COUNT_BITS) - 1;
export const MAX_MESSAGES_PER_BLOCK = 1 << (16 - COUNT_BITS);
/** Long messages make small blocks, so that each is put together in one step. A single message may have more. */
export const MAX_POSTINGS = 16_000;
/** The cost of putting one posting into a block, in units of work. */
const POSTING_COST = 36;

/** Up to 1,024 messages of one channel that stand one after the other, oldest first, and which terms occur in which of them. */
export interface WordBlock {
  readonly ids: BigUint64Array;
  /** The number of the mark of each author. */
  readonly authors: Uint32Array;
  readonly lengths: Uint16Array;
  /** Which messages answer which. */
  readonly replies: { readonly positions: Uint16Array; readonly targets: BigUint64Array };
  /** Rising. */
  readonly terms: Uint32Array;
  /** Offsets of the postings of each term; one more than there are terms. */
  readonly starts: Uint32Array;
  /** By position within each term. */
  readonly postings: Uint16Array;
}

export interface BlockDeps {
  readonly vocabulary: Vocabulary;
  readonly reader: TermReader;
}

/** The input of a block: messages in rising order of their ids, and a way to read each. */
export interface BlockSource {
  readonly ids: readonly bigint[];
  /** Undefined when it has gone meanwhile: it is left out. */
  read(id: bigint): Message | undefined;
  /** The question put to the agent that a message answers. It is in no block, and its words count for the answer. */
  questionFor?(message: Message): Message | undefined;
}

interface Reading {
  readonly message: Message;
  readonly terms: MessageTerms;
}

/**
 * Reads messages until the block is full or there are no more. The caller then checks whether they have changed meanwhile, and puts the block together at once.
 */
export function* readBlock(
  { ids, read, questionFor }: BlockSource,
  reader: TermReader,
  pacer: Pacer,
): Steps<Reading[]> {
  const readings: Reading[] = [];
  let postings = 0;
  for (const id of ids) {
    const message = read(id);
    if (pacer.spend(COST.message + COST.character * (message?.content.length ?? 0))) yield;
    const terms = message && reader.read(message, questionFor?.(message));
    if (!message || !terms) continue;
    if (postings > 0 && postings + terms.counts.size > MAX_POSTINGS) break;
    readings.push({ message, terms });
    postings += terms.counts.size;
  }
  if (pacer.spend(postings * POSTING_COST)) yield;
  return readings;
}

/** Its terms stay in the vocabulary until they are released. */
export function toBlock(readings: readonly Reading[], vocabulary: Vocabulary): WordBlock {
  const authors = new Uint32Array(readings.length);
  const lengths = new Uint16Array(readings.length);
  /** Term, position and count in one number, so that sorting is cheap. */
  const keys: number[] = [];
  for (const [position, { terms }] of readings.entries()) {
    lengths[position] = Math.min(terms.length, 0xffff);
    authors[position] = vocabulary.add(terms.author);
    for (const [term, count] of terms.counts)
      keys.push(vocabulary.add(term) * 0x1_0000 + ((position << COUNT_BITS) | Math.min(count, MAX_COUNTED)));
  }
  const messages = readings.map(({ message }) => message);
  const inverted = invert(Float64Array.from(keys).sort());
  vocabulary.retain(inverted.terms);
  return {
    ids: BigUint64Array.from(messages, ({ message_id }) => BigInt(message_id)),
    authors,
    lengths,
    replies: repliesIn(messages),
    ...inverted,
  };
}

/** The range of a term's postings; empty without any. */
export function findPostings({ terms, starts }: WordBlock, term: number): { from: number; to: number } {
  // Rising numbers bound where one can stand: common words have small ones.
  const last = terms.length - 1;
  let low = Math.max(0, last - ((terms[last] ?? 0) - term));
  let high = Math.min(terms.length, term + 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((terms[middle] ?? 0) < term) low = middle + 1;
    else high = middle;
  }
  return terms[low] === term ? { from: starts[low] ?? 0, to: starts[low + 1] ?? 0 } : { from: 0, to: 0 };
}

export function positionOf(posting: number): number {
  return posting >>> COUNT_BITS;
}

export function countOf(posting: number): number {
  return posting & MAX_COUNTED;
}

/** How many of the block's messages have smaller ids. */
export function rankIn({ ids }: WordBlock, id: bigint): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? 0n) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function invert(keys: Float64Array): Pick<WordBlock, "terms" | "starts" | "postings"> {
  const postings = new Uint16Array(keys.length);
  const terms: number[] = [];
  const starts: number[] = [];
  for (const [index, key] of keys.entries()) {
    const term = Math.floor(key / 0x1_0000);
    if (term !== terms.at(-1)) {
      terms.push(term);
      starts.push(index);
    }
    postings[index] = key - term * 0x1_0000;
  }
  return { terms: Uint32Array.from(terms), starts: Uint32Array.from([...starts, keys.length]), postings };
}

function repliesIn(messages: readonly Message[]): WordBlock["replies"] {
  const answers = [...messages.entries()].flatMap(([position, { reply_to }]) =>
    reply_to ? [{ position, target: BigInt(reply_to.message_id) }] : [],
  );
  return {
    positions: Uint16Array.from(answers, ({ position }) => position),
    targets: BigUint64Array.from(answers, ({ target }) => target),
  };
}
