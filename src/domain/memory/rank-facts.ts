import { toQueryTerms, toTerms, toWords } from "../search/terms.ts";
import { COST, type Pacer, runAtOnce, type Steps, UNPACED } from "../steps/pace.ts";
import type { Fact } from "./fact.ts";

/** As in search: how fast a word's weight saturates, and how much the length of a text matters. */
const K1 = 1.2;
const B = 0.3;
/** A word in the name of a key says more than one in a value. */
const NAME_WEIGHT = 2;
/** The cost of entering a term into an index. */
const UNITS_PER_TERM = 20;

/** A fact, or something else with a name and a value. */
export type Rankable = Pick<Fact, "id" | "name" | "value" | "createdAt">;

/**
 * The facts that fit a query, the best first, by BM25. Its statistics come from these facts alone, without those that are left out: what may not be heard
 * here must change neither order nor choice. No fact may be in two of the lists.
 */
export function rankFacts<Item extends Rankable>(
  query: string,
  lists: readonly (readonly Item[])[],
  leftOut: ReadonlySet<Item> = new Set(),
): Item[] {
  const wanted = toQueryTerms(query);
  if (wanted.length === 0) return [];
  const indexes = lists.map((facts) => ({ facts, ...toIndex(facts), scores: new Map<number, number>() }));
  let [size, totalLength] = [0, 0];
  for (const { facts, total } of indexes) [size, totalLength] = [size + facts.length, totalLength + total];
  for (const fact of leftOut) [size, totalLength] = [size - 1, totalLength - countTerms(fact).length];
  const meanLength = Math.max(1, totalLength / Math.max(1, size));
  for (const term of wanted) {
    const found = indexes.map(({ facts, postings }) =>
      (postings.get(term) ?? []).filter(({ at }) => !leftOut.has(facts[at] as Item)),
    );
    const holders = found.reduce((sum, { length }) => sum + length, 0);
    const idf = Math.log(1 + (size - holders + 0.5) / (holders + 0.5));
    for (const [list, { lengths, scores }] of indexes.entries())
      for (const { at, count } of found[list] ?? []) {
        const weight = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * (lengths[at] ?? 0)) / meanLength));
        scores.set(at, (scores.get(at) ?? 0) + idf * weight);
      }
  }
  const scored = indexes.flatMap(({ facts, scores }) => [...scores].map(([at, score]) => ({ fact: facts[at], score })));
  return scored
    .flatMap(({ fact, score }) => (fact ? [{ fact, score }] : []))
    .sort((a, b) => b.score - a.score || b.fact.createdAt - a.fact.createdAt || (a.fact.id < b.fact.id ? -1 : 1))
    .map(({ fact }) => fact);
}

interface Posting {
  /** Which fact of the list. */
  readonly at: number;
  readonly count: number;
}

/** A list of facts by the terms in them. */
interface FactIndex {
  readonly postings: ReadonlyMap<string, readonly Posting[]>;
  /** How many words each fact has. */
  readonly lengths: readonly number[];
  readonly total: number;
}

/** Lists of facts never change, and the same ones are searched again and again. */
const indexes = new WeakMap<readonly Rankable[], FactIndex>();

/** Does what takes longest in `rankFacts` beforehand, in steps. */
export function* indexFacts(facts: readonly Rankable[], pacer: Pacer): Steps<void> {
  if (!indexes.has(facts)) indexes.set(facts, yield* makeIndex(facts, pacer));
}

function toIndex(facts: readonly Rankable[]): FactIndex {
  const known = indexes.get(facts) ?? runAtOnce(makeIndex(facts, UNPACED));
  indexes.set(facts, known);
  return known;
}

function* makeIndex(facts: readonly Rankable[], pacer: Pacer): Steps<FactIndex> {
  const postings = new Map<string, Posting[]>();
  const lengths: number[] = [];
  let total = 0;
  for (const [at, fact] of facts.entries()) {
    const isNew = !counted.has(fact);
    const { counts, length } = countTerms(fact);
    const units =
      UNITS_PER_TERM * counts.size + (isNew ? COST.character * (fact.name.length + textOf(fact).length) : 0);
    if (pacer.spend(units)) yield;
    lengths.push(length);
    total += length;
    for (const [term, count] of counts) {
      const known = postings.get(term);
      if (known) known.push({ at, count });
      else postings.set(term, [{ at, count }]);
    }
  }
  return { postings, lengths, total };
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

function textOf({ value }: Rankable): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function count(fact: Rankable): Counted {
  const counts = new Map<string, number>();
  let length = 0;
  const add = (text: string, weight: number) => {
    for (const word of toWords(text)) {
      length += 1;
      for (const { term } of toTerms(word)) counts.set(term, (counts.get(term) ?? 0) + weight);
    }
  };
  add(fact.name, NAME_WEIGHT);
  add(textOf(fact), 1);
  return { counts, length };
}
