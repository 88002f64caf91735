import { hash } from "node:crypto";

const MIN_CAPACITY = 1_024;
const EMPTY = 0;
/** Where one was removed: a search goes on behind it. */
const REMOVED = -1;
const NOWHERE = -1;

/**
 * In which slot each name is, by a hash of the name: 16 to 48 bytes for each, whatever its length. Two names may share a hash, so what is in a slot has to be
 * compared with the name.
 */
export class NameSlots {
  readonly #seed: number;
  #hashes = new Float64Array(MIN_CAPACITY);
  /** Counted from 1. */
  #slots = new Int32Array(MIN_CAPACITY);
  #used = 0;

  /** Nobody who does not know the salt can choose names that share a hash. */
  constructor(salt: string) {
    this.#seed = Number.parseInt(hash("sha256", salt).slice(0, 8), 16);
  }

  add(name: string, slot: number): void {
    if (this.#used * 4 >= this.#slots.length * 3) this.#grow();
    this.#put(this.#hash(name), slot);
  }

  /** Those that may be it; usually one. */
  find(name: string): readonly number[] {
    const found: number[] = [];
    const hash = this.#hash(name);
    for (let at = this.#next(hash, hash); at !== NOWHERE; at = this.#next(hash, at + 1))
      found.push(this.#slots[at] ?? 0);
    return found;
  }

  remove(name: string, slot: number): void {
    const hash = this.#hash(name);
    for (let at = this.#next(hash, hash); at !== NOWHERE; at = this.#next(hash, at + 1))
      if (this.#slots[at] === slot) this.#slots[at] = REMOVED;
  }

  /** The next place with this hash. */
  #next(hash: number, from: number): number {
    const { length } = this.#slots;
    for (let at = from % length; this.#slots[at] !== EMPTY; at = (at + 1) % length)
      if (this.#hashes[at] === hash && this.#slots[at] !== REMOVED) return at;
    return NOWHERE;
  }

  #put(hash: number, slot: number): void {
    const mask = this.#slots.length - 1;
    let at = hash % this.#slots.length;
    while (this.#slots[at] !== EMPTY) at = (at + 1) & mask;
    this.#hashes[at] = hash;
    this.#slots[at] = slot;
    this.#used += 1;
  }

  #grow(): void {
    const [hashes, slots] = [this.#hashes, this.#slots];
    let live = 0;
    for (const slot of slots) if (slot > 0) live += 1;
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(MIN_CAPACITY, live * 2)));
    this.#hashes = new Float64Array(capacity);
    this.#slots = new Int32Array(capacity);
    this.#used = 0;
    for (let at = 0; at < slots.length; at += 1) if ((slots[at] ?? 0) > 0) this.#put(hashes[at] ?? 0, slots[at] ?? 0);
  }

  /** By multiplication and exclusive or, in two halves, which a 53-bit number holds. */
  #hash(text: string): number {
    let [high, low] = [0xdeadbeef ^ this.#seed, 0x41c6ce57 ^ this.#seed];
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      high = Math.imul(high ^ code, 2_654_435_761);
      low = Math.imul(low ^ code, 1_597_334_677);
    }
    high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
    low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
    return 2 ** 32 * (low & 0x1fffff) + (high >>> 0);
  }
}
