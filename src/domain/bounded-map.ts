export interface MapBounds<Value> {
  readonly maxEntries: number;
  /** The age at which entries expire; never when absent. */
  readonly ttlMs?: number;
  /** Required with `ttlMs`. */
  readonly clock?: { now(): number };
  /** Maximum total weight of all values, by `weigh`; the newest value always stays. */
  readonly maxWeight?: number;
  weigh?(value: Value): number;
  /** Called with the value of every entry that is deleted, evicted or expired. */
  onDelete?(value: Value): void;
}

interface Entry<Key, Value> {
  readonly key: Key;
  readonly value: Value;
  readonly expiresAt: number;
  readonly weight: number;
  older: Entry<Key, Value> | null;
  newer: Entry<Key, Value> | null;
}

/** A map with a maximum size, and an optional maximum weight and age. Evicts the least recently set or used entry first. */
export class BoundedMap<Key, Value> {
  readonly #bounds: MapBounds<Value>;
  readonly #entries = new Map<Key, Entry<Key, Value>>();
  /** The entries are linked in order of use. Finding the first entry of a Map would skip thousands of deleted ones. */
  #oldest: Entry<Key, Value> | null = null;
  #newest: Entry<Key, Value> | null = null;
  #weight = 0;

  constructor(bounds: MapBounds<Value>) {
    if (!(bounds.maxEntries >= 1)) throw new RangeError("maxEntries must be 1 or more.");
    if (bounds.ttlMs !== undefined && !bounds.clock) throw new TypeError("ttlMs needs a clock.");
    this.#bounds = bounds;
  }

  /** Includes expired entries until they are read or evicted. */
  get size(): number {
    return this.#entries.size;
  }

  has(key: Key): boolean {
    return this.#live(key) !== undefined;
  }

  /** Undefined if missing or expired. Does not count as a use. */
  get(key: Key): Value | undefined {
    return this.#live(key)?.value;
  }

  /** Like `get`, and makes the entry the most recently used. Its expiry does not change. */
  use(key: Key): Value | undefined {
    const entry = this.#live(key);
    if (!entry) return undefined;
    this.#unlink(entry);
    this.#append(entry);
    return entry.value;
  }

  set(key: Key, value: Value): void {
    const { maxEntries, maxWeight = Number.POSITIVE_INFINITY, ttlMs, clock } = this.#bounds;
    this.delete(key);
    const expiresAt = ttlMs === undefined || !clock ? Number.POSITIVE_INFINITY : clock.now() + ttlMs;
    const weight = this.#bounds.weigh?.(value) ?? 0;
    const entry = { key, value, expiresAt, weight, older: null, newer: null };
    this.#entries.set(key, entry);
    this.#append(entry);
    this.#weight += weight;
    while (this.#oldest && this.#oldest !== entry && (this.#entries.size > maxEntries || this.#weight > maxWeight))
      this.delete(this.#oldest.key);
  }

  delete(key: Key): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return false;
    this.#unlink(entry);
    this.#entries.delete(key);
    this.#weight -= entry.weight;
    this.#bounds.onDelete?.(entry.value);
    return true;
  }

  /** Deletes every entry that matches. */
  deleteWhere(matches: (value: Value, key: Key) => boolean): void {
    for (const [key, { value }] of this.#entries) if (matches(value, key)) this.delete(key);
  }

  /** Values that have not expired, least recently used first. */
  values(): readonly Value[] {
    const values: Value[] = [];
    for (let entry = this.#oldest; entry; ) {
      const { newer } = entry;
      if (this.#live(entry.key) === entry) values.push(entry.value);
      entry = newer;
    }
    return values;
  }

  clear(): void {
    for (const key of this.#entries.keys()) this.delete(key);
  }

  #live(key: Key): Entry<Key, Value> | undefined {
    const entry = this.#entries.get(key);
    if (entry && this.#bounds.clock && entry.expiresAt <= this.#bounds.clock.now()) {
      this.delete(key);
      return undefined;
    }
    return entry;
  }

  #append(entry: Entry<Key, Value>): void {
    entry.older = this.#newest;
    entry.newer = null;
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
  }

  #unlink(entry: Entry<Key, Value>): void {
    const { older, newer } = entry;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    // A removed entry must not refer to later ones: V8 collects old objects rarely, and until then everything they refer to stays.
    entry.older = null;
    entry.newer = null;
  }
}
