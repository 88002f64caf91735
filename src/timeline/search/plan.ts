import { idTime, type MessageId } from "../../domain/ids.ts";
import { toDateSpans, toDateWords } from "../../domain/search/date-words.ts";
import type { Query } from "../../domain/search/query.ts";
import { toPhraseTerms, toQueryTerms, toSpellings } from "../../domain/search/terms.ts";
import type { Frame } from "./frame.ts";
import { type Span, Statistics } from "./statistics.ts";
import { toVariants, type Variant } from "./variants.ts";
import { toMark, type Vocabulary } from "./vocabulary.ts";

/** A word that was asked for: however it is met, it counts once. */
export interface Sought {
  readonly variants: readonly Variant[];
  /** How telling it is. */
  readonly weight: number;
}

/** A time that was spoken of: what was said then counts more. */
interface SoughtTime {
  readonly spans: readonly Span[];
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

/** What to look for, and how much each part of it counts among the messages of these frames. */
export function toPlan(query: Query, frames: readonly Frame[], vocabulary: Vocabulary): Plan {
  const statistics = new Statistics(frames);
  const texts = [query.text, ...query.phrases];
  const spellings = new Map(texts.flatMap((text) => [...toSpellings(text)]));
  const seek = (stem: string): Sought => {
    const variants = toVariants(stem, spellings.get(stem), { vocabulary, statistics });
    return { variants, weight: statistics.telling(variants.reduce((sum, { count }) => sum + count, 0)) };
  };
  const words = [...new Set(texts.flatMap(toQueryTerms))].map(seek);
  const times = spansIn(query.text, statistics.span);
  return {
    sought: words.sort((a, b) => b.weight - a.weight),
    times: times.map((spans) => ({ spans, weight: statistics.telling(statistics.countWithin(spans)) })),
    ...toConditions(query, (term) => vocabulary.find(term) ?? NOWHERE),
    averageLength: statistics.averageLength,
  };
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
function spansIn(text: string, all: Span | null): Span[][] {
  if (!all) return [];
  const yearOf = (seconds: number) => new Date(EPOCH + seconds * 1000).getUTCFullYear();
  const years = { from: yearOf(all.from), to: yearOf(all.to) };
  const toSeconds = (time: number) => (time - EPOCH) / 1000;
  return toDateWords(text)
    .map((date) => toDateSpans(date, years).map(({ from, to }) => ({ from: toSeconds(from), to: toSeconds(to) })))
    .filter((spans) => spans.length > 0);
}
