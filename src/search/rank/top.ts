import { type Frame, idAt } from "../index/frame.ts";

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
    return [...this.best()];
  }

  /** The best first, one at a time: of many, whoever needs a few does not have all of them sorted. */
  *best(): Generator<Candidate, void, undefined> {
    const heap = [...this.#heap];
    for (let at = (heap.length >> 1) - 1; at >= 0; at -= 1) sinkWorse(heap, at);
    for (let first = heap[0]; first; first = heap[0]) {
      yield first;
      const last = heap.pop();
      if (!last || heap.length === 0) return;
      heap[0] = last;
      sinkWorse(heap, 0);
    }
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

/** In a heap with the best on top. */
function sinkWorse(heap: Candidate[], start: number): void {
  for (let at = start; ; ) {
    const [upper, left, right] = [heap[at], heap[2 * at + 1], heap[2 * at + 2]];
    if (!upper || !left) return;
    const child = right && isBetter(right, left) ? 2 * at + 2 : 2 * at + 1;
    const lower = heap[child];
    if (!lower || !isBetter(lower, upper)) return;
    heap[at] = lower;
    heap[child] = upper;
    at = child;
  }
}

function isBetter(a: Candidate, b: Candidate): boolean {
  if (a.score !== b.score) return a.score > b.score;
  return a.frame === b.frame ? a.place > b.place : idAt(a.frame, a.place) > idAt(b.frame, b.place);
}
