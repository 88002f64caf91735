import { toQueryTerms, toTerms, toWords } from "../search/terms.ts";
import { COST, type Pacer, type Steps } from "../steps/pace.ts";
import type { Fact } from "./fact.ts";

/** BM25 parameters, as in search: how fast a word's weight saturates, and how much the length of a text matters. */
const K1 = 1.2;
const B = 0.3;
/** A word in a fact's name weighs more than one in its value. */
const NAME_WEIGHT = 2;
/** The cost of counting a term for the first time. */
const UNITS_PER_TERM = 20;

export type Rankable = Pick<Fact, "id" | "name" | "value" | "createdAt">;

/**
 * The facts that match a query, the best first, by BM25. Its statistics come from these facts alone, because facts outside the caller's
 * audience must not influence order or choice.
 */
export function* rankFacts<Item extends Rankable>(query: string, facts: readonly Item[], pacer: Pacer): Steps<Item[]> {
  const wanted = toQueryTerms(query);
  if (wanted.length === 0) return [];
  const holders = new Map(wanted.map((term) => [term, 0]));
  let totalLength = 0;
  for (const fact of facts) {
    const isNew = !counted.has(fact);
    const { counts, length } = countTerms(fact);
    totalLength += length;
    for (const term of holders.keys()) if (counts.has(term)) holders.set(term, (holders.get(term) ?? 0) + 1);
    const units = isNew ? UNITS_PER_TERM * counts.size + COST.character * (fact.name.length + textOf(fact).length) : 0;
    if (pacer.spend(wanted.length + units)) yield;
  }
  const meanLength = Math.max(1, totalLength / Math.max(1, facts.length));
  const weighted = wanted.map((term) => {
    const having = holders.get(term) ?? 0;
    return { term, idf: Math.log(1 + (facts.length - having + 0.5) / (having + 0.5)) };
  });
  const scored: { readonly fact: Item; readonly score: number }[] = [];
  for (const fact of facts) {
    const { counts, length } = countTerms(fact);
    const damping = K1 * (1 - B + (B * length) / meanLength);
    let score = 0;
    for (const { term, idf } of weighted) {
      const count = counts.get(term) ?? 0;
      score += (idf * count * (K1 + 1)) / (count + damping);
    }
    if (score > 0) scored.push({ fact, score });
    if (pacer.spend(wanted.length)) yield;
  }
  return scored
    .sort((a, b) => b.score - a.score || b.fact.createdAt - a.fact.createdAt || (a.fact.id < b.fact.id ? -1 : 1))
    .map(({ fact }) => fact);
}

interface Counted {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/** Cached, because splitting and stemming takes most of the time, and facts never change. */
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
