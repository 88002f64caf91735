/** The cached ids of one channel in ascending order, each with the time since when: twelve bytes per message. */
export class IdList {
  #ids = new BigUint64Array(16);
  /** Seconds since 1970. */
  #since = new Uint32Array(16);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of older ids, which is also the position of this id, present or not. */
  rank(id: bigint): number {
    let low = 0;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ids[middle] ?? 0n) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  has(id: bigint): boolean {
    const position = this.rank(id);
    return position < this.#size && this.#ids[position] === id;
  }

  /** The number of ids between the two, both included. */
  count(from: bigint, to: bigint): number {
    return Math.max(0, this.#rankAbove(to) - this.rank(from));
  }

  /** By position, the oldest first; undefined beyond the ends. */
  at(position: number): bigint | undefined {
    return position >= 0 && position < this.#size ? this.#ids[position] : undefined;
  }

  /** The `count`-th id at or below `from`, counted downwards; undefined if there are fewer. */
  countDown(from: bigint, count: number): bigint | undefined {
    return this.at(this.#rankAbove(from) - count);
  }

  /** The ids between the two, both included: at most `max`, from the newest on. */
  newest(from: bigint, to: bigint, max = Number.POSITIVE_INFINITY): bigint[] {
    const end = this.#rankAbove(to);
    return [...this.#ids.subarray(Math.max(this.rank(from), end - max, 0), end)].reverse();
  }

  /** The ids between the two, both included: at most `max`, from the oldest on. */
  oldest(from: bigint, to: bigint, max = Number.POSITIVE_INFINITY): bigint[] {
    const start = this.rank(from);
    return [...this.#ids.subarray(start, Math.max(start, Math.min(this.#rankAbove(to), start + max)))];
  }

  /** Adds ids that are not there yet. */
  add(ids: readonly bigint[], since: number): void {
    const fresh = [...ids].sort((a, b) => (a < b ? -1 : 1));
    this.#reserve(this.#size + fresh.length);
    let end = this.#size;
    // The newest first: then each block of older ids moves once, to its final place.
    for (const [index, id] of [...fresh.entries()].reverse()) {
      const position = Math.min(this.rank(id), end);
      this.#move(position, end, index + 1);
      this.#ids[position + index] = id;
      this.#since[position + index] = Math.floor(since / 1000);
      end = position;
    }
    this.#size += fresh.length;
  }

  remove(id: bigint): void {
    if (this.has(id)) this.removeBetween(id, id);
  }

  removeBetween(from: bigint, to: bigint): void {
    const start = this.rank(from);
    const end = this.#rankAbove(to);
    if (start >= end) return;
    this.#move(end, this.#size, start - end);
    this.#size -= end - start;
  }

  /** The oldest and the newest id cached since before a time; undefined if there are none. */
  heldSinceBefore(moment: number): { from: bigint; to: bigint } | undefined {
    const isOld = (since: number) => since < Math.floor(moment / 1000);
    const held = this.#since.subarray(0, this.#size);
    const from = this.at(held.findIndex(isOld));
    const to = this.at(held.findLastIndex(isOld));
    return from === undefined || to === undefined ? undefined : { from, to };
  }

  /** Sets the time since which the ids between the two, both included, are cached. */
  renew(from: bigint, to: bigint, since: number): void {
    this.#since.fill(Math.floor(since / 1000), this.rank(from), this.#rankAbove(to));
  }

  #rankAbove(id: bigint): number {
    const position = this.rank(id);
    return position < this.#size && this.#ids[position] === id ? position + 1 : position;
  }

  #move(start: number, end: number, by: number): void {
    this.#ids.copyWithin(start + by, start, end);
    this.#since.copyWithin(start + by, start, end);
  }

  #reserve(size: number): void {
    if (size <= this.#ids.length) return;
    const room = Math.max(size, Math.ceil(this.#ids.length * 1.5));
    const [ids, since] = [new BigUint64Array(room), new Uint32Array(room)];
    ids.set(this.#ids.subarray(0, this.#size));
    since.set(this.#since.subarray(0, this.#size));
    this.#ids = ids;
    this.#since = since;
  }
}
