import { FEATURE_COUNT } from "./feature-rows.ts";

/** The features that are not 0. One list is used again and again: whoever describes something adds to it. */
export interface Traits {
  /** Those that simply hold, as bits; in each number those of so many features in a row. */
  readonly marks: Uint8Array;
  /** Those that hold more or less, and how much. */
  readonly features: Int32Array;
  readonly values: Float64Array;
  count: number;
}

/** Shifts and not divisions, because every pair of posts is marked many times. */
const GROUP_BITS = 3;
export const MARKS_PER_GROUP = 1 << GROUP_BITS;

export function noTraits(): Traits {
  return {
    marks: new Uint8Array(Math.ceil(FEATURE_COUNT / MARKS_PER_GROUP)),
    features: new Int32Array(FEATURE_COUNT),
    values: new Float64Array(FEATURE_COUNT),
    count: 0,
  };
}

export function clearTraits(traits: Traits): void {
  for (let group = 0; group < traits.marks.length; group += 1) traits.marks[group] = 0;
  traits.count = 0;
}

/** At most once for each feature. */
export function addTrait(traits: Traits, feature: number, value: number): void {
  traits.features[traits.count] = feature;
  traits.values[traits.count] = value;
  traits.count += 1;
}

export function markTrait({ marks }: Traits, feature: number, holds: boolean): void {
  if (!holds) return;
  const group = feature >> GROUP_BITS;
  marks[group] = (marks[group] ?? 0) | (1 << (feature & (MARKS_PER_GROUP - 1)));
}

export function isMarked({ marks }: Traits, feature: number): boolean {
  const group = marks[feature >> GROUP_BITS] ?? 0;
  return (group & (1 << (feature & (MARKS_PER_GROUP - 1)))) !== 0;
}
