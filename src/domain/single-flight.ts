interface Flight<Value> {
  readonly result: Promise<Value>;
  readonly controller: AbortController;
  waiting: number;
}

/** Does the same work once for all who ask for it at the same time. Nothing is kept once it is done. */
export class SingleFlight<Key, Value> {
  readonly #flights = new Map<Key, Flight<Value>>();

  /** How many are under way. */
  get size(): number {
    return this.#flights.size;
  }

  has(key: Key): boolean {
    return this.#flights.has(key);
  }

  /**
   * Joins what is under way for the key, or begins it. Rejects as the work does, and with the signal's reason for a caller who leaves; when all
   * have left, the work's own signal is aborted, and the next caller begins again.
   */
  async run(key: Key, work: (signal: AbortSignal) => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    signal?.throwIfAborted();
    const flight = this.#flights.get(key) ?? this.#begin(key, work);
    flight.waiting += 1;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => reject(signal?.reason);
    signal?.addEventListener("abort", leave);
    try {
      return await (signal ? Promise.race([flight.result, left]) : flight.result);
    } finally {
      signal?.removeEventListener("abort", leave);
      flight.waiting -= 1;
      if (flight.waiting === 0) this.#end(key, flight);
    }
  }

  /** Aborts everything that is under way. */
  close(): void {
    for (const { controller } of this.#flights.values()) controller.abort();
  }

  #begin(key: Key, work: (signal: AbortSignal) => Promise<Value>): Flight<Value> {
    const controller = new AbortController();
    const flight = { result: start(() => work(controller.signal)), controller, waiting: 0 };
    this.#flights.set(key, flight);
    const forget = () => this.#forget(key, flight);
    // Everybody who waited may have left by the time it fails.
    flight.result.then(forget, forget);
    return flight;
  }

  #end(key: Key, flight: Flight<Value>): void {
    this.#forget(key, flight);
    flight.controller.abort();
  }

  #forget(key: Key, flight: Flight<Value>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}

/** What throws before its first wait rejects, too. */
async function start<Value>(work: () => Promise<Value>): Promise<Value> {
  return work();
}
