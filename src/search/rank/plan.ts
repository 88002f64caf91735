import { idTime, type MessageId } from "../../domain/ids.ts";
import type { Query } from "../../domain/search/query.ts";
import { FRAMING_WEIGHT, type Spelling, toPhraseTerms } from "../../domain/search/terms.ts";
import { allowedTypos } from "../../domain/search/typos.ts";
import { COST, type Pacer, type Steps } from "../../domain/steps/pace.ts";
import type { Frame } from "../index/frame.ts";
import { TELLS_TIME } from "../index/message-terms.ts";
import { toMark, type Vocabulary } from "../index/vocabulary.ts";
import { type DateWords, toDateSpans } from "./date-words.ts";
import type { Guesses, QueryReader, QueryText } from "./query-reader.ts";
import { type SecondsSpan, Statistics, type TermPostings } from "./statistics.ts";
import { findSimilar, ownWords, type Typed } from "./typo-lookup.ts";

/** A word of the query: however many terms match it, it counts once. */
export interface QueryWord {
  readonly matches: readonly TermMatch[];
  /** Its inverse document frequency. */
  readonly weight: number;
}

/** A time that the query mentions: what was said then counts more. */
interface QueryTime {
  readonly spans: readonly SecondsSpan[];
  readonly weight: number;
}

export interface Plan {
  /** The rarest, which say most, first. */
  readonly words: readonly QueryWord[];
  readonly times: readonly QueryTime[];
  /** Messages by a person whom the query names. */
  readonly named: QueryWord["matches"];
  /** Messages that end in a question. */
  readonly asking: QueryWord["matches"];
  /** Messages of which one sentence asks something. */
  readonly askingWithin: QueryWord["matches"];
  /** Messages that tell a time, if the query asks for one. */
  readonly timed: QueryWord["matches"];
  /** How many words the query has, met or not. */
  readonly wordCount: number;
  /** At least one of each list is needed. */
  readonly needed: readonly (readonly number[])[];
  readonly unwanted: readonly number[];
  readonly averageLength: number;
}

/** Frames count their seconds from here. */
const EPOCH = idTime("0" as MessageId);
/** The number of a term that occurs nowhere. */
const NOWHERE = -1;

/** If a query has more, the rarest words count. */
const MAX_WORDS = 64;
/** How many words of a query, the rarest, are also looked for with typos. */
const MAX_TYPO_WORDS = 12;

export interface PlanDeps {
  readonly queries: QueryReader;
  readonly vocabulary: Vocabulary;
  readonly pacer: Pacer;
}

/** The search terms and their weights among the messages of these frames. */
export function* toPlan(query: Query, frames: readonly Frame[], { queries, vocabulary, pacer }: PlanDeps): Steps<Plan> {
  const statistics = new Statistics(frames);
  const known = { vocabulary, statistics, frames, pacer };
  const typed = queries.read(query);
  if (pacer.spend(2 * COST.character * typed.length)) yield;
  const words = yield* toQueryWords(typed, known);
  const times = typed.dates.length === 0 ? [] : spansOf(typed.dates, statistics.span);
  return {
    words,
    named: yield* findNamed(typed.stems, known),
    asking: yield* occurring([toMark("asks", "")], 1, known),
    askingWithin: yield* occurring([toMark("asks", "within")], 1, known),
    timed: typed.asksForTime ? yield* occurring([TELLS_TIME], 1, known) : [],
    wordCount: typed.stems.size,
    times: times.map((spans) => ({ spans, weight: statistics.idf(statistics.countWithin(spans)) })),
    ...toConditions(query, (term) => vocabulary.find(term) ?? NOWHERE),
    averageLength: statistics.averageLength,
  };
}

/** The rarest first. */
function* toQueryWords({ stems, framing, spellings, guesses }: QueryText, known: Known): Steps<QueryWord[]> {
  const { statistics } = known;
  const exact: ExactWord[] = [];
  for (const stem of stems) exact.push(yield* findExact(stem, spellings.get(stem), known));
  const rarest = exact
    .filter(isRare)
    .sort((a, b) => a.count - b.count)
    .slice(0, MAX_TYPO_WORDS);
  const rare = new Set(rarest);
  const words = rare.size === 0 ? new Uint32Array() : yield* ownWords(known.frames, known);
  const looked: QueryWord[] = [];
  for (const word of exact) {
    const isLoose = rare.has(word);
    const matches = isLoose ? yield* findLooseMatches(word, guesses.get(word.stem), { ...known, words }) : word.matches;
    looked.push({
      matches,
      weight:
        (framing.has(word.stem) ? FRAMING_WEIGHT : 1) *
        statistics.idf(matches.reduce((sum, { count, weight }) => sum + (weight < 1 && word.count > 0 ? 0 : count), 0)),
    });
  }
  const met = looked.filter(({ matches }) => matches.length > 0);
  // A query without known words finds nothing; one without any words finds everything.
  return (met.length > 0 ? met : looked.slice(0, 1)).sort((a, b) => b.weight - a.weight).slice(0, MAX_WORDS);
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

/** Messages by people whose names are in the query. A name that is mostly used as a word ("linux") is not taken for a name. */
function* findNamed(stems: ReadonlySet<string>, known: Known): Steps<TermMatch[]> {
  const named: TermMatch[] = [];
  for (const stem of stems) {
    const [by] = yield* occurring([toMark("by", stem)], 1, known);
    const [said] = by ? yield* occurring([stem], 1, known) : [];
    if (by && said && by.count >= MIN_NAME_SHARE * said.count) named.push(by);
  }
  return named;
}

/** The times that a text speaks of, within the span of all messages. */
function spansOf(dates: readonly DateWords[], all: SecondsSpan | null): SecondsSpan[][] {
  if (!all) return [];
  const yearOf = (seconds: number) => new Date(EPOCH + seconds * 1000).getUTCFullYear();
  const years = { from: yearOf(all.from), to: yearOf(all.to) };
  const toSeconds = (time: number) => (time - EPOCH) / 1000;
  return dates
    .map((date) => toDateSpans(date, years).map(({ from, to }) => ({ from: toSeconds(from), to: toSeconds(to) })))
    .filter((spans) => spans.length > 0);
}

/** A term by which a word may be met, and how much that counts. */
interface TermMatch extends TermPostings {
  /** The term's number in the vocabulary. */
  readonly number: number;
  readonly weight: number;
}

/** As much of what has a name must be by a person of that name. */
const MIN_NAME_SHARE = 1 / 3;
/** A word that fewer messages have leaves places free for longer words that have it inside. */
const RARE = 10;
const MAX_LOOSE_MATCHES = 8;
/** How many similar terms are compared; the most common of them are taken. */
const MAX_COMPARED = 24;
/** The short form of a word, or the word for its short form, may mean something else. */
const SHORTENED = 0.4;
/** A rare word may be written short by its beginning, unless that is itself a common word. */
const BEGINNING = 1 / 2;
const MAX_BEGINNING_COUNT = 10;

interface Known {
  readonly vocabulary: Vocabulary;
  readonly statistics: Statistics;
  readonly frames: readonly Frame[];
  readonly pacer: Pacer;
}

interface KnownWords extends Known {
  /** All words of the frames. */
  readonly words: Uint32Array;
}

/** A word of the query, and the terms by which it is met for certain. */
interface ExactWord {
  readonly stem: string;
  readonly spelling: Spelling | undefined;
  readonly matches: readonly TermMatch[];
  /** How many messages have the word itself. */
  readonly count: number;
}

/**
 * The word itself, its other forms, its short or full form, and what it makes together with the word beside it. A term that no message looked at
 * has is as good as unknown.
 */
function* findExact(stem: string, spelling: Spelling | undefined, known: Known): Steps<ExactWord> {
  const { joined = [], forms = [], shortened = [] } = spelling ?? {};
  const same = new Set([...joined, ...forms]);
  same.delete(stem);
  const alike = new Set(shortened.filter((term) => term !== stem && !same.has(term)));
  const exact = yield* occurring([stem], 1, known);
  const others = [...(yield* occurring([...same], 1, known)), ...(yield* occurring([...alike], SHORTENED, known))];
  return { stem, spelling, matches: [...exact, ...others], count: exact[0]?.count ?? 0 };
}

/** So few have it that places are left for others. */
function isRare({ count, spelling }: ExactWord): boolean {
  return count < RARE && spelling !== undefined;
}

/** For a rare word, also longer words that contain it; for an unknown word, its likely corrections, or else its halves. */
function* findLooseMatches(
  { stem, spelling, matches }: ExactWord,
  guesses: Guesses | undefined,
  known: KnownWords,
): Steps<readonly TermMatch[]> {
  if (!spelling || !guesses) return matches;
  const maxTypos = matches.length > 0 ? null : allowedTypos(spelling.text);
  const similar = yield* similarTo({ stem, spelling: spelling.text, maxTypos }, known);
  const beginnings = yield* occurring(guesses.beginnings, BEGINNING, known);
  const found = [...matches, ...similar, ...beginnings.filter(({ count }) => count <= MAX_BEGINNING_COUNT)];
  // With others the same term may have been found in two ways.
  const seen = new Set<number>();
  const all = found.filter(({ number }) => !seen.has(number) && seen.add(number));
  return all.length > 0 ? all : yield* halvesOf([...spelling.pairs, ...guesses.halves], known);
}

function* occurring(
  terms: readonly string[],
  weight: number,
  { vocabulary, statistics, pacer }: Known,
): Steps<TermMatch[]> {
  const found: TermMatch[] = [];
  for (const term of terms) {
    const number = vocabulary.find(term);
    const standing = number === undefined ? null : statistics.find(number);
    if (standing && standing.count > 0 && number !== undefined) found.push({ ...standing, number, weight });
    if (pacer.spend(statistics.findCost)) yield;
  }
  return found;
}

function* similarTo(typed: Typed, known: KnownWords): Steps<TermMatch[]> {
  const { words, statistics, pacer } = known;
  const found: TermMatch[] = [];
  for (const { number, distance } of yield* findSimilar(typed, { words, max: MAX_COMPARED }, known)) {
    found.push({ ...statistics.find(number), number, weight: 1 / (1 + distance) });
    if (pacer.spend(statistics.findCost)) yield;
  }
  return found.sort((a, b) => b.weight - a.weight || b.count - a.count).slice(0, MAX_LOOSE_MATCHES);
}

/** "screenshot" where others write "screen shot", "llm" where they write "language model". */
function* halvesOf(pairs: readonly (readonly string[])[], known: Known): Steps<TermMatch[]> {
  for (const pair of pairs) {
    if (pair.some((term) => known.vocabulary.find(term) === undefined)) continue;
    const halves = yield* occurring(pair, 1 / 2, known);
    if (halves.length === 2) return halves;
  }
  return [];
}
