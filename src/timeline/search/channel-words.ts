import type { Message } from "../../domain/message.ts";
import { type Block, type BlockDeps, buildBlock, MOST_IN_BLOCK, rankIn, weighBlock } from "./block.ts";
import { type BlockPart, type Frame, toFrame } from "./frame.ts";

/** What is held of a channel and may be served. */
export interface HeldMessages {
  /** In rising order. */
  ids(): readonly bigint[];
  get(ids: readonly bigint[]): Message[];
}

interface Held {
  readonly block: Block;
  /** Messages before this position are no longer held. */
  start: number;
}

/**
 * The words of one channel's messages. Built when they are first asked for; from then on only what has changed is built anew. What was
 * removed or edited is found no more from that moment on.
 */
export class ChannelWords {
  readonly #deps: BlockDeps;
  /** In rising order of their ids, which do not overlap. */
  #blocks: Held[] = [];
  #isCurrent = false;
  #frame: Frame | null = null;
  /** While it is being built. */
  #ids: readonly bigint[] | null = null;
  /** An estimate of what it takes. */
  bytes = 0;

  constructor(deps: BlockDeps) {
    this.#deps = deps;
  }

  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  /** Messages came, changed or went. */
  note(ids: readonly bigint[]): void {
    if (ids.length === 0) return;
    this.#changed();
    for (const id of ids) {
      const held = this.#blocks.find(({ block }) => id <= (block.ids.at(-1) ?? 0n));
      const position = held ? rankIn(held.block, id) : 0;
      if (held && position >= held.start && id >= (held.block.ids[0] ?? 0n)) this.#drop(held);
    }
  }

  /** The oldest go, up to this one. The block they are in stays until half of it has gone. */
  trim(upTo: bigint): void {
    this.#changed();
    for (const held of [...this.#blocks]) {
      held.start = Math.max(held.start, rankIn(held.block, upTo + 1n));
      if (held.start > held.block.ids.length / 2) this.#drop(held);
    }
  }

  clear(): void {
    this.#changed();
    for (const held of [...this.#blocks]) this.#drop(held);
  }

  /** Builds some of what is missing; false when nothing was. */
  build(messages: HeldMessages): boolean {
    if (this.#isCurrent) return false;
    this.#ids ??= messages.ids();
    const run = this.#firstMissing(this.#ids);
    if (!run) {
      this.#isCurrent = true;
      this.#ids = null;
      return false;
    }
    for (const held of run.absorbed) this.#drop(held);
    const block = buildBlock(messages.get(run.ids), this.#deps);
    this.#blocks.splice(run.at, 0, { block, start: 0 });
    this.#frame = null;
    this.bytes += weighBlock(block);
    return true;
  }

  /** What is built, between two ids. */
  parts({ from, to }: { from: bigint; to: bigint }): BlockPart[] {
    return this.#blocks
      .map(({ block, start }) => ({ block, from: Math.max(start, rankIn(block, from)), to: rankIn(block, to + 1n) }))
      .filter((part) => part.from < part.to);
  }

  /** Everything that is built. */
  frame(): Frame {
    this.#frame ??= toFrame(this.#blocks.map(({ block, start }) => ({ block, from: start, to: block.ids.length })));
    return this.#frame;
  }

  #changed(): void {
    this.#isCurrent = false;
    this.#frame = null;
    this.#ids = null;
  }

  #drop(held: Held): void {
    this.#blocks.splice(this.#blocks.indexOf(held), 1);
    this.bytes -= weighBlock(held.block);
    this.#deps.vocabulary.release(held.block.terms);
  }

  /** The oldest messages that are in no block, with blocks beside them that are small enough to be built anew together with them. */
  #firstMissing(ids: readonly bigint[]): { ids: readonly bigint[]; at: number; absorbed: Held[] } | null {
    let at = 0;
    let start = 0;
    for (const { block, start: trimmed } of this.#blocks) {
      const isNext = ids[start] === block.ids[trimmed];
      if (!isNext) break;
      start += block.ids.length - trimmed;
      at += 1;
    }
    if (start >= ids.length) return null;
    const next = this.#blocks[at]?.block.ids[this.#blocks[at]?.start ?? 0];
    const end = next === undefined ? ids.length : ids.indexOf(next, start);
    let run = ids.slice(start, Math.min(end, start + MOST_IN_BLOCK));
    const absorbed: Held[] = [];
    for (let before = this.#blocks[at - 1]; before; before = this.#blocks[at - 1]) {
      const size = before.block.ids.length - before.start;
      if (size > 2 * run.length || size + run.length > MOST_IN_BLOCK) break;
      absorbed.push(before);
      start -= size;
      at -= 1;
      run = ids.slice(start, start + size + run.length);
    }
    return { ids: run, at, absorbed };
  }
}
