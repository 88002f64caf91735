import type { Message } from "../../domain/message.ts";
import type { Pacer, Steps } from "../../domain/steps/pace.ts";
import {
  type BlockDeps,
  MAX_MESSAGES_PER_BLOCK,
  MAX_POSTINGS,
  rankIn,
  readBlock,
  toBlock,
  type WordBlock,
} from "./block.ts";
import { type BlockPart, type Frame, toFrame } from "./frame.ts";

/** The cached messages of a channel that may be served. */
export interface HeldMessages {
  /** In rising order. */
  ids(): readonly bigint[];
  get(ids: readonly bigint[]): Message[];
  /** @see BlockSource */
  questionFor?(message: Message): Message | undefined;
}

interface Held {
  readonly block: WordBlock;
  /** Messages before this position are no longer held. */
  start: number;
}

/** A block while it is being built: messages that are not in any block yet, and small blocks that it takes the place of. */
interface Run {
  readonly ids: readonly bigint[];
  readonly absorbed: readonly Held[];
  /** How many of the ids are in blocks that are absorbed. They come first. */
  readonly known: number;
  /** Something in it has changed since it was begun. */
  isOutdated: boolean;
  /** The oldest went meanwhile, up to this one. */
  trimmedTo: bigint;
}

/**
 * The words of one channel's messages. Built on first use; later only changed parts are rebuilt. Removed and edited messages are no longer found from that
 * moment on.
 */
export class ChannelWords {
  readonly #deps: BlockDeps;
  /** In rising order of their ids, which do not overlap. */
  #blocks: Held[] = [];
  #isCurrent = false;
  #frame: Frame | null = null;
  /** Rises with every change. */
  #version = 0;
  /** While it is being built. */
  #ids: readonly bigint[] | null = null;
  #run: Run | null = null;

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
      this.#outdateRun(id);
      const held = this.#blocks.find(({ block }) => id <= (block.ids.at(-1) ?? 0n));
      const position = held ? rankIn(held.block, id) : 0;
      if (held && position >= held.start && id >= (held.block.ids[0] ?? 0n)) this.#drop(held);
    }
  }

  /** Replies to these are to be read again. */
  noteReplies(ids: readonly bigint[]): void {
    const targets = new Set(ids);
    const isReply = ({ block }: Held) => block.replies.targets.some((target) => targets.has(target));
    const outdated = this.#blocks.filter(isReply);
    if (outdated.length === 0 && !this.#run) return;
    this.#changed();
    if (this.#run) this.#run.isOutdated = true;
    for (const held of outdated) this.#drop(held);
  }

  /** The oldest go, up to this one. The block they are in stays until half of it has gone. */
  trim(upTo: bigint): void {
    this.#changed();
    // Not restarted: in a busy channel at its quota something goes with every message, and nothing would ever be built.
    if (this.#run && this.#run.trimmedTo < upTo) this.#run.trimmedTo = upTo;
    for (const held of [...this.#blocks]) this.#trimBlock(held, upTo);
  }

  clear(): void {
    this.#changed();
    if (this.#run) this.#run.isOutdated = true;
    for (const held of [...this.#blocks]) this.#drop(held);
  }

  /** Builds some of the missing blocks; false if none was missing. Waits for blocks that another caller is building. */
  *build(messages: HeldMessages, pacer: Pacer): Steps<boolean> {
    if (this.#isCurrent) return false;
    if (this.#run) {
      yield;
      return true;
    }
    this.#ids ??= messages.ids();
    const run = this.#firstMissing(this.#ids);
    if (!run) {
      this.#isCurrent = true;
      this.#ids = null;
      return false;
    }
    return yield* this.#buildRun(run, messages, pacer);
  }

  *#buildRun(run: Run, messages: HeldMessages, pacer: Pacer): Steps<true> {
    this.#run = run;
    try {
      const { questionFor } = messages;
      const source = { ids: run.ids, read: (id: bigint) => messages.get([id])[0], ...(questionFor && { questionFor }) };
      const readings = yield* readBlock(source, this.#deps.reader, pacer);
      if (run.isOutdated) return true;
      if (readings.length > run.known) this.#insert(toBlock(readings, this.#deps.vocabulary), run);
      // Full before anything new had room.
      else if (run.known > 0) return yield* this.#buildRun(withoutAbsorbed(run), messages, pacer);
      return true;
    } finally {
      this.#run = null;
    }
  }

  #insert(block: WordBlock, { absorbed, trimmedTo }: Run): void {
    // One of them may have gone by itself.
    for (const held of absorbed) if (this.#blocks.includes(held)) this.#drop(held);
    const held = { block, start: rankIn(block, trimmedTo + 1n) };
    // The trimmed part of a block may have been restored in an earlier block.
    const at = this.#blocks.findIndex((other) => firstOf(other) > firstOf(held));
    this.#blocks.splice(at < 0 ? this.#blocks.length : at, 0, held);
    this.#frame = null;
    this.#version += 1;
    this.#trimBlock(held, trimmedTo);
  }

  parts({ from, to }: { from: bigint; to: bigint }): BlockPart[] {
    return this.#blocks
      .map(({ block, start }) => ({ block, from: Math.max(start, rankIn(block, from)), to: rankIn(block, to + 1n) }))
      .filter((part) => part.from < part.to);
  }

  /** Nothing that is built lies outside. */
  isWithin({ from, to }: { from: bigint; to: bigint }): boolean {
    const [first, last] = [this.#blocks[0], this.#blocks.at(-1)];
    return !first || !last || ((first.block.ids[first.start] ?? from) >= from && (last.block.ids.at(-1) ?? to) <= to);
  }

  /** Everything that is built by now: what changes while this pauses is not in it. */
  *frame(pacer: Pacer): Steps<Frame> {
    if (this.#frame) return this.#frame;
    const version = this.#version;
    const frame = yield* toFrame(
      this.#blocks.map(({ block, start }) => ({ block, from: start, to: block.ids.length })),
      pacer,
    );
    if (this.#version === version) this.#frame = frame;
    return frame;
  }

  #trimBlock(held: Held, upTo: bigint): void {
    held.start = Math.max(held.start, rankIn(held.block, upTo + 1n));
    if (held.start > held.block.ids.length / 2) this.#drop(held);
  }

  /** Trimmed messages will not be in the block, however its construction ends. */
  #outdateRun(id: bigint): void {
    const run = this.#run;
    const [first, last] = [run?.ids[0], run?.ids.at(-1)];
    if (run && first !== undefined && last !== undefined && id > run.trimmedTo && first <= id && id <= last)
      run.isOutdated = true;
  }

  #changed(): void {
    this.#version += 1;
    this.#isCurrent = false;
    this.#frame = null;
    this.#ids = null;
  }

  #drop(held: Held): void {
    this.#blocks.splice(this.#blocks.indexOf(held), 1);
    this.#deps.vocabulary.release(held.block.terms);
  }

  /** The oldest messages that are in no block, with blocks beside them that are small enough to be rebuilt together with them. */
  #firstMissing(ids: readonly bigint[]): Run | null {
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
    let run = ids.slice(start, Math.min(end, start + MAX_MESSAGES_PER_BLOCK));
    const absorbed: Held[] = [];
    let postings = 0;
    for (let before = this.#blocks[at - 1]; before; before = this.#blocks[at - 1]) {
      const size = before.block.ids.length - before.start;
      postings += before.block.postings.length;
      // Blocks of long messages are full with fewer of them.
      if (size > 2 * run.length || size + run.length > MAX_MESSAGES_PER_BLOCK || postings > MAX_POSTINGS / 2) break;
      absorbed.push(before);
      start -= size;
      at -= 1;
      run = ids.slice(start, start + size + run.length);
    }
    const known = absorbed.reduce((sum, held) => sum + held.block.ids.length - held.start, 0);
    return { ids: run, absorbed, known, isOutdated: false, trimmedTo: -1n };
  }
}

function firstOf({ block, start }: Held): bigint {
  return block.ids[start] ?? 0n;
}

function withoutAbsorbed({ ids, known, trimmedTo }: Run): Run {
  return { ids: ids.slice(known), absorbed: [], known: 0, isOutdated: false, trimmedTo };
}
