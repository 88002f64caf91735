import type { KeyStore } from "../ports/key-store.ts";

export type Keys = ReadonlyMap<string, Uint8Array>;

/** The keys of a store. They are read for each use and overwritten after it: facts that were opened are cached instead. */
export class KeyRing {
  readonly #store: KeyStore;
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
      const deletions = this.#deletions;
      const keys = await this.#store.find(names);
      try {
        if (deletions === this.#deletions) return work(keys);
      } finally {
        for (const key of keys.values()) key.fill(0);
      }
    }
  }

  async add(name: string, key: Uint8Array): Promise<void> {
    await this.#store.add(new Map([[name, key]]));
  }

  /** Throws `unavailable` when it is not certain that they are deleted. */
  async delete(names: readonly string[]): Promise<void> {
    try {
      await this.#store.delete(names);
    } finally {
      this.#deletions += 1;
    }
  }
}
