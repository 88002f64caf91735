import { toStem } from "../../domain/search/stem.ts";
import type { Spelling } from "../../domain/search/terms.ts";
import { forgivenSlips } from "../../domain/search/typing-slips.ts";
import type { Standing, Statistics } from "./statistics.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** A term by which a word may be met, and how much that counts. */
export interface Variant extends Standing {
  readonly weight: number;
}

/** A word that so few messages have may be a slip, or one of several forms. */
const RARE = 3;
const MOST_VARIANTS = 8;
/** Of so many that come close, the most common are taken. */
const MOST_COMPARED = 24;
const SHORTEST_HALF = 3;

interface Known {
  readonly vocabulary: Vocabulary;
  readonly statistics: Statistics;
}

/**
 * The terms by which a word may be met: the word itself, what it makes together with the word beside it, and, where it is rare, what begins with
 * it and what it may be a slip of, or else its halves. A term that does not occur among the messages looked at is as good as unknown.
 */
export function toVariants(stem: string, spelling: Spelling | undefined, known: Known): Variant[] {
  const exact = occurring([stem], 1, known);
  const joined = occurring(spelling?.joined ?? [], 1, known);
  const isRare = (exact[0]?.count ?? 0) < RARE;
  const similar = isRare && spelling ? similarTo(stem, spelling.text, known) : [];
  const all = [...exact, ...joined, ...similar];
  return all.length > 0 || !spelling ? all : halvesOf(spelling.text, known);
}

function occurring(terms: readonly string[], weight: number, { vocabulary, statistics }: Known): Variant[] {
  return terms.flatMap((term) => {
    const number = vocabulary.find(term);
    const standing = number === undefined ? null : statistics.find(number);
    return standing === null || standing.count === 0 ? [] : [{ ...standing, weight }];
  });
}

function similarTo(stem: string, spelling: string, { vocabulary, statistics }: Known): Variant[] {
  const similar = vocabulary
    .similar(stem, spelling, forgivenSlips(spelling))
    .map(({ number, distance }) => ({ number, distance, term: vocabulary.term(number) }))
    .sort((a, b) => a.distance - b.distance || a.term.length - b.term.length || (a.term < b.term ? -1 : 1));
  const found: Variant[] = [];
  for (const { number, distance } of similar) {
    if (found.length === MOST_COMPARED) break;
    const standing = statistics.find(number);
    if (standing.count > 0) found.push({ ...standing, weight: 1 / (1 + distance) });
  }
  return found.sort((a, b) => b.weight - a.weight || b.count - a.count).slice(0, MOST_VARIANTS);
}

/** "screenshot" where others write "screen shot". */
function halvesOf(spelling: string, known: Known): Variant[] {
  for (let at = SHORTEST_HALF; at <= spelling.length - SHORTEST_HALF; at += 1) {
    const halves = occurring([toStem(spelling.slice(0, at)), toStem(spelling.slice(at))], 1 / 2, known);
    if (halves.length === 2) return halves;
  }
  return [];
}
