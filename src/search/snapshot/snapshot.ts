import type { ChannelId, UserId } from "../../domain/ids.ts";
import type { Interval } from "../../domain/intervals.ts";
import type { Message } from "../../domain/message.ts";
import { COST, type Pacer, type Steps } from "../../domain/steps/pace.ts";
import type { Hit, SearchRequest } from "../../ports/search.ts";
import { type BlockDeps, readBlock, toBlock, type WordBlock } from "../index/block.ts";
import type { ChannelIndexes } from "../index/channel-indexes.ts";
import { type BlockPart, cutAt, type Frame, firstOf, follow, idAt, toFrame, toRuns } from "../index/frame.ts";
import { toMark } from "../index/vocabulary.ts";
import { SILENCE_SECONDS } from "../rank/nearby.ts";
import type { Candidate, Ranking } from "../rank/rank.ts";
import type { ChannelScan } from "./channel-scan.ts";

type Shown = Pick<SearchRequest, "except" | "isWanted"> & Pick<Ranking, "wordsIn">;

interface SnapshotRequest {
  readonly scans: readonly ChannelScan[];
  /** Only hits of Discord's own search count. */
  readonly isGuildSearchOnly: boolean;
}

export interface SnapshotDeps extends BlockDeps {
  readonly indexes: ChannelIndexes;
  readonly pacer: Pacer;
}

/**
 * Everything that one search looks at: what is held of each channel as far as the search goes, and what was only fetched. What changes while the search
 * pauses is not in it: `answer` checks for that. Until it is closed, every term keeps its number.
 */
export class SearchSnapshot {
  readonly #frames: Frame[] = [];
  readonly frames: readonly Frame[] = this.#frames;
  readonly #deps: SnapshotDeps;
  readonly #scans = new Map<Frame, ChannelScan>();
  readonly #unheld = new Map<bigint, Message>();
  /** Built for this search alone. */
  readonly #blocks: WordBlock[] = [];
  readonly #endHold: () => void;

  private constructor(deps: SnapshotDeps) {
    this.#deps = deps;
    this.#endHold = deps.vocabulary.hold();
  }

  /** The caller closes it. */
  static *open({ scans, isGuildSearchOnly }: SnapshotRequest, deps: SnapshotDeps): Steps<SearchSnapshot> {
    const snapshot = new SearchSnapshot(deps);
    let isOpen = false;
    try {
      for (const scan of scans) {
        const frame = isGuildSearchOnly ? yield* snapshot.#toFrameOfGuildHits(scan) : yield* snapshot.#toFrame(scan);
        snapshot.#scans.set(frame, scan);
        snapshot.#frames.push(frame);
        if (deps.pacer.spend(SCAN_COST)) yield;
      }
      isOpen = true;
      return snapshot;
    } finally {
      if (!isOpen) snapshot.close();
    }
  }

  scanOf(frame: Frame): ChannelScan {
    const scan = this.#scans.get(frame);
    if (!scan) throw new Error("a frame of another snapshot");
    return scan;
  }

  get size(): number {
    let size = 0;
    for (const frame of this.frames) size += frame.size;
    return size;
  }

  /** The ids of the oldest and the newest message; null when there are none. */
  get span(): Interval | null {
    let span: Interval | null = null;
    for (const frame of this.frames) {
      if (frame.size === 0) continue;
      const [from, to] = [idAt(frame, 0), idAt(frame, frame.size - 1)];
      span = { from: span && span.from < from ? span.from : from, to: span && span.to > to ? span.to : to };
    }
    return span;
  }

  read(frame: Frame, row: number): Message | undefined {
    const id = idAt(frame, row);
    const scan = this.scanOf(frame);
    return this.unheld(id) ?? scan.timeline.get([id])[0] ?? scan.recall(id);
  }

  /** A message that is looked at but not held. */
  unheld(id: bigint): Message | undefined {
    return this.#unheld.get(id);
  }

  channelOf(frame: Frame): ChannelId {
    return this.scanOf(frame).timeline.place.channelId;
  }

  /** Each with what stands around it; no message twice. */
  *toHits(candidates: readonly Candidate[], { except = [], isWanted = () => true, wordsIn }: Shown): Steps<Hit[]> {
    const shown = new Set<bigint>(except.map(BigInt));
    for (const { frame, row } of candidates) shown.add(idAt(frame, row));
    const hits: Hit[] = [];
    for (const { frame, row } of candidates) {
      const message = this.read(frame, row);
      if (!message) continue;
      const around = rowsAround(frame, row).flatMap((near) => {
        const id = idAt(frame, near);
        if (shown.has(id)) return [];
        shown.add(id);
        const beside = this.read(frame, near);
        return beside && isWanted(beside) ? [beside] : [];
      });
      hits.push({ message, words_in_message: wordsIn(frame, row), around });
      if (this.#deps.pacer.spend(COST.message * (1 + around.length))) yield;
    }
    return hits;
  }

  /** Safe to repeat. */
  close(): void {
    for (const { terms } of this.#blocks.splice(0)) this.#deps.vocabulary.release(terms);
    this.#endHold();
  }

  *#toFrameOfGuildHits(scan: ChannelScan): Steps<Frame> {
    const hits = scan.currentGuildHits();
    if (this.#deps.pacer.spend(COST.message * hits.length)) yield;
    return yield* toFrame(yield* this.#insert([], hits), this.#deps.pacer);
  }

  *#toFrame(scan: ChannelScan): Steps<Frame> {
    const { pacer, indexes } = this.#deps;
    const { timeline, covered } = scan;
    const words = indexes.of(timeline);
    // What has changed since it was prepared is little.
    yield* indexes.build(timeline, pacer);
    if (scan.onlyBy !== null) return yield* this.#toFrameBy(scan.onlyBy, scan);
    const unheld = scan.unheld();
    if (unheld.length === 0 && words.isWithin(covered)) return yield* words.frame(pacer);
    const parts = words.parts(covered);
    if (pacer.spend(UNHELD_COST * unheld.length)) yield;
    return yield* toFrame(yield* this.#insert(parts, unheld), pacer);
  }

  /** One person's messages, without what stands between them. */
  *#toFrameBy(userId: UserId, scan: ChannelScan): Steps<Frame> {
    const { pacer, vocabulary, indexes } = this.#deps;
    const { timeline, covered } = scan;
    const mark = vocabulary.find(toMark("from", userId));
    const ids: bigint[] = [];
    for (const { block, from, to } of indexes.of(timeline).parts(covered)) {
      for (let at = from; at < to; at += 1) if (block.authors[at] === mark) ids.push(block.ids[at] ?? 0n);
      if (pacer.spend(to - from)) yield;
    }
    const messages = new Map<bigint, Message>();
    for (const id of ids) {
      const message = timeline.get([id])[0] ?? scan.recall(id);
      if (message) messages.set(id, message);
      if (pacer.spend(COST.message)) yield;
    }
    for (const message of scan.unheld())
      if (message.author.id === userId) messages.set(BigInt(message.message_id), message);
    const own = [...messages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, message]) => message);
    return yield* toFrame(yield* this.#insert([], own), pacer);
  }

  /** Puts messages in order between those that are held. */
  *#insert(held: readonly BlockPart[], unheld: readonly Message[]): Steps<BlockPart[]> {
    const ids = unheld.map(({ message_id }) => BigInt(message_id));
    for (const [index, message] of unheld.entries()) this.#unheld.set(ids[index] ?? 0n, message);
    const pieces = held.flatMap((part) => cutAt(part, ids));
    const inserted: BlockPart[] = [];
    for (const run of toRuns(ids, pieces.map(firstOf))) inserted.push(...(yield* this.#toParts(run)));
    return [...pieces, ...inserted].sort((a, b) => (firstOf(a) < firstOf(b) ? -1 : 1));
  }

  /** Long messages make several blocks. */
  *#toParts(run: readonly bigint[]): Steps<BlockPart[]> {
    const { vocabulary, reader, pacer } = this.#deps;
    const parts: BlockPart[] = [];
    for (let done = 0; done < run.length; ) {
      const source = { ids: run.slice(done), read: (id: bigint) => this.unheld(id) };
      const readings = yield* readBlock(source, reader, pacer);
      const block = toBlock(readings, vocabulary);
      this.#blocks.push(block);
      parts.push({ block, from: 0, to: block.ids.length });
      done += block.ids.length;
    }
    return parts;
  }
}

/** How many messages before and after a hit are shown with it. */
const BESIDE = 2;
const MAX_ANSWERS = 3;
/** What it takes to open a channel, and to place a message that is not held, in units of work. */
const SCAN_COST = 100;
const UNHELD_COST = 100;

/** The rows of messages that make one understandable: what it answers, its first answers, its neighbours in the conversation. */
function rowsAround(frame: Frame, row: number): number[] {
  const around = new Set<number>();
  for (const target of follow(frame.targets, row)) around.add(target);
  for (const answer of follow(frame.answers, row).subarray(0, MAX_ANSWERS)) around.add(answer);
  for (const step of [-1, 1]) {
    for (let distance = 1; distance <= BESIDE; distance += 1) {
      const near = row + distance * step;
      const silence = Math.abs((frame.times[near] ?? 0) - (frame.times[near - step] ?? 0));
      if (near < 0 || near >= frame.size || silence > SILENCE_SECONDS) break;
      around.add(near);
    }
  }
  around.delete(row);
  return [...around].sort((a, b) => a - b);
}
