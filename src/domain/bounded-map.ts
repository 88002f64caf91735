export interface MapBounds {
  readonly maxEntries: number;
  /** The age at which entries expire; never when absent. */
  readonly ttlMs?: number;
  /** Required with `ttlMs`. */
  readonly clock?: { now(): number };
}

interface Entry<Value> {
  readonly value: Value;
  readonly expiresAt: number;
}

/** A map with a maximum size and an optional maximum age. Evicts the least recently set or used entry first. */
export class BoundedMap<Key, Value> {
  readonly #bounds: MapBounds;
  /** Least recently used first. */
  readonly #entries = new Map<Key, Entry<Value>>();

  constructor(bounds: MapBounds) {
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

  /** Undefined when there is none or it has expired. Does not count as a use. */
  get(key: Key): Value | undefined {
    return this.#live(key)?.value;
  }

  /** Like `get`, and makes the entry the most recently used. Its expiry does not change. */
  use(key: Key): Value | undefined {
    const entry = this.#live(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: Key, value: Value): void {
    const { maxEntries, ttlMs, clock } = this.#bounds;
    this.#entries.delete(key);
    const expiresAt = ttlMs === undefined || !clock ? Number.POSITIVE_INFINITY : clock.now() + ttlMs;
    this.#entries.set(key, { value, expiresAt });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries) break;
      this.#entries.delete(oldest);
    }
  }

  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }

  /** Deletes every entry that matches. */
  deleteWhere(matches: (value: Value, key: Key) => boolean): void {
    for (const [key, { value }] of this.#entries) if (matches(value, key)) this.#entries.delete(key);
  }

  /** Values that have not expired, least recently used first. */
  *values(): Generator<Value> {
    for (const key of this.#entries.keys()) {
      const entry = this.#live(key);
      if (entry) yield entry.value;
    }
  }

  clear(): void {
    this.#entries.clear();
  }

  #live(key: Key): Entry<Value> | undefined {
    const entry = this.#entries.get(key);
    if (entry && this.#bounds.clock && entry.expiresAt <= this.#bounds.clock.now()) {
      this.#entries.delete(key);
      return undefined;
    }
    return entry;
  }
}
