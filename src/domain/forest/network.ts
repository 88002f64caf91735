import { FEATURE_COUNT } from "./feature-rows.ts";
import type { Traits } from "./features.ts";

/** A network with one layer of hidden, rectified units and one output. */
export interface Network {
  /** A multiple of four. */
  readonly units: number;
  /** `FEATURE_COUNT` rows of `units`, and a last row that is always added. */
  readonly hidden: Float64Array;
  readonly output: Float64Array;
}

export interface Scorer {
  /** What holds of a candidate whoever answers it; said once. */
  know(candidate: number, traits: Traits): void;
  /** What holds of a post whatever it answers; said before its candidates are scored. */
  begin(traits: Traits): void;
  score(traits: Traits, candidate?: number): number;
}

/** The first layer is a sum, so that parts which return are summed up once. */
export function createScorer(network: Network, candidates: number): Scorer {
  const { units, hidden, output } = network;
  const known = new Float64Array(candidates * units);
  const base = new Float64Array(units);
  const sums = new Float64Array(units);
  const always = hidden.subarray(FEATURE_COUNT * units);
  return {
    know(candidate, traits) {
      addRows(known.subarray(candidate * units, (candidate + 1) * units), traits, hidden);
    },
    begin(traits) {
      base.set(always);
      addRows(base, traits, hidden);
    },
    score(traits, candidate) {
      sums.set(base);
      if (candidate !== undefined) addAll(sums, known, candidate * units);
      addRows(sums, traits, hidden);
      return weighPositive(sums, output);
    },
  };
}

/** Four units at a time, because sums that stay in registers take a third of the time. */
function addRows(sums: Float64Array, { features, values, count }: Traits, rows: Float64Array): void {
  const units = sums.length;
  for (let unit = 0; unit < units; unit += 4) {
    let first = 0;
    let second = 0;
    let third = 0;
    let fourth = 0;
    for (let trait = 0; trait < count; trait += 1) {
      const at = (features[trait] ?? 0) * units + unit;
      const value = values[trait] ?? 0;
      first += value * (rows[at] ?? 0);
      second += value * (rows[at + 1] ?? 0);
      third += value * (rows[at + 2] ?? 0);
      fourth += value * (rows[at + 3] ?? 0);
    }
    sums[unit] = (sums[unit] ?? 0) + first;
    sums[unit + 1] = (sums[unit + 1] ?? 0) + second;
    sums[unit + 2] = (sums[unit + 2] ?? 0) + third;
    sums[unit + 3] = (sums[unit + 3] ?? 0) + fourth;
  }
}

function addAll(sums: Float64Array, others: Float64Array, start: number): void {
  for (let unit = 0; unit < sums.length; unit += 1) sums[unit] = (sums[unit] ?? 0) + (others[start + unit] ?? 0);
}

function weighPositive(sums: Float64Array, weights: Float64Array): number {
  let weight = 0;
  for (let unit = 0; unit < sums.length; unit += 1) {
    const sum = sums[unit] ?? 0;
    if (sum > 0) weight += sum * (weights[unit] ?? 0);
  }
  return weight;
}
