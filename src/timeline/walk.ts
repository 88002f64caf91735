import { type Interval, NEWEST } from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import { PAGE, type Page } from "./page-fetcher.ts";
import type { ReadInProgress } from "./read-in-progress.ts";

/** The end of a walk, and whether there may be more beyond. */
export interface Walked {
  readonly position: bigint;
  readonly hasMore: boolean;
}

export interface Way {
  readonly from: bigint;
  readonly last: bigint;
}

/** Number of later messages examined to find an answer, which usually follows soon after its question. */
const AHEAD = 20;

/** Towards older messages, from an id down to the last that counts, both included. */
export async function walkBack(read: ReadInProgress, { from, last }: Way): Promise<Walked> {
  const position = await goBack(read, { from, last });
  return { position, hasMore: position >= last && (await isMoreBelow(read, { from: position, last })) };
}

/** Towards newer messages, from an id up to the last that counts, both included. */
export async function walkForward(read: ReadInProgress, { from, last }: Way): Promise<Walked> {
  const position = await goForward(read, { from, last });
  await lookAhead(read, position);
  return { position, hasMore: position <= last && (await isMoreAbove(read, { from: position, last })) };
}

/** Continues until the budget is spent or there is no more; returns the position to continue from. */
export async function goBack(read: ReadInProgress, { from, last }: Way): Promise<bigint> {
  let position = from;
  while (position >= last && !read.isSpent) {
    position = examineKnown(read, position, last) ?? (await examineFetched(read, position, last));
    if (read.mustRest) await read.rest();
  }
  return position;
}

export async function goForward(read: ReadInProgress, { from, last }: Way): Promise<bigint> {
  let position = from;
  while (position <= last && !read.isSpent) {
    const known = read.timeline.knownAt(position);
    if (known) {
      const wanted = Math.min(read.toReturn, read.toScan);
      const ids = read.timeline.ids.oldest(position, earlier(known.to, last), wanted);
      read.examineHeld(ids);
      position = ids.length < wanted ? known.to + 1n : (ids.at(-1) ?? position) + 1n;
    } else {
      const page = await read.fetch("after", position - 1n);
      const way = { position, low: position, high: last, step: 1n };
      if (page) position = examineEach(read, [...page.messages].reverse(), way) ?? page.to + 1n;
    }
  }
  return position;
}

/** Reads the messages after a position, which tell whether the ones before it are questions that the bot answered. */
export async function lookAhead(read: ReadInProgress, from: bigint): Promise<void> {
  let position = from;
  for (let left = read.passesOverEchoes ? AHEAD : 0; left > 0 && position <= NEWEST; ) {
    const held: Interval | Page | null = heldAt(read, position) ?? (await read.fetch("after", position - 1n));
    if (!held) continue;
    const ahead = { from: position, to: held.to };
    const ids = isPage(held) ? idsIn(held, ahead).reverse() : read.timeline.ids.oldest(ahead.from, ahead.to, left);
    const reached = ids.length < left ? held.to : ids[left - 1];
    read.look({ from: position, to: reached ?? held.to });
    left -= ids.length;
    position = held.to + 1n;
  }
}

/** The position reached, or undefined if nothing is known. */
function examineKnown(read: ReadInProgress, position: bigint, last: bigint): bigint | undefined {
  const { timeline, filter } = read;
  const known = timeline.knownAt(position);
  if (!known) return undefined;
  if (filter) return filter.examineKnown(read, position, later(known.from, last));
  const wanted = Math.min(read.toReturn, read.toScan);
  const ids = timeline.ids.newest(later(known.from, last), position, wanted);
  read.examineHeld(ids);
  return ids.length < wanted ? known.from - 1n : (ids.at(-1) ?? position) - 1n;
}

async function examineFetched(read: ReadInProgress, position: bigint, last: bigint): Promise<bigint> {
  const page = await read.fetch("before", position + 1n);
  if (!page) return position;
  return examineEach(read, page.messages, { position, low: last, high: position, step: -1n }) ?? page.from - 1n;
}

/** In the order given. Returns the position to continue from if it had to stop; undefined when all were examined. */
function examineEach(
  read: ReadInProgress,
  messages: readonly Message[],
  { position, low, high, step }: { position: bigint; low: bigint; high: bigint; step: bigint },
): bigint | undefined {
  let reached = position;
  for (const message of messages) {
    const id = BigInt(message.message_id);
    if (id < low || id > high) continue;
    if (read.isSpent) return reached;
    read.examine(message);
    reached = id + step;
  }
  return read.isSpent ? reached : undefined;
}

/**
 * Checks for one more message if that costs no request even with an empty cache: full pages end where the next one begins. So the result
 * does not depend on the cache.
 */
async function isMoreBelow(read: ReadInProgress, { from, last }: Way): Promise<boolean> {
  if (read.passed % PAGE === 0) return true;
  let position = from;
  while (position >= last) {
    const held = heldAt(read, position) ?? (await read.fetch("before", position + 1n));
    if (!held) continue;
    if (holdsAny(read, held, { from: later(held.from, last), to: position })) return true;
    position = held.from - 1n;
  }
  return false;
}

async function isMoreAbove(read: ReadInProgress, { from, last }: Way): Promise<boolean> {
  if (read.passed % PAGE === 0) return true;
  let position = from;
  while (position <= last) {
    const held = heldAt(read, position) ?? (await read.fetch("after", position - 1n));
    if (!held) continue;
    if (holdsAny(read, held, { from: position, to: earlier(held.to, last) })) return true;
    position = held.to + 1n;
  }
  return false;
}

function heldAt({ timeline, page }: ReadInProgress, position: bigint): Interval | Page | undefined {
  return timeline.knownAt(position) ?? (page && page.from <= position && position <= page.to ? page : undefined);
}

/** Whether there is a message to return, or more echoes than a read skips. */
function holdsAny(read: ReadInProgress, held: Interval | Page, { from, to }: Interval): boolean {
  if (!isPage(held)) return read.count(from, to) > 0 || !read.maySkip(read.timeline.ids.count(from, to));
  const ids = idsIn(held, { from, to });
  return ids.some((id) => !read.isEcho(id)) || !read.maySkip(ids.length);
}

function isPage(held: Interval | Page): held is Page {
  return "messages" in held;
}

function idsIn({ messages }: Page, { from, to }: Interval): bigint[] {
  return messages.map(({ message_id }) => BigInt(message_id)).filter((id) => from <= id && id <= to);
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function earlier(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
