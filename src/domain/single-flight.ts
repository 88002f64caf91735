interface Flight<Value> {
  readonly result: Promise<Value>;
  readonly controller: AbortController;
  waiting: number;
}

/** Shares one running piece of work among concurrent callers. Results are not cached. */
export class SingleFlight<Key, Value> {
  readonly #flights = new Map<Key, Flight<Value>>();

  /** The number of keys with work in flight. */
  get size(): number {
    return this.#flights.size;
  }

  has(key: Key): boolean {
    return this.#flights.has(key);
  }

  /**
   * Joins the work in flight for the key, or starts it. Rejects as the work does, or with the reason of the caller's own signal. When all callers
   * have aborted, the signal of the work is aborted, and the next caller starts it again.
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
      if (flight.waiting === 0 && this.#forget(key, flight)) flight.controller.abort();
    }
  }

  /** Aborts all work in flight. */
  close(): void {
    for (const { controller } of this.#flights.values()) controller.abort();
  }

  #begin(key: Key, work: (signal: AbortSignal) => Promise<Value>): Flight<Value> {
    const controller = new AbortController();
    const flight = { result: start(() => work(controller.signal)), controller, waiting: 0 };
    this.#flights.set(key, flight);
    const forget = () => this.#forget(key, flight);
    // Handles the rejection even if all callers have aborted by then.
    flight.result.then(forget, forget);
    return flight;
  }

  /** Returns whether it was still in flight. */
  #forget(key: Key, flight: Flight<Value>): boolean {
    return this.#flights.get(key) === flight && this.#flights.delete(key);
  }
}

/** Turns a synchronous throw into a rejection. */
async function start<Value>(work: () => Promise<Value>): Promise<Value> {
  return work();
}
