import { toDateSpans, toDateWords } from "../../domain/date-words.ts";
import { idTime, type MessageId } from "../../domain/ids.ts";
import type { Query } from "../../domain/query.ts";
import { toPhraseTerms, toQueryTerms, toSpellings } from "../../domain/terms.ts";
import { forgivenSlips } from "../../domain/typing-slips.ts";
import { findEntries, positionOf } from "./block.ts";
import type { Frame } from "./frame.ts";
import { toMark, type Vocabulary } from "./vocabulary.ts";

/** A term by which a word may be met, and how much that counts. */
interface Variant {
  readonly number: number;
  readonly weight: number;
}

/** A word that was asked for: however it is met, it counts once. */
export interface Sought {
  readonly variants: readonly Variant[];
  /** How telling it is: the rarer, the more. */
  readonly idf: number;
}

/** A time that was spoken of: what was said then counts more. */
export interface SoughtTime {
  /** Seconds, as frames count them; without the end. */
  readonly spans: readonly { readonly from: number; readonly to: number }[];
  readonly idf: number;
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

/** A word that so few messages have may be a slip, or one of several forms. */
const RARE = 3;
const MOST_VARIANTS = 16;
/** Frames count their seconds from here. */
const EPOCH = idTime("0" as MessageId);

/**
 * What to look for, and how much each word counts. All numbers are taken from the frames given: the vocabulary holds other channels' words
 * too, so a term that does not occur in these frames is as good as unknown.
 */
export function toPlan(query: Query, frames: readonly Frame[], vocabulary: Vocabulary): Plan {
  const size = frames.reduce((sum, frame) => sum + frame.size, 0);
  const totalLength = frames.reduce((sum, frame) => sum + frame.totalLength, 0);
  const frequency = (number: number | undefined) => (number === undefined ? 0 : countMessages(frames, number));
  const idfOf = (count: number) => Math.log(1 + (size - count + 0.5) / (count + 0.5));
  const text = [query.text, ...query.phrases].join("\n");
  const spellings = toSpellings(text);
  const seek = (stem: string): Sought => {
    const number = vocabulary.find(stem);
    const count = frequency(number);
    const exact = number === undefined || count === 0 ? [] : [{ number, weight: 1, count }];
    const close = count < RARE ? similarTo(stem, spellings.get(stem)) : [];
    const variants = [...exact, ...close];
    const total = variants.reduce((sum, variant) => sum + variant.count, 0);
    return { variants, idf: idfOf(Math.min(size, total)) };
  };
  const similarTo = (stem: string, spelling: string | undefined) => {
    if (spelling === undefined) return [];
    const found = vocabulary
      .similar(stem, spelling, forgivenSlips(spelling))
      .map(({ number, distance }) => ({ number, weight: 1 / (1 + distance), count: frequency(number) }));
    return found
      .filter(({ count }) => count > 0)
      .sort(
        (a, b) =>
          b.weight - a.weight || b.count - a.count || compare(vocabulary.term(a.number), vocabulary.term(b.number)),
      )
      .slice(0, MOST_VARIANTS);
  };
  const seekTime = (spans: SoughtTime["spans"]): SoughtTime => ({ spans, idf: idfOf(countWithin(frames, spans)) });
  const numberOf = (term: string) => vocabulary.find(term) ?? -1;
  const anyOf = (marks: readonly string[]) => (marks.length === 0 ? [] : [marks.map(numberOf)]);
  return {
    sought: [...new Set([query.text, ...query.phrases].flatMap(toQueryTerms))].map(seek).sort((a, b) => b.idf - a.idf),
    times: spansIn(query.text, frames).map(seekTime),
    needed: [
      ...query.phrases.flatMap(toPhraseTerms).map((term) => [numberOf(term)]),
      ...anyOf(query.from.map((id) => toMark("from", id))),
      ...anyOf(query.mentions.map((id) => toMark("mentions", id))),
      ...query.has.map((kind) => [numberOf(toMark("has", kind))]),
    ],
    unwanted: [
      ...query.not.words.flatMap((word) => toPhraseTerms(word).slice(0, 1)),
      ...query.not.from.map((id) => toMark("from", id)),
      ...query.not.mentions.map((id) => toMark("mentions", id)),
      ...query.not.has.map((kind) => toMark("has", kind)),
    ].map(numberOf),
    averageLength: Math.max(1, totalLength / Math.max(1, size)),
  };
}

/** How many of the frames' messages have the term. */
function countMessages(frames: readonly Frame[], term: number): number {
  let count = 0;
  for (const { parts } of frames) {
    for (const { block, from, to } of parts) {
      const entries = findEntries(block, term);
      if (from === 0 && to === block.ids.length) count += entries.to - entries.from;
      else
        for (let index = entries.from; index < entries.to; index += 1) {
          const position = positionOf(block.entries[index] ?? 0);
          if (position >= from && position < to) count += 1;
        }
    }
  }
  return count;
}

/** The times that a text speaks of, within those of the frames. */
function spansIn(text: string, frames: readonly Frame[]): SoughtTime["spans"][] {
  const filled = frames.filter(({ size }) => size > 0);
  const yearOf = (seconds: number | undefined) => new Date(EPOCH + (seconds ?? 0) * 1000).getUTCFullYear();
  const years = {
    from: Math.min(...filled.map(({ times }) => yearOf(times[0]))),
    to: Math.max(...filled.map(({ times }) => yearOf(times.at(-1)))),
  };
  const toSeconds = (time: number) => (time - EPOCH) / 1000;
  return toDateWords(text)
    .map((date) => toDateSpans(date, years).map(({ from, to }) => ({ from: toSeconds(from), to: toSeconds(to) })))
    .filter((spans) => spans.length > 0);
}

function countWithin(frames: readonly Frame[], spans: SoughtTime["spans"]): number {
  let count = 0;
  for (const { times } of frames) for (const { from, to } of spans) count += rankOf(times, to) - rankOf(times, from);
  return count;
}

function rankOf(times: Uint32Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
