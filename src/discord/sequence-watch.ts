interface Missing {
  /** The last moment at which nothing was missing. */
  readonly since: number;
  readonly noticedAt: number;
}

/** How an event arrives: after all before it, after one that came later, or again. */
export type Arrival = "in_order" | "late" | "repeated";

/** More than this at once need not be listed one by one: a few make the loss known. */
const MAX_LISTED = 1_000;

/**
 * Watches the sequence numbers of one session. Discord counts every dispatch, so a number that stays away is an event that was lost;
 * one that is merely late still arrives.
 */
export class SequenceWatch {
  #highest = 0;
  readonly #missing = new Map<number, Missing>();

  /** A new session counts from its own start. */
  restart(sequence: number): void {
    this.#highest = sequence;
    this.#missing.clear();
  }

  note(sequence: number, { since, now }: { since: number; now: number }): Arrival {
    // A server that does not number its events.
    if (!(sequence >= 1)) return "in_order";
    if (sequence <= this.#highest) return this.#missing.delete(sequence) ? "late" : "repeated";
    const first = Math.max(this.#highest + 1, sequence - MAX_LISTED);
    for (let number = first; number < sequence; number += 1) this.#missing.set(number, { since, noticedAt: now });
    this.#highest = sequence;
    return "in_order";
  }

  get isWaiting(): boolean {
    return this.#missing.size > 0;
  }

  /** Since when something has been missing that was noticed by then; null if nothing was. Forgets what it reports. */
  takeLoss(noticedBy: number): number | null {
    let earliest: number | null = null;
    for (const [number, { since, noticedAt }] of this.#missing) {
      if (noticedAt > noticedBy) continue;
      earliest = Math.min(earliest ?? since, since);
      this.#missing.delete(number);
    }
    return earliest;
  }
}
