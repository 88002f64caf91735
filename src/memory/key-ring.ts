import { BoundedMap } from "../domain/bounded-map.ts";
import type { KeyStore } from "../ports/key-store.ts";

export type Keys = ReadonlyMap<string, Uint8Array>;

const MAX_CACHED_KEYS = 10_000;

/** The keys of a store, some of them cached. */
export class KeyRing {
  readonly #store: KeyStore;
  readonly #cached = new BoundedMap<string, Uint8Array>({ maxEntries: MAX_CACHED_KEYS });
  /** Grows with each deletion. */
  #deletions = 0;

  constructor(store: KeyStore) {
    this.#store = store;
  }

  /**
   * Works with the keys that exist, read with one query. No key is used after its deletion has returned: the work is done at once, and what was read
   * while a key was deleted is read again.
   */
  async use<Result>(names: readonly string[], work: (keys: Keys) => Result): Promise<Result> {
    for (;;) {
      const keys = new Map<string, Uint8Array>();
      for (const name of names) {
        const cached = this.#cached.use(name);
        if (cached) keys.set(name, cached);
      }
      const missing = names.filter((name) => !keys.has(name));
      if (missing.length === 0) return work(keys);
      const deletions = this.#deletions;
      const found = await this.#store.find(missing);
      if (deletions !== this.#deletions) {
        for (const key of found.values()) key.fill(0);
        continue;
      }
      for (const [name, key] of found) {
        keys.set(name, key);
        this.#cached.set(name, key);
      }
      return work(keys);
    }
  }

  async add(name: string, key: Uint8Array): Promise<void> {
    await this.#store.add(new Map([[name, key]]));
    this.#cached.set(name, key);
  }

  /** Throws `unavailable` when it is not certain that they are deleted; none of them is cached then, either. */
  async delete(names: readonly string[]): Promise<void> {
    try {
      await this.#store.delete(names);
    } finally {
      this.#deletions += 1;
      for (const name of names) {
        this.#cached.get(name)?.fill(0);
        this.#cached.delete(name);
      }
    }
  }
}
