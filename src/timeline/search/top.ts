import { type Frame, idAt } from "./frame.ts";

export interface Candidate {
  readonly frame: Frame;
  readonly place: number;
  readonly score: number;
}

/** The best so many of all that are offered; of two that are equally good, the newer is better. */
export class Top {
  readonly #most: number;
  /** Each is no better than the two below it, at twice its position and one further. */
  readonly #heap: Candidate[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** What does not score more is of no use any more, unless it is newer. */
  get floor(): number {
    return this.#heap.length < this.#most ? Number.NEGATIVE_INFINITY : (this.#heap[0]?.score ?? 0);
  }

  offer(candidate: Candidate): void {
    const worst = this.#heap[0];
    if (this.#heap.length < this.#most) {
      this.#heap.push(candidate);
      this.#rise(this.#heap.length - 1);
    } else if (worst && candidate.score >= worst.score && isBetter(candidate, worst)) {
      this.#heap[0] = candidate;
      this.#sink(0);
    }
  }

  /** The best first. */
  sorted(): Candidate[] {
    return [...this.#heap].sort((a, b) => (isBetter(a, b) ? -1 : 1));
  }

  #rise(start: number): void {
    for (let at = start; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBetter(parent, at)) return;
      at = parent;
    }
  }

  #sink(start: number): void {
    for (let at = start; ; ) {
      const [left, right] = [this.#heap[2 * at + 1], this.#heap[2 * at + 2]];
      if (!left) return;
      const child = right && isBetter(left, right) ? 2 * at + 2 : 2 * at + 1;
      if (!this.#swapIfBetter(at, child)) return;
      at = child;
    }
  }

  #swapIfBetter(upper: number, lower: number): boolean {
    const [above, below] = [this.#heap[upper], this.#heap[lower]];
    if (!above || !below || !isBetter(above, below)) return false;
    this.#heap[upper] = below;
    this.#heap[lower] = above;
    return true;
  }
}

function isBetter(a: Candidate, b: Candidate): boolean {
  if (a.score !== b.score) return a.score > b.score;
  return a.frame === b.frame ? a.place > b.place : idAt(a.frame, a.place) > idAt(b.frame, b.place);
}
