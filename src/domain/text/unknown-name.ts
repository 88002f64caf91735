import { EarshotError } from "../errors.ts";
import { editDistance } from "./edit-distance.ts";
import { singleLine } from "./escape.ts";

interface UnknownName {
  /** The kind of the unknown name, such as "tool". */
  readonly kind: string;
  readonly typed: string;
  /** The existing names, as far as the caller may know them. */
  readonly known: Iterable<string>;
  /** The place that lists the names, such as "`rpc.describe` lists the methods". */
  readonly list: string;
}

const MAX_TYPED_LENGTH = 100;
const MAX_CANDIDATES = 3;
/** Maximum edits in a whole name; more would make any two names with the same first part alike. */
const MAX_EDITS = 2;

/** `not_found` for an unknown name, with the names that may have been meant. */
export function unknownName({ kind, typed, known, list }: UnknownName): EarshotError {
  const shown = `\`${singleLine(typed.slice(0, MAX_TYPED_LENGTH)).replaceAll("`", "'")}\``;
  const candidates = nearestNames(typed, known).map((name) => ({ name }));
  const next = candidates[0] ? `did you mean \`${candidates[0].name}\`?` : `${list}.`;
  return new EarshotError("not_found", `There is no ${kind} ${shown}; ${next}`, candidates[0] && { candidates });
}

/** The names that may have been meant, the closest first; at most three. */
export function nearestNames(typed: string, known: Iterable<string>): string[] {
  return [...known]
    .map((name) => ({ name, distance: distanceOf(typed.slice(0, MAX_TYPED_LENGTH), name) }))
    .filter(({ distance }) => distance !== Number.POSITIVE_INFINITY)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_CANDIDATES)
    .map(({ name }) => name);
}

/** By the whole name, or by its words: `serach` is close to `search_messages`. Infinite for names that are not alike. */
function distanceOf(typed: string, name: string): number {
  const [ours, theirs] = [wordsOf(typed), wordsOf(name)];
  if (ours.length === 0) return Number.POSITIVE_INFINITY;
  const [typedName, knownName] = [ours.join("_"), theirs.join("_")];
  const whole = distanceWithin(typedName, knownName, Math.min(MAX_EDITS, Math.floor(knownName.length / 2)));
  const byWords = ours.reduce((sum, word) => sum + Math.min(...theirs.map((other) => wordDistance(word, other))), 0);
  // A word that was not typed counts less than any misspelling.
  return Math.min(whole, byWords + Math.abs(theirs.length - ours.length) / 100 + 0.5);
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** One edit per three letters is a typo; more edits make another word. */
function wordDistance(a: string, b: string): number {
  return distanceWithin(a, b, Math.floor(Math.max(a.length, b.length) / 3));
}

function distanceWithin(a: string, b: string, maxEdits: number): number {
  const distance = editDistance(a, b, maxEdits);
  return distance <= maxEdits ? distance : Number.POSITIVE_INFINITY;
}
