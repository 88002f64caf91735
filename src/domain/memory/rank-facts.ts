import { toQueryTerms, toTerms, toWords } from "../search/terms.ts";
import type { Fact } from "./fact.ts";

/** As in search: how fast a word's weight saturates, and how much the length of a text matters. */
const K1 = 1.2;
const B = 0.3;
/** A word in the name of a key says more than one in a value. */
const NAME_WEIGHT = 2;

/** A fact, or something else with a name and a value. */
export type Rankable = Pick<Fact, "id" | "name" | "value" | "createdAt">;

/**
 * The facts that fit a query, the best first, by BM25. Its statistics come from these facts alone: what may not be heard here must change neither
 * order nor choice.
 */
export function rankFacts<Item extends Rankable>(query: string, facts: readonly Item[]): Item[] {
  const wanted = toQueryTerms(query);
  if (wanted.length === 0) return [];
  const documents = facts.map((fact) => ({ fact, ...countTerms(fact) }));
  const meanLength = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);
  const scores = new Map<Item, number>();
  for (const term of wanted) {
    const holders = documents.filter(({ counts }) => counts.has(term));
    const idf = Math.log(1 + (documents.length - holders.length + 0.5) / (holders.length + 0.5));
    for (const { fact, counts, length } of holders) {
      const count = counts.get(term) ?? 0;
      const weight = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / Math.max(1, meanLength)));
      scores.set(fact, (scores.get(fact) ?? 0) + idf * weight);
    }
  }
  const byScore = ([a, x]: [Item, number], [b, y]: [Item, number]) =>
    y - x || b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1);
  return [...scores].sort(byScore).map(([fact]) => fact);
}

interface Counted {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/** Splitting and stemming takes most of the time, and a fact never changes. */
const counted = new WeakMap<Rankable, Counted>();

function countTerms(fact: Rankable): Counted {
  const known = counted.get(fact) ?? count(fact);
  counted.set(fact, known);
  return known;
}

function count({ name, value }: Rankable): Counted {
  const counts = new Map<string, number>();
  let length = 0;
  const add = (text: string, weight: number) => {
    for (const word of toWords(text)) {
      length += 1;
      for (const { term } of toTerms(word)) counts.set(term, (counts.get(term) ?? 0) + weight);
    }
  };
  add(name, NAME_WEIGHT);
  add(typeof value === "string" ? value : JSON.stringify(value), 1);
  return { counts, length };
}
