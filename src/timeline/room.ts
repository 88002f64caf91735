import { firstIdAt, OLDEST } from "../domain/intervals.ts";

/** How far back there is room for messages. */
export class Room {
  #cutoff = OLDEST;
  #lastCutoff = OLDEST;
  #hasGrown = false;

  /** There was no room for what is older than this. */
  get cutoff(): bigint {
    return this.#cutoff;
  }

  /** The cutoff before more was read: until it is known again how far back there is room, there is room at least down to here. */
  get lastCutoff(): bigint {
    return this.#lastCutoff;
  }

  /** Messages were deleted or became smaller: something older may have room by now. */
  get hasGrown(): boolean {
    return this.#hasGrown;
  }

  end(cutoff: bigint): void {
    this.#cutoff = cutoff;
    this.#lastCutoff = OLDEST;
  }

  /** False where there was room for everything. */
  noteGrown(): boolean {
    this.#hasGrown = this.#cutoff > OLDEST;
    return this.#hasGrown;
  }

  /** From now on older messages are taken in again, until there is no more room. */
  reopen(): void {
    if (this.#cutoff > this.#lastCutoff) this.#lastCutoff = this.#cutoff;
    this.#cutoff = OLDEST;
    this.#hasGrown = false;
  }

  /** Nothing is held any more. */
  reset(): void {
    this.#cutoff = OLDEST;
    this.#lastCutoff = OLDEST;
    this.#hasGrown = false;
  }
}

interface ChannelRoomOptions {
  /** Its family's, for what all its messages take. */
  readonly family: Room;
  /** Messages that were written longer ago are not kept. */
  readonly retentionMs: number;
}

/** How far back there is room for messages of one channel: by their number, by what they take, and by their age. */
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

  /** Older messages are taken in again where there may be room for them. */
  reopen(): void {
    for (const room of [this.own, this.#family]) if (room.hasGrown) room.reopen();
  }
}

function greatest(ids: readonly bigint[]): bigint {
  return ids.reduce((a, b) => (a > b ? a : b));
}
