import { EarshotError } from "../domain/errors.ts";

export interface FairQueueLimits {
  /** Jobs that run concurrently, in all and per owner. */
  readonly running: number;
  readonly runningPerOwner: number;
  /** Queued jobs per owner. */
  readonly waitingPerOwner: number;
}

/** Runs jobs in turn over their owners, so that a heavy user delays only their own jobs. Other users notice nothing but a longer wait. */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  /** Queued jobs by owner, the next owner first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  /** Throws `rate_limited` if too many jobs of the owner are queued, `cancelled` if the signal aborts while this one is queued. */
  async run<Result>(owner: string, job: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.#hasRoom(owner)) this.#count(owner, 1);
    else await this.#wait(owner, signal);
    try {
      return await job();
    } finally {
      this.#count(owner, -1);
      this.#startNext();
    }
  }

  #hasRoom(owner: string): boolean {
    return this.#total < this.#limits.running && (this.#running.get(owner) ?? 0) < this.#limits.runningPerOwner;
  }

  /** Resolves when the job may run. */
  async #wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw cancelled();
    const queue = this.#waiting.get(owner) ?? [];
    if (queue.length >= this.#limits.waitingPerOwner) {
      const problem = "Too many calls are waiting; wait for one to be answered.";
      throw new EarshotError("rate_limited", problem, { retryAfter: 1 });
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      queue.splice(queue.indexOf(start), 1);
      if (queue.length === 0) this.#waiting.delete(owner);
      reject(cancelled());
    };
    const start = () => {
      signal?.removeEventListener("abort", leave);
      resolve();
    };
    signal?.addEventListener("abort", leave, { once: true });
    queue.push(start);
    this.#waiting.set(owner, queue);
    return promise;
  }

  /** The owner served moves to the end of the queue. */
  #startNext(): void {
    for (const [owner, queue] of this.#waiting) {
      const start = this.#hasRoom(owner) ? queue.shift() : undefined;
      if (!start) continue;
      this.#waiting.delete(owner);
      if (queue.length > 0) this.#waiting.set(owner, queue);
      this.#count(owner, 1);
      start();
      return;
    }
  }

  #count(owner: string, change: number): void {
    this.#total += change;
    const count = (this.#running.get(owner) ?? 0) + change;
    if (count > 0) this.#running.set(owner, count);
    else this.#running.delete(owner);
  }
}

function cancelled(): EarshotError {
  return new EarshotError("cancelled", "The call was cancelled.");
}
