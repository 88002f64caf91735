import type { ChannelId, UserId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import { COST, type Pacer, type Steps } from "../../domain/steps/pace.ts";
import type { Hit, SearchRequest } from "../../ports/search.ts";
import { type BlockDeps, readBlock, toBlock, type WordBlock } from "../index/block.ts";
import type { ChannelIndexes } from "../index/channel-indexes.ts";
import { type BlockPart, cutAt, type Frame, firstOf, follow, idAt, toFrame, toRuns } from "../index/frame.ts";
import { toMark } from "../index/vocabulary.ts";
import { SILENCE_SECONDS } from "../rank/nearby.ts";
import type { Candidate } from "../rank/rank.ts";
import type { Reach } from "./reach.ts";

type Unwanted = Pick<SearchRequest, "except" | "isWanted">;

interface SceneRequest {
  readonly reaches: readonly Reach[];
  /** Only what Discord's own search has found counts. */
  readonly isTold: boolean;
}

export interface SceneDeps extends BlockDeps {
  readonly indexes: ChannelIndexes;
  readonly pacer: Pacer;
}

/**
 * Everything that one search looks at: what is held of each channel as far as it reaches, and what was only fetched. A snapshot: what changes while the search pauses
 * is for whoever answers to look after. Until it is closed, the numbers of terms keep their meaning.
 */
export class Scene {
  #frames: readonly Frame[] = [];
  readonly #deps: SceneDeps;
  readonly #reaches = new Map<Frame, Reach>();
  readonly #passing = new Map<bigint, Message>();
  /** Built for this search alone. */
  readonly #blocks: WordBlock[] = [];
  readonly #endHold: () => void;

  private constructor(deps: SceneDeps) {
    this.#deps = deps;
    this.#endHold = deps.vocabulary.hold();
  }

  /** To be closed by whoever opens it. */
  static *open({ reaches, isTold }: SceneRequest, deps: SceneDeps): Steps<Scene> {
    const scene = new Scene(deps);
    let isOpen = false;
    try {
      const frames: Frame[] = [];
      for (const reach of reaches) {
        const frame = isTold ? yield* scene.#toFrameOfFound(reach) : yield* scene.#toFrame(reach);
        scene.#reaches.set(frame, reach);
        frames.push(frame);
        if (deps.pacer.spend(REACH_COST)) yield;
      }
      scene.#frames = frames;
      isOpen = true;
      return scene;
    } finally {
      if (!isOpen) scene.close();
    }
  }

  get frames(): readonly Frame[] {
    return this.#frames;
  }

  reachOf(frame: Frame): Reach {
    const reach = this.#reaches.get(frame);
    if (!reach) throw new Error("a frame of another scene");
    return reach;
  }

  get size(): number {
    return this.frames.reduce((sum, frame) => sum + frame.size, 0);
  }

  newest(): bigint | undefined {
    return this.#ends((frame) => frame.size - 1).reduce<bigint | undefined>((a, b) => (a && a > b ? a : b), undefined);
  }

  oldest(): bigint | undefined {
    return this.#ends(() => 0).reduce<bigint | undefined>((a, b) => (a && a < b ? a : b), undefined);
  }

  read(frame: Frame, place: number): Message | undefined {
    const id = idAt(frame, place);
    const reach = this.reachOf(frame);
    return this.passing(id) ?? reach.timeline.get([id])[0] ?? reach.recall(id);
  }

  /** A message that is looked at but not held. */
  passing(id: bigint): Message | undefined {
    return this.#passing.get(id);
  }

  channelOf(frame: Frame): ChannelId {
    return this.reachOf(frame).timeline.place.channelId;
  }

  /** Each with what stands around it; no message twice. */
  *toHits(candidates: readonly Candidate[], { except = [], isWanted = () => true }: Unwanted): Steps<Hit[]> {
    const shown = new Set<bigint>(except.map(BigInt));
    for (const { frame, place } of candidates) shown.add(idAt(frame, place));
    const hits: Hit[] = [];
    for (const { frame, place } of candidates) {
      const message = this.read(frame, place);
      if (!message) continue;
      const around = placesAround(frame, place).flatMap((near) => {
        const id = idAt(frame, near);
        if (shown.has(id)) return [];
        shown.add(id);
        const beside = this.read(frame, near);
        return beside && isWanted(beside) ? [beside] : [];
      });
      hits.push({ message, around });
      if (this.#deps.pacer.spend(COST.message * (1 + around.length))) yield;
    }
    return hits;
  }

  /** Safe to repeat. */
  close(): void {
    for (const { terms } of this.#blocks.splice(0)) this.#deps.vocabulary.release(terms);
    this.#endHold();
  }

  #ends(placeIn: (frame: Frame) => number): bigint[] {
    return this.frames.filter(({ size }) => size > 0).map((frame) => idAt(frame, placeIn(frame)));
  }

  *#toFrameOfFound(reach: Reach): Steps<Frame> {
    const found = reach.standing();
    if (this.#deps.pacer.spend(COST.message * found.length)) yield;
    return yield* toFrame(yield* this.#insert([], found), this.#deps.pacer);
  }

  *#toFrame(reach: Reach): Steps<Frame> {
    const { pacer, indexes } = this.#deps;
    const { timeline, looked } = reach;
    const words = indexes.of(timeline);
    // What has changed since it was prepared is little.
    yield* indexes.build(timeline, pacer);
    if (reach.onlyBy !== null) return yield* this.#toFrameBy(reach.onlyBy, reach);
    const passing = reach.passing();
    if (passing.length === 0 && words.isWithin(looked)) return yield* words.frame(pacer);
    const parts = words.parts(looked);
    if (pacer.spend(PASSING_COST * passing.length)) yield;
    return yield* toFrame(yield* this.#insert(parts, passing), pacer);
  }

  /** One person's messages, without what stands between them. */
  *#toFrameBy(userId: UserId, reach: Reach): Steps<Frame> {
    const { pacer, vocabulary, indexes } = this.#deps;
    const { timeline, looked } = reach;
    const mark = vocabulary.find(toMark("from", userId));
    const ids: bigint[] = [];
    for (const { block, from, to } of indexes.of(timeline).parts(looked)) {
      for (let at = from; at < to; at += 1) if (block.authors[at] === mark) ids.push(block.ids[at] ?? 0n);
      if (pacer.spend(to - from)) yield;
    }
    const messages = new Map<bigint, Message>();
    for (const id of ids) {
      const message = timeline.get([id])[0] ?? reach.recall(id);
      if (message) messages.set(id, message);
      if (pacer.spend(COST.message)) yield;
    }
    for (const message of reach.passing())
      if (message.author.id === userId) messages.set(BigInt(message.message_id), message);
    const own = [...messages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, message]) => message);
    return yield* toFrame(yield* this.#insert([], own), pacer);
  }

  /** Puts messages in their places between those that are held. */
  *#insert(held: readonly BlockPart[], passing: readonly Message[]): Steps<BlockPart[]> {
    const ids = passing.map(({ message_id }) => BigInt(message_id));
    for (const [index, message] of passing.entries()) this.#passing.set(ids[index] ?? 0n, message);
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
      const source = { ids: run.slice(done), read: (id: bigint) => this.passing(id) };
      const readings = yield* readBlock(source, reader, pacer);
      const block = toBlock(readings, vocabulary);
      this.#blocks.push(block);
      parts.push({ block, from: 0, to: block.ids.length });
      done += block.ids.length;
    }
    return parts;
  }
}

/** So many messages before and after a hit are shown with it. */
const BESIDE = 2;
const MAX_ANSWERS = 3;
/** What it takes to open a channel, and to place a message that is not held, in units of work. */
const REACH_COST = 100;
const PASSING_COST = 100;

/** The places of messages that make one understandable: what it answers, its first answers, its neighbours in the conversation. */
function placesAround(frame: Frame, place: number): number[] {
  const around = new Set<number>();
  for (const target of follow(frame.targets, place)) around.add(target);
  for (const answer of follow(frame.answers, place).subarray(0, MAX_ANSWERS)) around.add(answer);
  for (const step of [-1, 1]) {
    for (let distance = 1; distance <= BESIDE; distance += 1) {
      const near = place + distance * step;
      const silence = Math.abs((frame.times[near] ?? 0) - (frame.times[near - step] ?? 0));
      if (near < 0 || near >= frame.size || silence > SILENCE_SECONDS) break;
      around.add(near);
    }
  }
  around.delete(place);
  return [...around].sort((a, b) => a - b);
}
