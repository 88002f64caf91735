/** Runs tasks one after the other, in the order of their arrival. A failed task does not stop the next one. Use one instance per ordered
 * resource. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves when all earlier tasks are done. */
  async settled(): Promise<void> {
    await this.#last;
  }
}

/** One `Serial` per key. */
export class SerialByKey<Key> {
  readonly #busy = new Map<Key, { readonly serial: Serial; works: number }>();

  async run<Result>(key: Key, work: () => Result | Promise<Result>): Promise<Result> {
    const busy = this.#busy.get(key) ?? { serial: new Serial(), works: 0 };
    this.#busy.set(key, busy);
    busy.works += 1;
    try {
      return await busy.serial.run(work);
    } finally {
      busy.works -= 1;
      if (busy.works === 0) this.#busy.delete(key);
    }
  }
}
