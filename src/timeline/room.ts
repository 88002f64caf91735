import { firstIdAt, OLDEST } from "../domain/intervals.ts";

/** How far back messages fit. */
export class Room {
  #cutoff = OLDEST;
  #lastCutoff = OLDEST;
  #hasGrown = false;

  /** Older messages than this did not fit. */
  get cutoff(): bigint {
    return this.#cutoff;
  }

  /** The cutoff before `reopen`: until the new cutoff is known, messages fit at least down to here. */
  get lastCutoff(): bigint {
    return this.#lastCutoff;
  }

  /** Messages were deleted or became smaller, so older ones may fit now. */
  get hasGrown(): boolean {
    return this.#hasGrown;
  }

  end(cutoff: bigint): void {
    this.#cutoff = cutoff;
    this.#lastCutoff = OLDEST;
  }

  /** False if everything fitted. */
  noteGrown(): boolean {
    this.#hasGrown = this.#cutoff > OLDEST;
    return this.#hasGrown;
  }

  /** Accepts older messages again, until no more fit. */
  reopen(): void {
    if (this.#cutoff > this.#lastCutoff) this.#lastCutoff = this.#cutoff;
    this.#cutoff = OLDEST;
    this.#hasGrown = false;
  }

  /** Call when nothing is cached any more. */
  reset(): void {
    this.#cutoff = OLDEST;
    this.#lastCutoff = OLDEST;
    this.#hasGrown = false;
  }
}

interface ChannelRoomOptions {
  /** The family's, for the total size of its messages. */
  readonly family: Room;
  /** Maximum age of a message. */
  readonly retentionMs: number;
}

/** How far back messages of one channel fit: by number, size and age. */
export class ChannelRoom {
  /** For the number of messages. */
  readonly own = new Room();
  readonly #family: Room;
  readonly #retentionMs: number;

  constructor({ family, retentionMs }: ChannelRoomOptions) {
    this.#family = family;
    this.#retentionMs = retentionMs;
  }

  get hasGrown(): boolean {
    return this.own.hasGrown || this.#family.hasGrown;
  }

  /** The oldest id that may be cached. */
  cutoff(now: number): bigint {
    return greatest([this.own.cutoff, this.#family.cutoff, this.oldestAllowed(now)]);
  }

  /** @see Room.lastCutoff */
  lastCutoff(now: number): bigint {
    return greatest([this.own.lastCutoff, this.#family.lastCutoff, this.oldestAllowed(now)]);
  }

  /** The oldest id within the retention time. */
  oldestAllowed(now: number): bigint {
    return firstIdAt(now - this.#retentionMs);
  }

  noteGrown(): boolean {
    return [this.own, this.#family].map((room) => room.noteGrown()).includes(true);
  }

  /** Accepts older messages again if they may fit. */
  reopen(): void {
    for (const room of [this.own, this.#family]) if (room.hasGrown) room.reopen();
  }
}

function greatest(ids: readonly bigint[]): bigint {
  return ids.reduce((a, b) => (a > b ? a : b));
}
