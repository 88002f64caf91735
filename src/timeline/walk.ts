import type { Interval } from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import { containsKeywords } from "../domain/search/keywords.ts";
import { COST } from "../domain/steps/pace.ts";
import type { Look } from "./look.ts";
import { PAGE, type Page } from "./page-fetcher.ts";

/** Where a walk ended, and whether there may be more beyond. */
export interface Walked {
  readonly position: bigint;
  readonly hasMore: boolean;
}

interface Way {
  readonly from: bigint;
  readonly last: bigint;
}

/** So many messages that may be finds are looked up at a time. */
const MAX_CANDIDATES = 500;
/** What looking them up takes, in units of work. */
const LOOKUP_COST = 50_000;

/** Towards older messages, from an id down to the last that counts, both included. */
export async function walkBack(look: Look, { from, last }: Way): Promise<Walked> {
  const position = await goBack(look, { from, last });
  return { position, hasMore: position >= last && (await isMoreBelow(look, { from: position, last })) };
}

/** Towards newer messages, from an id up to the last that counts, both included. */
export async function walkForward(look: Look, { from, last }: Way): Promise<Walked> {
  const position = await goForward(look, { from, last });
  return { position, hasMore: position <= last && (await isMoreAbove(look, { from: position, last })) };
}

/** Until the budget is spent or there is no more; gives back where to go on. */
export async function goBack(look: Look, { from, last }: Way): Promise<bigint> {
  let position = from;
  while (position >= last && !look.isSpent) {
    position = examineKnown(look, position, last) ?? (await examineFetched(look, position, last));
    if (look.mustRest) await look.rest();
  }
  return position;
}

export async function goForward(look: Look, { from, last }: Way): Promise<bigint> {
  let position = from;
  while (position <= last && !look.isSpent) {
    const known = look.timeline.knownAt(position);
    if (known) {
      const wanted = Math.min(look.toFind, look.toScan);
      const ids = look.timeline.ids.oldest(position, least(known.to, last), wanted);
      for (const message of look.timeline.get(ids)) look.examine(message);
      position = ids.length < wanted ? known.to + 1n : (ids.at(-1) ?? position) + 1n;
    } else {
      const page = await look.fetch("after", position - 1n);
      const way = { position, low: position, high: last, step: 1n };
      if (page) position = examineEach(look, [...page.messages].reverse(), way) ?? page.to + 1n;
    }
  }
  return position;
}

/** How far this got, or undefined where nothing is known. */
function examineKnown(look: Look, position: bigint, last: bigint): bigint | undefined {
  const { timeline, keywords } = look;
  const known = timeline.knownAt(position);
  if (!known) return undefined;
  if (keywords) return searchWithin(look, position, most(known.from, last));
  const wanted = Math.min(look.toFind, look.toScan);
  const ids = timeline.ids.newest(most(known.from, last), position, wanted);
  for (const message of timeline.get(ids)) look.examine(message);
  return ids.length < wanted ? known.from - 1n : (ids.at(-1) ?? position) - 1n;
}

function searchWithin(look: Look, position: bigint, bottom: bigint): bigint {
  const { timeline } = look;
  const lowest = most(timeline.ids.countDown(position, look.toScan) ?? bottom, bottom);
  const { found, end } = readCandidates(look, { from: lowest, to: position }, look.toFind);
  noteSearched(look, { from: end, to: position }, found);
  return end - 1n;
}

/** Reads what may be a find, newest first, until there are as many finds as wanted or the step is over; `end` is how far it got. */
function readCandidates(
  look: Look,
  { from, to }: Interval,
  wanted: number,
): { found: readonly Message[]; end: bigint } {
  const { timeline, keywords } = look;
  const found: Message[] = [];
  if (!keywords) return { found, end: from };
  const ids = timeline.candidates(keywords, { from, to, limit: MAX_CANDIDATES });
  look.spend(LOOKUP_COST);
  for (const id of ids) {
    const [message] = timeline.get([id]);
    if (message && containsKeywords(message.content, keywords)) found.push(message);
    look.spend(COST.message + (message?.content.length ?? 0) * (COST.character + keywords.length));
    if (found.length >= wanted || look.mustRest) return { found, end: id };
  }
  return { found, end: (ids.length < MAX_CANDIDATES ? undefined : ids.at(-1)) ?? from };
}

function noteSearched(look: Look, { from, to }: { from: bigint; to: bigint }, found: readonly Message[]): void {
  const { ids } = look.timeline;
  const newest = ids.countDown(to, 1);
  const oldest = ids.oldest(from, to, 1)[0];
  if (newest !== undefined && oldest !== undefined)
    look.noteExamined({ count: ids.count(from, to), newest, oldest, found });
}

async function examineFetched(look: Look, position: bigint, last: bigint): Promise<bigint> {
  const page = await look.fetch("before", position + 1n);
  if (!page) return position;
  return examineEach(look, page.messages, { position, low: last, high: position, step: -1n }) ?? page.from - 1n;
}

/** In the order given. Where to go on if it had to stop; undefined when all were examined. */
function examineEach(
  look: Look,
  messages: readonly Message[],
  { position, low, high, step }: { position: bigint; low: bigint; high: bigint; step: bigint },
): bigint | undefined {
  let reached = position;
  for (const message of messages) {
    const id = BigInt(message.message_id);
    if (id < low || id > high) continue;
    if (look.isSpent) return reached;
    look.examine(message);
    reached = id + step;
  }
  return look.isSpent ? reached : undefined;
}

/**
 * Looks one message further, where that is free for somebody who holds nothing: full pages end where the next one begins. So the answer
 * does not depend on what is held.
 */
async function isMoreBelow(look: Look, { from, last }: Way): Promise<boolean> {
  if (look.scanned % PAGE === 0) return true;
  let position = from;
  while (position >= last) {
    const held = heldAt(look, position) ?? (await look.fetch("before", position + 1n));
    if (!held) continue;
    if (holdsAny(look, held, { from: most(held.from, last), to: position })) return true;
    position = held.from - 1n;
  }
  return false;
}

async function isMoreAbove(look: Look, { from, last }: Way): Promise<boolean> {
  if (look.scanned % PAGE === 0) return true;
  let position = from;
  while (position <= last) {
    const held = heldAt(look, position) ?? (await look.fetch("after", position - 1n));
    if (!held) continue;
    if (holdsAny(look, held, { from: position, to: least(held.to, last) })) return true;
    position = held.to + 1n;
  }
  return false;
}

function heldAt({ timeline, page }: Look, position: bigint): Interval | Page | undefined {
  return timeline.knownAt(position) ?? (page && page.from <= position && position <= page.to ? page : undefined);
}

function holdsAny({ timeline }: Look, held: Interval | Page, { from, to }: Interval): boolean {
  if (!("messages" in held)) return timeline.ids.count(from, to) > 0;
  return held.messages.map(({ message_id }) => BigInt(message_id)).some((id) => from <= id && id <= to);
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
