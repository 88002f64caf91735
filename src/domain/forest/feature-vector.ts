import { FEATURE_COUNT, FLAG_COUNT } from "./feature-rows.ts";

/** A sparse feature vector. One object is reused for many posts. */
export interface FeatureVector {
  /** Features with the value 1, as bits; one byte for each group of features. */
  readonly flags: Uint8Array;
  /** Features with other values; those with the value 0 are left out. */
  readonly features: Int32Array;
  readonly values: Float64Array;
  count: number;
}

/** For shifts instead of divisions, because many flags are set for every pair of posts. */
const GROUP_BITS = 3;
export const FLAGS_PER_GROUP = 1 << GROUP_BITS;

export function createFeatureVector(): FeatureVector {
  return {
    flags: new Uint8Array(Math.ceil(FLAG_COUNT / FLAGS_PER_GROUP)),
    features: new Int32Array(FEATURE_COUNT),
    values: new Float64Array(FEATURE_COUNT),
    count: 0,
  };
}

/** Call at most once for each feature. */
export function setValue(vector: FeatureVector, feature: number, value: number): void {
  if (value === 0) return;
  vector.features[vector.count] = feature;
  vector.values[vector.count] = value;
  vector.count += 1;
}

export function setFlag({ flags }: FeatureVector, feature: number, value: boolean): void {
  if (!value) return;
  const group = feature >> GROUP_BITS;
  flags[group] = (flags[group] ?? 0) | (1 << (feature & (FLAGS_PER_GROUP - 1)));
}

export function hasFlag({ flags }: FeatureVector, feature: number): boolean {
  const group = flags[feature >> GROUP_BITS] ?? 0;
  return (group & (1 << (feature & (FLAGS_PER_GROUP - 1)))) !== 0;
}
