import { toStem } from "../../domain/search/stem.ts";
import type { Spelling } from "../../domain/search/terms.ts";
import type { Pacer, Steps } from "../../domain/steps/pace.ts";
import type { Frame } from "../index/frame.ts";
import type { Vocabulary } from "../index/vocabulary.ts";
import type { Standing, Statistics } from "./statistics.ts";
import { findSimilar } from "./typo-lookup.ts";
import { allowedTypos } from "./typos.ts";

/** A term by which a word may be met, and how much that counts. */
export interface Variant extends Standing {
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
export interface ExactWord {
  readonly stem: string;
  readonly spelling: Spelling | undefined;
  readonly variants: readonly Variant[];
  /** How many messages have the word itself. */
  readonly count: number;
}

/** The word itself, and what it makes together with the word beside it. A term that no message looked at has is as good as unknown. */
export function* findExact(stem: string, spelling: Spelling | undefined, known: Known): Steps<ExactWord> {
  const exact = yield* occurring([stem], 1, known);
  const joined = yield* occurring(spelling?.joined ?? [], 1, known);
  return { stem, spelling, variants: [...exact, ...joined], count: exact[0]?.count ?? 0 };
}

/** So few have it that it may be a typo, or one of several forms. */
export function isRare({ count, spelling }: ExactWord): boolean {
  return count < RARE && spelling !== undefined;
}

/** Of a rare word, also what begins with it and what it may be a typo of, or else its halves. */
export function* findVariants(word: ExactWord, known: Known): Steps<readonly Variant[]> {
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
