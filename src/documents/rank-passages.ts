import { FRAMING_WEIGHT, isFraming, type Spelling, toQueryTerms, toSpellings } from "../domain/search/terms.ts";
import { allowedTypos, typosBetween } from "../domain/search/typos.ts";
import type { Passage } from "../ports/documents.ts";
import type { PassageIndex } from "./passage-index.ts";

/** As in the search for messages: repeating a word soon adds little, and length counts mildly, within bounds. */
const SATURATION = 0.9;
const LENGTH_WEIGHT = 0.4;
const MIN_LENGTH_SHARE = 1;
const MAX_LENGTH_SHARE = 2;
/** The weight of a word that is abbreviated or mistyped. */
const SHORTENED = 0.4;
const TYPO = 0.6;
const MAX_QUERY_TERMS = 64;
/** Looking for a typo compares with every word there is. */
const MAX_TYPO_WORDS = 3;
const MAX_MEANT = 3;

interface TermMatch {
  readonly term: string;
  readonly weight: number;
}

/**
 * The passages that fit a query, the best first, by BM25. How rare words are, how long passages are and which words a typo may mean comes from these
 * indexes alone: those of the folders that may be heard.
 */
export function rankPassages(query: string, indexes: readonly PassageIndex[], limit: number): Passage[] {
  const terms = toQueryTerms(query).slice(0, MAX_QUERY_TERMS);
  const size = indexes.reduce((sum, { passages }) => sum + passages.length, 0);
  if (terms.length === 0 || size === 0) return [];
  const meanLength = indexes.reduce((sum, { totalLength }) => sum + totalLength, 0) / size;
  const spellings = toSpellings(query);
  const scored = indexes.map((index) => ({ index, scores: new Float64Array(index.passages.length) }));
  let typoWords = 0;
  for (const term of terms) {
    const exact = toMatches(term, spellings.get(term)).filter((match) => occurs(match.term, indexes));
    const isUnknown = exact.length === 0 && typoWords < MAX_TYPO_WORDS;
    if (isUnknown) typoWords += 1;
    const matches = isUnknown ? findMeant(spellings.get(term)?.text ?? term, indexes) : exact;
    addTerm(matches, scored, { size, meanLength, weight: isFraming(term) ? FRAMING_WEIGHT : 1 });
  }
  return pickBest(scored, limit);
}

interface ScoredIndex {
  readonly index: PassageIndex;
  /** By the number of the passage. */
  readonly scores: Float64Array;
}

interface Statistics {
  readonly size: number;
  readonly meanLength: number;
  /** How much the word counts beside its rarity. */
  readonly weight: number;
}

/** Adds what one word of the query is worth. It counts once, however many of its forms a passage has. */
function addTerm(
  matches: readonly TermMatch[],
  scored: readonly ScoredIndex[],
  { size, meanLength, weight: factor }: Statistics,
): void {
  let found = 0;
  const worths = scored.map(({ index, scores }) => {
    const best = new Float64Array(scores.length);
    for (const { term, weight } of matches)
      for (const { at, count } of index.postings.get(term) ?? []) {
        const share = (index.lengths[at] ?? 1) / meanLength;
        const bounded = Math.min(MAX_LENGTH_SHARE, Math.max(MIN_LENGTH_SHARE, share));
        const worth = (count * (SATURATION + 1)) / (count + SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * bounded));
        if (best[at] === 0) found += 1;
        best[at] = Math.max(best[at] ?? 0, weight * worth);
      }
    return { scores, best };
  });
  const idf = Math.log(1 + (size - found + 0.5) / (found + 0.5)) * factor;
  for (const { scores, best } of worths)
    best.forEach((worth, at) => {
      scores[at] = (scores[at] ?? 0) + idf * worth;
    });
}

interface Candidate {
  readonly passage: Passage;
  readonly score: number;
}

/** The best first. Most passages are worse than those that are kept, and are passed over without being sorted. */
function pickBest(scored: readonly ScoredIndex[], limit: number): Passage[] {
  const best: Candidate[] = [];
  for (const { index, scores } of scored)
    for (const [at, passage] of index.passages.entries()) {
      const score = scores[at] ?? 0;
      const last = best.length < limit ? undefined : best.at(-1);
      if (score === 0 || (last && byScore({ passage, score }, last) > 0)) continue;
      if (last) best.pop();
      const place = best.findIndex((one) => byScore({ passage, score }, one) < 0);
      best.splice(place === -1 ? best.length : place, 0, { passage, score });
    }
  return best.map(({ passage }) => passage);
}

function byScore(a: Candidate, b: Candidate): number {
  return b.score - a.score || compare(a.passage, b.passage);
}

/** The word itself, its other forms, and how it is written short or in full. */
function toMatches(term: string, spelling: Spelling | undefined): TermMatch[] {
  const weights = new Map<string, number>();
  for (const each of [...(spelling?.shortened ?? []), ...(spelling?.joined ?? [])]) weights.set(each, SHORTENED);
  for (const each of [term, ...(spelling?.forms ?? [])]) weights.set(each, 1);
  return [...weights].map(([each, weight]) => ({ term: each, weight }));
}

function occurs(term: string, indexes: readonly PassageIndex[]): boolean {
  return indexes.some(({ postings }) => postings.has(term));
}

/** The closest words that what was typed may mean. */
function findMeant(typed: string, indexes: readonly PassageIndex[]): TermMatch[] {
  const most = allowedTypos(typed);
  if (most === 0) return [];
  const distances = new Map<string, number>();
  for (const { postings } of indexes)
    for (const term of postings.keys()) {
      const distance = distances.has(term) ? null : typosBetween(typed, term, most);
      if (distance !== null) distances.set(term, distance);
    }
  return [...distances]
    .sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
    .slice(0, MAX_MEANT)
    .map(([term, distance]) => ({ term, weight: TYPO ** distance }));
}

function compare(a: Passage, b: Passage): number {
  const key = ({ name, path }: Passage) => `${name}\0${path}`;
  if (key(a) !== key(b)) return key(a) < key(b) ? -1 : 1;
  return a.firstLine - b.firstLine || (a.ref < b.ref ? -1 : 1);
}
