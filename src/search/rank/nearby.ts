import type { Frame } from "../index/frame.ts";

/** How many messages before and after are looked at for words that count for a message too. */
export const REACH = 4;
/** After a silence of this length another conversation begins. */
export const SILENCE_SECONDS = 30 * 60;
/**
 * A word in a neighbouring message counts too, but less: an answer seldom repeats the words of its question. Earlier messages count more than later ones, the
 * nearest most. A question by another person counts alike for all messages right after it: any of them may be its answer.
 */
const SAID_BEFORE = 0.7;
const SAID_AFTER = 0.5;
const FURTHER = 0.7;
/** A word that was said nearby counts at most this much of what it counts where it was said. */
export const MAX_LENT = Math.max(SAID_BEFORE, SAID_AFTER);
/** How many answers to one message are looked at. */
const MAX_LINKED = 8;
/** If no more people than this speak, neighbours talk to each other. */
export const DIALOGUE = 2;

/** The score of the query's words for a message: its own words, and those of its neighbours. */
export class Nearby {
  readonly #frame: Frame;
  /** For each word, how much it counts where it was said. */
  readonly #said: readonly Float32Array[];
  /** 1 for each row that asks something. */
  readonly #asks: Uint8Array;
  /** The rows that are looked at, and how much a word counts there. */
  readonly #rows = new Int32Array(2 * REACH + MAX_LINKED);
  readonly #weights = new Float32Array(2 * REACH + MAX_LINKED);

  constructor(frame: Frame, said: readonly Float32Array[], asks: Uint8Array) {
    this.#frame = frame;
    this.#said = said;
    this.#asks = asks;
  }

  /**
   * Each word counts once, where it counts most. Zero for a message that has none of the words where not several of them were said nearby, and
   * for one that cannot get as much as `floor`, given how much it can get at most for the words from each on.
   */
  scoreAt(row: number, floor: number, mostFrom: Float64Array): number {
    const [rows, weights] = [this.#rows, this.#weights];
    const count = this.#look(row);
    let score = 0;
    let met = 0;
    let word = 0;
    for (const said of this.#said) {
      if (score + (mostFrom[word] ?? 0) < floor) return 0;
      word += 1;
      const own = said[row] ?? 0;
      let best = own;
      for (let index = 0; index < count; index += 1) {
        const near = said[rows[index] ?? 0] ?? 0;
        if (near === 0) continue;
        const worth = near * (weights[index] ?? 0);
        if (worth > best) best = worth;
      }
      score += best;
      met += own > 0 ? 2 : best > 0 ? 1 : 0;
    }
    return met > 1 ? score : 0;
  }

  /** How many rows there are to look at. */
  #look(row: number): number {
    let count = this.#lookAlong({ row, step: -1, weight: SAID_BEFORE }, 0);
    count = this.#lookAlong({ row, step: 1, weight: SAID_AFTER }, count);
    const { targets, answers } = this.#frame;
    const [targetsEnd, answersEnd] = [targets.starts[row + 1] ?? 0, answers.starts[row + 1] ?? 0];
    for (let at = targets.starts[row] ?? 0; at < targetsEnd; at += 1)
      count = this.#add(targets.tos[at] ?? 0, SAID_BEFORE, count);
    for (let at = answers.starts[row] ?? 0; at < answersEnd; at += 1)
      count = this.#add(answers.tos[at] ?? 0, SAID_AFTER, count);
    return count;
  }

  #lookAlong({ row, step, weight }: { row: number; step: 1 | -1; weight: number }, already: number): number {
    const { times, authors, speakers, size } = this.#frame;
    const [rows, weights] = [this.#rows, this.#weights];
    const [author, speakerCount] = [authors[row] ?? 0, speakers[row] ?? 1];
    const calm = speakerCount > DIALOGUE ? DIALOGUE / speakerCount : 1;
    const most = step < 0 ? Math.min(REACH, row) : Math.min(REACH, size - 1 - row);
    let [worth, time] = [weight, times[row] ?? 0];
    for (let distance = 1; distance <= most; distance += 1) {
      const near = row + distance * step;
      const then = times[near] ?? 0;
      if ((then - time) * step > SILENCE_SECONDS) return already + distance - 1;
      rows[already + distance - 1] = near;
      const isAnswered = step < 0 && calm < 1 && this.#asks[near] === 1;
      weights[already + distance - 1] = authors[near] === author ? worth : isAnswered ? weight : worth * calm;
      worth *= FURTHER;
      time = then;
    }
    return already + most;
  }

  #add(row: number, weight: number, count: number): number {
    if (count >= this.#rows.length) return count;
    this.#rows[count] = row;
    this.#weights[count] = weight;
    return count + 1;
  }
}
