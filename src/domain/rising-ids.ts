import type { Interval } from "./intervals.ts";

/** A set of ids in ascending order. Fast at both ends, where most ids are added. */
export class RisingIds {
  readonly #ids: bigint[] = [];

  get size(): number {
    return this.#ids.length;
  }

  add(id: bigint): void {
    const at = this.#rank(id);
    if (this.#ids[at] !== id) this.#ids.splice(at, 0, id);
  }

  remove(id: bigint): void {
    if (this.has(id)) this.#ids.splice(this.#rank(id), 1);
  }

  clear(): void {
    this.#ids.length = 0;
  }

  has(id: bigint): boolean {
    return this.#ids[this.#rank(id)] === id;
  }

  /** Both ends included. */
  between({ from, to }: Interval): bigint[] {
    return this.#ids.slice(this.#rank(from), this.#rank(to + 1n));
  }

  /** The number of smaller ids. */
  #rank(id: bigint): number {
    let [low, high] = [0, this.#ids.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ids[middle] ?? 0n) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
