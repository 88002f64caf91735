import type { Frame } from "../index/frame.ts";

/** So far around a message it is looked for words that count for it too. */
export const REACH = 4;
/** After so many seconds of silence another conversation begins. */
export const SILENCE_SECONDS = 30 * 60;
/**
 * A word that was said close by counts too, if less: an answer seldom repeats the words of its question. What was said before counts more than
 * what came after, the nearest most.
 */
const SAID_BEFORE = 0.7;
const SAID_AFTER = 0.5;
const FURTHER = 0.7;
/** A word that was said nearby counts at most this much of what it counts where it was said. */
export const MAX_LENT = Math.max(SAID_BEFORE, SAID_AFTER);
/** So many answers to one message are looked at. */
const MAX_LINKED = 8;
/** Where no more people than this speak, neighbours talk to each other. */
const DIALOGUE = 2;

/** What the words sought count for a message: those that it has itself, and those that were said around it. */
export class Nearby {
  readonly #frame: Frame;
  /** For each word, how much it counts where it was said. */
  readonly #said: readonly Float32Array[];
  /** Where it was looked, and how much a word counts there. */
  readonly #places = new Int32Array(2 * REACH + MAX_LINKED);
  readonly #weights = new Float32Array(2 * REACH + MAX_LINKED);

  constructor(frame: Frame, said: readonly Float32Array[]) {
    this.#frame = frame;
    this.#said = said;
  }

  /**
   * Each word counts once, where it counts most. Zero for a message that has none of the words where not several of them were said nearby, and
   * for one that cannot get as much as `floor`, given how much it can get at most for the words from each on.
   */
  scoreAt(place: number, floor: number, mostFrom: Float64Array): number {
    const [places, weights] = [this.#places, this.#weights];
    const count = this.#look(place);
    let score = 0;
    let met = 0;
    let word = 0;
    for (const said of this.#said) {
      if (score + (mostFrom[word] ?? 0) < floor) return 0;
      word += 1;
      const own = said[place] ?? 0;
      let best = own;
      for (let index = 0; index < count; index += 1) {
        const near = said[places[index] ?? 0] ?? 0;
        if (near === 0) continue;
        const worth = near * (weights[index] ?? 0);
        if (worth > best) best = worth;
      }
      score += best;
      met += own > 0 ? 2 : best > 0 ? 1 : 0;
    }
    return met > 1 ? score : 0;
  }

  /** How many places there are to look at. */
  #look(place: number): number {
    let count = this.#lookAlong({ place, step: -1, weight: SAID_BEFORE }, 0);
    count = this.#lookAlong({ place, step: 1, weight: SAID_AFTER }, count);
    const { targets, answers } = this.#frame;
    const [asked, answered] = [targets.starts[place + 1] ?? 0, answers.starts[place + 1] ?? 0];
    for (let at = targets.starts[place] ?? 0; at < asked; at += 1)
      count = this.#add(targets.tos[at] ?? 0, SAID_BEFORE, count);
    for (let at = answers.starts[place] ?? 0; at < answered; at += 1)
      count = this.#add(answers.tos[at] ?? 0, SAID_AFTER, count);
    return count;
  }

  #lookAlong({ place, step, weight }: { place: number; step: 1 | -1; weight: number }, already: number): number {
    const { times, authors, crowds, size } = this.#frame;
    const [places, weights] = [this.#places, this.#weights];
    const [author, crowd] = [authors[place] ?? 0, crowds[place] ?? 1];
    const calm = crowd > DIALOGUE ? DIALOGUE / crowd : 1;
    const most = step < 0 ? Math.min(REACH, place) : Math.min(REACH, size - 1 - place);
    let [worth, time] = [weight, times[place] ?? 0];
    for (let distance = 1; distance <= most; distance += 1) {
      const near = place + distance * step;
      const then = times[near] ?? 0;
      if ((then - time) * step > SILENCE_SECONDS) return already + distance - 1;
      places[already + distance - 1] = near;
      weights[already + distance - 1] = authors[near] === author ? worth : worth * calm;
      worth *= FURTHER;
      time = then;
    }
    return already + most;
  }

  #add(place: number, weight: number, count: number): number {
    if (count >= this.#places.length) return count;
    this.#places[count] = place;
    this.#weights[count] = weight;
    return count + 1;
  }
}
