import type { ChannelId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Hit, SearchRequest } from "../../ports/timelines.ts";
import { type Block, type BlockDeps, buildBlock, MOST_IN_BLOCK, rankIn } from "./block.ts";
import { type BlockPart, type Frame, idAt, toFrame } from "./frame.ts";
import type { Reach } from "./reach.ts";
import { placesAround } from "./surroundings.ts";
import type { Candidate } from "./top.ts";

type Unwanted = Pick<SearchRequest, "except" | "isWanted">;

/** Everything that one search looks at: what is held of each channel, and what was only fetched. */
export class Scene {
  readonly frames: readonly Frame[];
  readonly #deps: BlockDeps;
  readonly #reaches = new Map<Frame, Reach>();
  readonly #passing = new Map<bigint, Message>();
  /** Built for this search alone. */
  readonly #blocks: Block[] = [];

  /** `isTold`: only what Discord's own search has found counts. */
  constructor(reaches: readonly Reach[], isTold: boolean, deps: BlockDeps) {
    this.#deps = deps;
    this.frames = reaches.map((reach) => {
      const frame = isTold ? toFrame(this.#insert([], reach.standing())) : this.#toFrame(reach);
      this.#reaches.set(frame, reach);
      return frame;
    });
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
    return this.passing(id) ?? this.#reaches.get(frame)?.timeline.get([id])[0];
  }

  /** A message that is looked at but not held. */
  passing(id: bigint): Message | undefined {
    return this.#passing.get(id);
  }

  channelOf(frame: Frame): ChannelId {
    const reach = this.#reaches.get(frame);
    if (!reach) throw new Error("a frame of another scene");
    return reach.timeline.place.channelId;
  }

  /** Each with what stands around it; no message twice. */
  toHits(candidates: readonly Candidate[], { except = [], isWanted = () => true }: Unwanted): Hit[] {
    const shown = new Set<bigint>(except.map(BigInt));
    for (const { frame, place } of candidates) shown.add(idAt(frame, place));
    return candidates.flatMap(({ frame, place }) => {
      const message = this.read(frame, place);
      if (!message) return [];
      const around = placesAround(frame, place).flatMap((near) => {
        const id = idAt(frame, near);
        if (shown.has(id)) return [];
        shown.add(id);
        const beside = this.read(frame, near);
        return beside && isWanted(beside) ? [beside] : [];
      });
      return [{ message, around }];
    });
  }

  close(): void {
    for (const { terms } of this.#blocks) this.#deps.vocabulary.release(terms);
  }

  #ends(placeIn: (frame: Frame) => number): bigint[] {
    return this.frames.filter(({ size }) => size > 0).map((frame) => idAt(frame, placeIn(frame)));
  }

  #toFrame(reach: Reach): Frame {
    const { words } = reach.timeline.place;
    const passing = reach.passing();
    const all = words.frame();
    const isWithin = all.size === 0 || (idAt(all, 0) >= reach.span.from && idAt(all, all.size - 1) <= reach.span.to);
    return isWithin && passing.length === 0 ? all : toFrame(this.#insert(words.parts(reach.span), passing));
  }

  /** Puts messages in their places between those that are held. */
  #insert(held: readonly BlockPart[], passing: readonly Message[]): BlockPart[] {
    const ids = passing.map(({ message_id }) => BigInt(message_id));
    for (const [index, message] of passing.entries()) this.#passing.set(ids[index] ?? 0n, message);
    const pieces = held.flatMap((part) => cutAt(part, ids));
    const runs = chunk(passing, (a, b) => pieces.some((piece) => a < firstOf(piece) && firstOf(piece) < b));
    const inserted = runs.map((run) => {
      const block = buildBlock(run, this.#deps);
      this.#blocks.push(block);
      return { block, from: 0, to: block.ids.length };
    });
    return [...pieces, ...inserted].sort((a, b) => (firstOf(a) < firstOf(b) ? -1 : 1));
  }
}

/** Falls into pieces wherever one of the ids belongs between two of its messages. */
function cutAt({ block, from, to }: BlockPart, ids: readonly bigint[]): BlockPart[] {
  const cuts = [...new Set(ids.map((id) => rankIn(block, id)))].filter((cut) => cut > from && cut < to);
  const ends = [from, ...cuts, to];
  return ends.slice(1).map((end, index) => ({ block, from: ends[index] ?? from, to: end }));
}

/** Parts a rising row of messages where something belongs between two of them, and where there are too many. */
function chunk(messages: readonly Message[], isParted: (a: bigint, b: bigint) => boolean): Message[][] {
  const chunks: Message[][] = [];
  for (const message of messages) {
    const current = chunks.at(-1);
    const last = current?.at(-1);
    const isNew = !last || isParted(BigInt(last.message_id), BigInt(message.message_id));
    if (!current || isNew || current.length >= MOST_IN_BLOCK) chunks.push([message]);
    else current.push(message);
  }
  return chunks;
}

function firstOf({ block, from }: BlockPart): bigint {
  return block.ids[from] ?? 0n;
}
