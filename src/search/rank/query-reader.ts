import { BoundedMap } from "../../domain/bounded-map.ts";
import type { Query } from "../../domain/search/query.ts";
import { toStem } from "../../domain/search/stem.ts";
import { isFraming, type Spelling, toQueryTerms, toSpellings } from "../../domain/search/terms.ts";
import { asksForTime } from "../../domain/search/time-question.ts";
import { type DateWords, toDateWords } from "./date-words.ts";

/** The parsed text of a query, independent of the messages. */
export interface QueryText {
  /** The words that say something. */
  readonly stems: ReadonlySet<string>;
  /** Words that only frame the topic of the query. */
  readonly framing: ReadonlySet<string>;
  readonly spellings: ReadonlyMap<string, Spelling>;
  /** By stem. */
  readonly guesses: ReadonlyMap<string, Guesses>;
  readonly dates: readonly DateWords[];
  readonly asksForTime: boolean;
  /** In characters. */
  readonly length: number;
}

/** Other spellings of a word that occurs in no message. */
export interface Guesses {
  /** "anon" for "anonymous". */
  readonly beginnings: readonly string[];
  /** "screen shot" for "screenshot". */
  readonly halves: readonly (readonly string[])[];
}

const MAX_CACHED = 500;
const MIN_BEGINNING_LENGTH = 4;
const MIN_HALF_LENGTH = 3;

/** Reads the texts of queries. The latest are cached: page after page, and time after time, the same is asked. */
export class QueryReader {
  readonly #texts = new BoundedMap<string, QueryText>({ maxEntries: MAX_CACHED });

  read({ text, phrases }: Pick<Query, "text" | "phrases">): QueryText {
    const key = [text, ...phrases].join("\n");
    const known = this.#texts.get(key);
    if (known) return known;
    const read = readText(text, phrases);
    this.#texts.set(key, read);
    return read;
  }

  /** Forgets all queries. */
  clear(): void {
    this.#texts.clear();
  }
}

function readText(text: string, phrases: readonly string[]): QueryText {
  let length = 0;
  const spellings = new Map<string, Spelling>();
  const stems = new Set<string>();
  for (const each of [text, ...phrases]) {
    length += each.length;
    for (const [term, spelling] of toSpellings(each)) spellings.set(term, spelling);
    for (const stem of toQueryTerms(each)) stems.add(stem);
  }
  const framing = new Set([...stems].filter(isFraming));
  const guesses = new Map([...spellings].map(([stem, spelling]) => [stem, toGuesses(spelling.text)]));
  return {
    stems,
    framing,
    spellings,
    guesses,
    dates: toDateWords(text),
    asksForTime: asksForTime(text),
    length,
  };
}

function toGuesses(word: string): Guesses {
  const beginnings = new Set<string>();
  for (let length = MIN_BEGINNING_LENGTH; length <= word.length / 2; length += 1)
    beginnings.add(toStem(word.slice(0, length)));
  const halves: [left: string, right: string][] = [];
  for (let at = MIN_HALF_LENGTH; at <= word.length - MIN_HALF_LENGTH; at += 1)
    halves.push([toStem(word.slice(0, at)), toStem(word.slice(at))]);
  return { beginnings: [...beginnings], halves };
}
