import { setImmediate as nextTurn } from "node:timers/promises";
import { toTerms, toWords } from "../domain/search/terms.ts";
import type { Passage } from "../ports/documents.ts";

/** A passage in which a term occurs, by its number, and how often: a word of a heading counts more than once. */
interface Posting {
  readonly at: number;
  readonly count: number;
}

/** The passages of one file, by the terms in them. */
export interface PassageIndex {
  readonly passages: readonly Passage[];
  /** How many words each passage has. */
  readonly lengths: readonly number[];
  readonly postings: ReadonlyMap<string, readonly Posting[]>;
  /** The length of all passages together, in words. */
  readonly totalLength: number;
}

/** A heading says what a passage is about; the names of file and folder do so a little. */
const HEADING_WEIGHT = 2;
const PATH_WEIGHT = 0.5;
/** How many passages are taken apart before others have a turn. */
const BATCH_SIZE = 20;

export async function indexPassages(passages: readonly Passage[]): Promise<PassageIndex> {
  const postings = new Map<string, Posting[]>();
  const lengths: number[] = [];
  for (const [at, passage] of passages.entries()) {
    if (at > 0 && at % BATCH_SIZE === 0) await nextTurn();
    const { counts, length } = countTerms(passage);
    lengths.push(length);
    for (const [term, count] of counts) {
      const known = postings.get(term);
      if (known) known.push({ at, count });
      else postings.set(term, [{ at, count }]);
    }
  }
  return { passages, lengths, postings, totalLength: lengths.reduce((sum, length) => sum + length, 0) };
}

function countTerms({ name, path, headings, text }: Passage): { counts: Map<string, number>; length: number } {
  const counts = new Map<string, number>();
  const add = (words: string, weight: number): number => {
    const all = toWords(words);
    for (const word of all) for (const { term } of toTerms(word)) counts.set(term, (counts.get(term) ?? 0) + weight);
    return all.length;
  };
  add(`${name} ${path.replace(/\.\w+$/, "")}`, PATH_WEIGHT);
  for (const heading of headings) add(heading, HEADING_WEIGHT);
  return { counts, length: Math.max(1, add(text, 1)) };
}
