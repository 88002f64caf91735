import { hash } from "node:crypto";

const MIN_CAPACITY = 1_024;
const EMPTY = 0;
/** Where one was removed: a search goes on behind it. */
const REMOVED = -1;
const NOWHERE = -1;

/** Names in bytes, one after the other: to take a million of them apart into texts would take longer than everything else. */
export class NameBytes {
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  static of(name: string): NameBytes {
    return new NameBytes(Buffer.from(name));
  }

  get length(): number {
    return this.#view.byteLength;
  }

  /** 53 bits, by multiplication and exclusive or of four bytes at a time, in two halves. */
  hash(seed: number, start: number, end: number): number {
    const view = this.#view;
    let [high, low] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed];
    let at = start;
    for (; at + 4 <= end; at += 4) {
      const word = view.getInt32(at, true);
      high = Math.imul(high ^ word, 2_654_435_761);
      low = Math.imul(low ^ word, 1_597_334_677);
      // What is in the upper bits would stay there.
      high ^= high >>> 15;
      low ^= low >>> 13;
    }
    for (; at < end; at += 1) {
      const byte = view.getUint8(at);
      high = Math.imul(high ^ byte, 2_654_435_761);
      low = Math.imul(low ^ byte, 1_597_334_677);
    }
    high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
    low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
    return 2 ** 32 * (low & 0x1fffff) + (high >>> 0);
  }
}

/**
 * In which slot each name is, by a hash of the name: 16 to 36 bytes for each, whatever its length. Two names may share a hash, so what is in a slot has to be
 * compared with the name.
 */
export class NameSlots {
  readonly #seed: number;
  #hashes = new Float64Array();
  /** Counted from 1. Its length is a power of two. */
  #slots = new Int32Array();
  #used = 0;

  /** Nobody who does not know the salt can choose names that share a hash. `expected`: how many names there will soon be. */
  constructor(salt: string, expected = 0) {
    this.#seed = Number.parseInt(hash("sha256", salt).slice(0, 8), 16);
    this.#empty(expected);
  }

  /** A name is given by where it begins and ends. */
  add(names: NameBytes, slot: number, start = 0, end = names.length): void {
    if (this.#used * 4 >= this.#slots.length * 3) this.#grow();
    this.#put(names.hash(this.#seed, start, end), slot);
  }

  /** Those that may be it; usually one. */
  find(names: NameBytes, start = 0, end = names.length): readonly number[] {
    const found: number[] = [];
    const hash = names.hash(this.#seed, start, end);
    for (let at = this.#next(hash, hash); at !== NOWHERE; at = this.#next(hash, at + 1))
      found.push(this.#slots[at] ?? 0);
    return found;
  }

  /** Marks those that may be it; whether there are any. */
  mark(isSeen: Uint8Array, names: NameBytes, start: number, end: number): boolean {
    const hash = names.hash(this.#seed, start, end);
    const first = this.#next(hash, hash);
    for (let at = first; at !== NOWHERE; at = this.#next(hash, at + 1)) isSeen[this.#slots[at] ?? 0] = 1;
    return first !== NOWHERE;
  }

  remove(name: NameBytes, slot: number): void {
    const hash = name.hash(this.#seed, 0, name.length);
    for (let at = this.#next(hash, hash); at !== NOWHERE; at = this.#next(hash, at + 1))
      if (this.#slots[at] === slot) this.#slots[at] = REMOVED;
  }

  /** The next place with this hash. */
  #next(hash: number, from: number): number {
    const mask = this.#slots.length - 1;
    // Of a number above 32 bits, `&` takes the lowest ones; `%` would take much longer.
    for (let at = from & mask; this.#slots[at] !== EMPTY; at = (at + 1) & mask)
      if (this.#hashes[at] === hash && this.#slots[at] !== REMOVED) return at;
    return NOWHERE;
  }

  #put(hash: number, slot: number): void {
    const mask = this.#slots.length - 1;
    let at = hash & mask;
    while (this.#slots[at] !== EMPTY) at = (at + 1) & mask;
    this.#hashes[at] = hash;
    this.#slots[at] = slot;
    this.#used += 1;
  }

  #grow(): void {
    const [hashes, slots] = [this.#hashes, this.#slots];
    let live = 0;
    for (const slot of slots) if (slot > 0) live += 1;
    this.#empty(live);
    for (let at = 0; at < slots.length; at += 1) if ((slots[at] ?? 0) > 0) this.#put(hashes[at] ?? 0, slots[at] ?? 0);
  }

  #empty(expected: number): void {
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(MIN_CAPACITY, expected * 1.5)));
    this.#hashes = new Float64Array(capacity);
    this.#slots = new Int32Array(capacity);
    this.#used = 0;
  }
}
