import { idTime, type MessageId } from "../../domain/ids.ts";
import type { Query } from "../../domain/search/query.ts";
import { toStem } from "../../domain/search/stem.ts";
import { type Spelling, toPhraseTerms, toQueryTerms, toSpellings } from "../../domain/search/terms.ts";
import { COST, type Pacer, type Steps } from "../../domain/steps/pace.ts";
import type { Frame } from "../index/frame.ts";
import { toMark, type Vocabulary } from "../index/vocabulary.ts";
import { toDateSpans, toDateWords } from "./date-words.ts";
import { type SecondsSpan, type Standing, Statistics } from "./statistics.ts";
import { findSimilar } from "./typo-lookup.ts";
import { allowedTypos } from "./typos.ts";

/** A word that was asked for: however it is met, it counts once. */
export interface Sought {
  readonly variants: readonly Variant[];
  /** How telling it is. */
  readonly weight: number;
}

/** A time that was spoken of: what was said then counts more. */
interface SoughtTime {
  readonly spans: readonly SecondsSpan[];
  readonly weight: number;
}

export interface Plan {
  /** The most telling first. */
  readonly sought: readonly Sought[];
  readonly times: readonly SoughtTime[];
  /** Of each at least one is needed. */
  readonly needed: readonly (readonly number[])[];
  readonly unwanted: readonly number[];
  readonly averageLength: number;
}

/** Frames count their seconds from here. */
const EPOCH = idTime("0" as MessageId);
/** The number of a term that occurs nowhere. */
const NOWHERE = -1;

/** Of a query that has more, the most telling words count. */
const MAX_WORDS = 64;
/** So many words of a query, the rarest, are also looked for with typos. */
const MAX_TYPO_WORDS = 12;

export interface PlanDeps {
  readonly vocabulary: Vocabulary;
  readonly pacer: Pacer;
}

/** What to look for, and how much each part of it counts among the messages of these frames. */
export function* toPlan(query: Query, frames: readonly Frame[], { vocabulary, pacer }: PlanDeps): Steps<Plan> {
  const statistics = new Statistics(frames);
  const words = yield* toSought(query, { vocabulary, statistics, frames, pacer });
  const times = spansIn(query.text, statistics.span);
  return {
    sought: words,
    times: times.map((spans) => ({ spans, weight: statistics.telling(statistics.countWithin(spans)) })),
    ...toConditions(query, (term) => vocabulary.find(term) ?? NOWHERE),
    averageLength: statistics.averageLength,
  };
}

/** The most telling first. */
function* toSought(query: Query, known: Parameters<typeof findExact>[2]): Steps<Sought[]> {
  const { statistics, pacer } = known;
  const texts = [query.text, ...query.phrases];
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const spellings = new Map(texts.flatMap((text) => [...toSpellings(text)]));
  const stems = new Set(texts.flatMap(toQueryTerms));
  if (pacer.spend(2 * COST.character * length)) yield;
  const words: ExactWord[] = [];
  for (const stem of stems) words.push(yield* findExact(stem, spellings.get(stem), known));
  const rarest = words
    .filter(isRare)
    .sort((a, b) => a.count - b.count)
    .slice(0, MAX_TYPO_WORDS);
  const rare = new Set(rarest);
  const sought: Sought[] = [];
  for (const word of words) {
    const variants = rare.has(word) ? yield* findVariants(word, known) : word.variants;
    sought.push({ variants, weight: statistics.telling(variants.reduce((sum, { count }) => sum + count, 0)) });
  }
  const met = sought.filter(({ variants }) => variants.length > 0);
  // A query of words that nobody used finds nothing; one without words finds everything.
  return (met.length > 0 ? met : sought.slice(0, 1)).sort((a, b) => b.weight - a.weight).slice(0, MAX_WORDS);
}

/** A word that is one term in the index: whether a message has it need not be read. */
export function isOneTerm(word: string): boolean {
  return toPhraseTerms(word).length === 1;
}

function toConditions(query: Query, numberOf: (term: string) => number): Pick<Plan, "needed" | "unwanted"> {
  const { phrases, from, mentions, has, not } = query;
  const anyOf = (marks: readonly string[]) => (marks.length === 0 ? [] : [marks.map(numberOf)]);
  const unwanted = [
    ...not.words.filter(isOneTerm).flatMap(toPhraseTerms),
    ...not.from.map((id) => toMark("from", id)),
    ...not.mentions.map((id) => toMark("mentions", id)),
    ...not.has.map((kind) => toMark("has", kind)),
  ];
  return {
    needed: [
      ...phrases.flatMap(toPhraseTerms).map((term) => [numberOf(term)]),
      ...anyOf(from.map((id) => toMark("from", id))),
      ...anyOf(mentions.map((id) => toMark("mentions", id))),
      ...has.map((kind) => [numberOf(toMark("has", kind))]),
    ],
    unwanted: unwanted.map(numberOf),
  };
}

/** The times that a text speaks of, within the span of all messages. */
function spansIn(text: string, all: SecondsSpan | null): SecondsSpan[][] {
  if (!all) return [];
  const yearOf = (seconds: number) => new Date(EPOCH + seconds * 1000).getUTCFullYear();
  const years = { from: yearOf(all.from), to: yearOf(all.to) };
  const toSeconds = (time: number) => (time - EPOCH) / 1000;
  return toDateWords(text)
    .map((date) => toDateSpans(date, years).map(({ from, to }) => ({ from: toSeconds(from), to: toSeconds(to) })))
    .filter((spans) => spans.length > 0);
}

/** A term by which a word may be met, and how much that counts. */
interface Variant extends Standing {
  readonly weight: number;
}

/** A word that fewer messages have may be a typo, or one of several forms. */
const RARE = 3;
const MAX_VARIANTS = 8;
/** Of so many that come close, the most common are taken. */
const MAX_COMPARED = 24;
const MIN_HALF_LENGTH = 3;

interface Known {
  readonly vocabulary: Vocabulary;
  readonly statistics: Statistics;
  readonly frames: readonly Frame[];
  readonly pacer: Pacer;
}

/** A word of the query, and the terms by which it is met for certain. */
interface ExactWord {
  readonly stem: string;
  readonly spelling: Spelling | undefined;
  readonly variants: readonly Variant[];
  /** How many messages have the word itself. */
  readonly count: number;
}

/** The word itself, and what it makes together with the word beside it. A term that no message looked at has is as good as unknown. */
function* findExact(stem: string, spelling: Spelling | undefined, known: Known): Steps<ExactWord> {
  const exact = yield* occurring([stem], 1, known);
  const joined = yield* occurring(spelling?.joined ?? [], 1, known);
  return { stem, spelling, variants: [...exact, ...joined], count: exact[0]?.count ?? 0 };
}

/** So few have it that it may be a typo, or one of several forms. */
function isRare({ count, spelling }: ExactWord): boolean {
  return count < RARE && spelling !== undefined;
}

/** Of a rare word, also what begins with it and what it may be a typo of, or else its halves. */
function* findVariants(word: ExactWord, known: Known): Steps<readonly Variant[]> {
  const { stem, spelling, variants } = word;
  if (!spelling) return variants;
  const similar = yield* similarTo(stem, spelling.text, known);
  const all = [...variants, ...similar];
  return all.length > 0 ? all : yield* halvesOf(spelling.text, known);
}

function* occurring(
  terms: readonly string[],
  weight: number,
  { vocabulary, statistics, pacer }: Known,
): Steps<Variant[]> {
  const found: Variant[] = [];
  for (const term of terms) {
    const number = vocabulary.find(term);
    const standing = number === undefined ? null : statistics.find(number);
    if (standing && standing.count > 0) found.push({ ...standing, weight });
    if (pacer.spend(statistics.findCost)) yield;
  }
  return found;
}

function* similarTo(stem: string, spelling: string, known: Known): Steps<Variant[]> {
  const { frames, statistics, pacer } = known;
  const typed = { stem, spelling, maxTypos: allowedTypos(spelling) };
  const found: Variant[] = [];
  for (const { number, distance } of yield* findSimilar(typed, { frames, most: MAX_COMPARED }, known)) {
    found.push({ ...statistics.find(number), weight: 1 / (1 + distance) });
    if (pacer.spend(statistics.findCost)) yield;
  }
  return found.sort((a, b) => b.weight - a.weight || b.count - a.count).slice(0, MAX_VARIANTS);
}

/** "screenshot" where others write "screen shot". */
function* halvesOf(spelling: string, known: Known): Steps<Variant[]> {
  const { vocabulary } = known;
  for (let at = MIN_HALF_LENGTH; at <= spelling.length - MIN_HALF_LENGTH; at += 1) {
    const terms = [toStem(spelling.slice(0, at)), toStem(spelling.slice(at))];
    if (terms.some((term) => vocabulary.find(term) === undefined)) continue;
    const halves = yield* occurring(terms, 1 / 2, known);
    if (halves.length === 2) return halves;
  }
  return [];
}
