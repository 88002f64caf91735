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

/** The score of a candidate. Uses only the flags of pairs. Clears the vector. */
export function scorePair(
  { network, known, base, sums }: LinkScorer,
  candidate: number,
  vector: FeatureVector,
): number {
  const { units, rows, output } = network;
  const { flags, features, values, count } = vector;
  const own = candidate * units;
  const one = startOf(flags, PAIR_GROUP, units);
  const two = startOf(flags, PAIR_GROUP + 1, units);
  const three = startOf(flags, PAIR_GROUP + 2, units);
  const four = startOf(flags, PAIR_GROUP + 3, units);
  const five = startOf(flags, PAIR_GROUP + 4, units);
  const six = startOf(flags, PAIR_GROUP + 5, units);
  const seven = (features[0] ?? 0) * units;
  const eight = (features[1] ?? 0) * units;
  const nine = (features[2] ?? 0) * units;
  const sevenfold = count > 0 ? (values[0] ?? 0) : 0;
  const eightfold = count > 1 ? (values[1] ?? 0) : 0;
  const ninefold = count > 2 ? (values[2] ?? 0) : 0;
  let start = base;
  if (count > 3) {
    for (let unit = 0; unit < units; unit += 1) sums[unit] = base[unit] ?? 0;
    addScaled(sums, rows, vector, 3);
    start = sums;
  }
  clearFeatures(vector);
  let score = 0;
  // All rows in one loop, even empty ones: an iteration costs more than a row.
  for (let unit = 0; unit < units; unit += 1) {
    const said = (start[unit] ?? 0) + (known[own + unit] ?? 0);
    const marked =
      (rows[one + unit] ?? 0) + (rows[two + unit] ?? 0) + ((rows[three + unit] ?? 0) + (rows[four + unit] ?? 0));
    const markedToo = (rows[five + unit] ?? 0) + (rows[six + unit] ?? 0);
    const scaled =
      sevenfold * (rows[seven + unit] ?? 0) +
      eightfold * (rows[eight + unit] ?? 0) +
      ninefold * (rows[nine + unit] ?? 0);
    const sum = said + marked + (markedToo + scaled);
    // Twice the rectified sum; a branch would be mispredicted too often.
    score += (sum + Math.abs(sum)) * (output[unit] ?? 0);
  }
  return score / 2;
}

function startOf(flags: Uint8Array, group: number, units: number): number {
  return (FIRST_GROUP + group * ROWS_PER_GROUP + (flags[group] ?? 0)) * units;
}

function addMarked(sums: Float64Array, rows: Float64Array, { flags }: FeatureVector): void {
  for (let group = 0; group < flags.length; group += 1)
    if (flags[group] !== 0) addRow(sums, rows, startOf(flags, group, sums.length), 1);
}

/** Three rows in one loop, for the same reason. */
function addScaled(sums: Float64Array, rows: Float64Array, { features, values, count }: FeatureVector, from = 0): void {
  const units = sums.length;
  for (let trait = from; trait < count; trait += 3) {
    const first = (features[trait] ?? 0) * units;
    const second = (features[trait + 1] ?? 0) * units;
    const third = (features[trait + 2] ?? 0) * units;
    const firstFold = values[trait] ?? 0;
    const secondFold = trait + 1 < count ? (values[trait + 1] ?? 0) : 0;
    const thirdFold = trait + 2 < count ? (values[trait + 2] ?? 0) : 0;
    for (let unit = 0; unit < units; unit += 1) {
      const scaled =
        firstFold * (rows[first + unit] ?? 0) +
        secondFold * (rows[second + unit] ?? 0) +
        thirdFold * (rows[third + unit] ?? 0);
      sums[unit] = (sums[unit] ?? 0) + scaled;
    }
  }
}

function addRow(sums: Float64Array, rows: Float64Array, start: number, factor: number): void {
  for (let unit = 0; unit < sums.length; unit += 1) sums[unit] = (sums[unit] ?? 0) + factor * (rows[start + unit] ?? 0);
}
