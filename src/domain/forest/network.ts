import { FEATURE, FEATURE_COUNT } from "./feature-rows.ts";
import { clearFeatures, type FeatureVector, FLAGS_PER_GROUP } from "./feature-vector.ts";

/** A neural network with one hidden layer of rectified units and one output. */
export interface Network {
  readonly units: number;
  /** `FEATURE_COUNT` rows of `units`, and a last row for the bias. */
  readonly hidden: Float64Array;
  readonly output: Float64Array;
}

/** A network with precomputed sums of its rows. */
export interface PreparedNetwork {
  readonly units: number;
  /** Those of the network; then, for each group of flags, one for every combination. */
  readonly rows: Float64Array;
  readonly output: Float64Array;
}

/** The first layer is a sum, so its repeated parts are computed once. */
export interface LinkScorer {
  readonly network: PreparedNetwork;
  /** The sums of each candidate's own features; the last row is for "answers nothing". */
  readonly known: Float64Array;
  /** The sums of the current post's own features. */
  readonly base: Float64Array;
  readonly sums: Float64Array;
}

const FIRST_GROUP = FEATURE_COUNT + 1;
const ROWS_PER_GROUP = 1 << FLAGS_PER_GROUP;
/** The first of the six last groups, which contain all flags of pairs. */
const PAIR_GROUP = Math.floor(FEATURE.isUnanswered / FLAGS_PER_GROUP);

/** Most features are flags, so the sum of all flags in a group can be looked up in one precomputed row. */
export function prepareNetwork({ units, hidden, output }: Network): PreparedNetwork {
  const groups = Math.ceil(FEATURE_COUNT / FLAGS_PER_GROUP);
  const rows = new Float64Array((FIRST_GROUP + groups * ROWS_PER_GROUP) * units);
  rows.set(hidden);
  for (let feature = 0; feature < FEATURE_COUNT; feature += 1) {
    const mark = 1 << (feature % FLAGS_PER_GROUP);
    const first = FIRST_GROUP + Math.floor(feature / FLAGS_PER_GROUP) * ROWS_PER_GROUP;
    for (let flags = mark; flags < ROWS_PER_GROUP; flags += 1) {
      if ((flags & mark) === 0) continue;
      for (let unit = 0; unit < units; unit += 1) {
        const at = (first + flags) * units + unit;
        rows[at] = (rows[at] ?? 0) + (hidden[feature * units + unit] ?? 0);
      }
    }
  }
  return { units, rows, output };
}

export function createScorer(network: PreparedNetwork, candidates: number): LinkScorer {
  const { units } = network;
  return {
    network,
    known: new Float64Array(candidates * units),
    base: new Float64Array(units),
    sums: new Float64Array(units),
  };
}

/** Called once for each candidate. Clears the vector. */
export function setCandidate({ network, known, sums }: LinkScorer, candidate: number, vector: FeatureVector): void {
  sums.fill(0);
  addMarked(sums, network.rows, vector);
  addScaled(sums, network.rows, vector);
  known.set(sums, candidate * network.units);
  clearFeatures(vector);
}

/** Called before the candidates of a post are scored. Clears the vector. */
export function setPost({ network, base }: LinkScorer, vector: FeatureVector): void {
  const { units, rows } = network;
  for (let unit = 0; unit < units; unit += 1) base[unit] = rows[FEATURE_COUNT * units + unit] ?? 0;
  addMarked(base, rows, vector);
  addScaled(base, rows, vector);
  clearFeatures(vector);
}

/**
 * The score of a candidate. Uses only the flags of pairs. Clears the vector. The forest of 1,000 messages takes 13.5 ms with these loops, and
 * 10.4 ms with all rows of a unit added in one expression (of 100 messages: 1.6 and 1.2 ms): not worth forty lines that are hard to read.
 */
export function scorePair(
  { network, known, base, sums }: LinkScorer,
  candidate: number,
  vector: FeatureVector,
): number {
  const { units, rows, output } = network;
  const own = candidate * units;
  for (let unit = 0; unit < units; unit += 1) sums[unit] = (base[unit] ?? 0) + (known[own + unit] ?? 0);
  addMarked(sums, rows, vector, PAIR_GROUP);
  addScaled(sums, rows, vector);
  clearFeatures(vector);
  let score = 0;
  for (let unit = 0; unit < units; unit += 1) score += Math.max(0, sums[unit] ?? 0) * (output[unit] ?? 0);
  return score;
}

function startOf(flags: Uint8Array, group: number, units: number): number {
  return (FIRST_GROUP + group * ROWS_PER_GROUP + (flags[group] ?? 0)) * units;
}

function addMarked(sums: Float64Array, rows: Float64Array, { flags }: FeatureVector, from = 0): void {
  for (let group = from; group < flags.length; group += 1)
    if (flags[group] !== 0) addRow(sums, rows, startOf(flags, group, sums.length), 1);
}

function addScaled(sums: Float64Array, rows: Float64Array, { features, values, count }: FeatureVector): void {
  for (let index = 0; index < count; index += 1)
    addRow(sums, rows, (features[index] ?? 0) * sums.length, values[index] ?? 0);
}

function addRow(sums: Float64Array, rows: Float64Array, start: number, factor: number): void {
  for (let unit = 0; unit < sums.length; unit += 1) sums[unit] = (sums[unit] ?? 0) + factor * (rows[start + unit] ?? 0);
}
