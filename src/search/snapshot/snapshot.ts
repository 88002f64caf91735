import { Echoes } from "../../domain/answer/echoes.ts";
import { type ChannelId, compareIds, type UserId } from "../../domain/ids.ts";
import type { Interval } from "../../domain/intervals.ts";
import type { Message } from "../../domain/message.ts";
import { COST, type Pacer, type Steps } from "../../domain/steps/pace.ts";
import type { Hit, SearchRequest } from "../../ports/search.ts";
import { type BlockDeps, readBlock, toBlock, type WordBlock } from "../index/block.ts";
import type { ChannelIndexes } from "../index/channel-indexes.ts";
import {
  type BlockPart,
  cutAt,
  cutOut,
  type Frame,
  firstOf,
  follow,
  idAt,
  repliesIn,
  toFrame,
  toRuns,
} from "../index/frame.ts";
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

/** Which of a channel's messages are echoes, for one search. */
type EchoesHere = Pick<Echoes, "questionFor">;

/**
 * The messages that one search covers: the cached ones within its range, and those that were only fetched. Changes during its pauses are not included: `answer`
 * checks for them. Every term keeps its number until the snapshot is closed.
 */
export class SearchSnapshot {
  readonly #frames: Frame[] = [];
  readonly frames: readonly Frame[] = this.#frames;
  readonly #deps: SnapshotDeps;
  readonly #scans = new Map<Frame, ChannelScan>();
  readonly #echoes = new Map<ChannelScan, EchoesHere>();
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
      const scan = this.scanOf(frame);
      const question = scan.withEchoes ? undefined : this.#echoes.get(scan)?.questionFor(message);
      const isTold = question && isWanted(question) && !except.includes(question.message_id);
      const around = rowsAround(frame, row).flatMap((near) => {
        const id = idAt(frame, near);
        if (shown.has(id)) return [];
        shown.add(id);
        const beside = this.read(frame, near);
        return beside && isWanted(beside) ? [beside] : [];
      });
      hits.push({ message, words_in_message: wordsIn(frame, row), question: isTold ? question : null, around });
      if (this.#deps.pacer.spend(COST.message * (2 + around.length))) yield;
    }
    return hits;
  }

  /** Safe to repeat. */
  close(): void {
    for (const { terms } of this.#blocks.splice(0)) this.#deps.vocabulary.release(terms);
    this.#endHold();
  }

  *#toFrameOfGuildHits(scan: ChannelScan): Steps<Frame> {
    const { others, echoes } = toEvidence(scan, [], scan.currentGuildHits());
    this.#echoes.set(scan, echoes);
    if (this.#deps.pacer.spend(COST.message * others.length)) yield;
    return yield* toFrame(yield* this.#insert([], others, echoes), this.#deps.pacer);
  }

  *#toFrame(scan: ChannelScan): Steps<Frame> {
    const { pacer, indexes } = this.#deps;
    const { timeline, covered } = scan;
    const words = indexes.of(timeline);
    // Few messages have changed since it was prepared.
    yield* indexes.build(timeline, pacer);
    if (scan.onlyBy !== null) return yield* this.#toFrameBy(scan.onlyBy, scan);
    const unheld = scan.unheld();
    const { echoes } = timeline;
    const isAll = unheld.length === 0 && words.isWithin(covered) && echoes.between(scan.seen).length === echoes.size;
    if (isAll && (!scan.withEchoes || echoes.size === 0)) {
      this.#echoes.set(scan, echoes);
      return yield* words.frame(pacer);
    }
    const { parts, others, again, echoes: here } = toEvidence(scan, words.parts(covered), unheld);
    this.#echoes.set(scan, here);
    if (pacer.spend(UNHELD_COST * others.length)) yield;
    const messages = [...others, ...(yield* this.#read(scan, again))].sort(byId);
    return yield* toFrame(yield* this.#insert(parts, messages, here), pacer);
  }

  /** Messages that are held, or were when they were looked at. */
  *#read(scan: ChannelScan, ids: readonly bigint[]): Steps<Message[]> {
    const messages: Message[] = [];
    for (const id of ids) {
      const message = scan.timeline.get([id])[0] ?? scan.recall(id);
      if (message) messages.push(message);
      if (this.#deps.pacer.spend(COST.message)) yield;
    }
    return messages;
  }

  /** One person's messages, as if no other person had spoken. */
  *#toFrameBy(userId: UserId, scan: ChannelScan): Steps<Frame> {
    const { pacer, vocabulary, indexes } = this.#deps;
    const { timeline, covered } = scan;
    const mark = vocabulary.find(toMark("from", userId));
    const ids = [...timeline.echoes.between(covered)];
    for (const { block, from, to } of indexes.of(timeline).parts(covered)) {
      for (let at = from; at < to; at += 1) if (block.authors[at] === mark) ids.push(block.ids[at] ?? 0n);
      if (pacer.spend(to - from)) yield;
    }
    const unheld = scan.unheld();
    const isUnheld = new Set(unheld.map(({ message_id }) => BigInt(message_id)));
    const held = yield* this.#read(
      scan,
      ids.filter((id) => !isUnheld.has(id)),
    );
    const own = [...held, ...unheld].filter(({ author }) => author.id === userId).sort(byId);
    const echoes = Echoes.among(own, timeline.place.botId);
    this.#echoes.set(scan, echoes);
    const evidence = own.filter(({ message_id }) => scan.withEchoes || !echoes.has(BigInt(message_id)));
    return yield* toFrame(yield* this.#insert([], evidence, echoes), pacer);
  }

  /** Puts messages in order between those that are held. */
  *#insert(held: readonly BlockPart[], unheld: readonly Message[], echoes: EchoesHere): Steps<BlockPart[]> {
    const ids = unheld.map(({ message_id }) => BigInt(message_id));
    for (const [index, message] of unheld.entries()) this.#unheld.set(ids[index] ?? 0n, message);
    const pieces = held.flatMap((part) => cutAt(part, ids));
    const inserted: BlockPart[] = [];
    for (const run of toRuns(ids, pieces.map(firstOf))) inserted.push(...(yield* this.#toParts(run, echoes)));
    return [...pieces, ...inserted].sort((a, b) => (firstOf(a) < firstOf(b) ? -1 : 1));
  }

  /** Long messages make several blocks. */
  *#toParts(run: readonly bigint[], echoes: EchoesHere): Steps<BlockPart[]> {
    const { vocabulary, reader, pacer } = this.#deps;
    const parts: BlockPart[] = [];
    for (let done = 0; done < run.length; ) {
      const source = {
        ids: run.slice(done),
        read: (id: bigint) => this.unheld(id),
        questionFor: (message: Message) => echoes.questionFor(message),
      };
      const readings = yield* readBlock(source, reader, pacer);
      const block = toBlock(readings, vocabulary);
      this.#blocks.push(block);
      parts.push({ block, from: 0, to: block.ids.length });
      done += block.ids.length;
    }
    return parts;
  }
}

interface ChannelEvidence {
  readonly parts: readonly BlockPart[];
  readonly others: readonly Message[];
  /** Cached messages whose indexed form does not apply here. */
  readonly again: readonly bigint[];
  readonly echoes: EchoesHere;
}

/** Decided by what this search looks at, and what is held for everybody: what is held beyond that depends on what others have read. */
function toEvidence(scan: ChannelScan, held: readonly BlockPart[], unheld: readonly Message[]): ChannelEvidence {
  const { timeline, covered, seen, withEchoes } = scan;
  const echoes = timeline.echoes.over(unheld);
  const here = { questionFor: (message: Message) => echoes.questionFor(message, seen) };
  const isEvidence = (id: bigint) => withEchoes || !echoes.isWithin(id, seen);
  // Held as evidence: what is none once the rest is seen, and answers to questions that are not looked at.
  const indexedOtherwise = new Set(echoes.between(covered).filter((id) => timeline.ids.has(id)));
  for (const id of echoes.size === 0 ? [] : repliesIn(held, (target) => echoes.has(target))) {
    const [reply] = timeline.get([id]);
    const [known, told] = [timeline.echoes, here].map((all) => reply && all.questionFor(reply)?.message_id);
    if (known !== told) indexedOtherwise.add(id);
  }
  return {
    parts: held.flatMap((part) => cutOut(part, indexedOtherwise)),
    others: unheld.filter(({ message_id }) => isEvidence(BigInt(message_id))),
    again: [...new Set([...timeline.echoes.between(covered), ...indexedOtherwise])].filter(isEvidence),
    echoes: here,
  };
}

function byId(a: Message, b: Message): number {
  return compareIds(a.message_id, b.message_id);
}

/** How many messages before and after a hit are shown with it. */
const BESIDE = 2;
const MAX_ANSWERS = 3;
/** The cost of opening a channel, and of placing a message that is not cached, in units of work. */
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
