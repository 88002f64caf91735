/** Does one work after the other, in the order in which they come. One that fails holds up none of the others. Each thing that has an order has its own. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves when everything is done that came before. */
  async settled(): Promise<void> {
    await this.#last;
  }
}

/** The same for each key by itself. */
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
