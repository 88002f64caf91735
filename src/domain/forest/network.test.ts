import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FEATURE, FEATURE_COUNT, FIRST_PAIR_FLAG, FLAG_COUNT } from "./feature-rows.ts";
import { createFeatureVector, type FeatureVector, FLAGS_PER_GROUP, setFlag, setValue } from "./feature-vector.ts";
import { createScorer, type Network, prepareNetwork, scorePair, setCandidate, setPost } from "./network.ts";

/** Values of features, each at most once; 1 is marked. */
type Values = ReadonlyMap<number, number>;

const UNITS = 3;
const ROWS = FEATURE_COUNT + 1;
const weight = fc.integer({ min: -9, max: 9 });
const weights = (length: number) => fc.array(weight, { minLength: length, maxLength: length });
const networks = fc.tuple(weights(ROWS * UNITS), weights(UNITS)).map(([hidden, output]): Network => {
  return { units: UNITS, hidden: Float64Array.from(hidden), output: Float64Array.from(output) };
});
/** Flags and numbers from these rows; a flag may also be added like a number. */
const valuesIn = (flags: readonly [first: number, past: number], numbers: readonly [first: number, past: number]) =>
  fc
    .tuple(entriesIn(flags, [1, 1, 1, 0.25, 0.5]), entriesIn(numbers, [0.25, 0.5]))
    .map(([marked, added]): Values => new Map([...marked, ...added]));
const entriesIn = ([first, past]: readonly [first: number, past: number], values: readonly number[]) =>
  fc.uniqueArray(fc.tuple(fc.integer({ min: first, max: past - 1 }), fc.constantFrom(...values)), {
    selector: ([feature]) => feature,
  });

describe("scorePair", () => {
  it("computes the same as a plain network over the features of post, candidate and pair", () => {
    const ofPost = valuesIn([FEATURE.postNames, FEATURE.names], [FLAG_COUNT, FEATURE.length]);
    const ofCandidate = valuesIn([FEATURE.names, FIRST_PAIR_FLAG], [FEATURE.length, FEATURE.threadSize]);
    const ofPair = valuesIn([FIRST_PAIR_FLAG, FLAG_COUNT], [FEATURE.threadSize, FEATURE_COUNT]);
    fc.assert(
      fc.property(
        networks,
        ofPost,
        fc.array(fc.tuple(ofCandidate, ofPair), { maxLength: 4 }),
        (network, post, pairs) => {
          const scorer = createScorer(prepareNetwork(network), pairs.length);
          const vector = createFeatureVector();
          for (const [candidate, [own]] of pairs.entries()) setCandidate(scorer, candidate, describeAs(vector, own));
          setPost(scorer, describeAs(vector, post));
          for (const [candidate, [own, pair]] of pairs.entries())
            expect(scorePair(scorer, candidate, describeAs(vector, pair))).toBe(
              scorePlainly(network, [...post, ...own, ...pair]),
            );
        },
      ),
    );
  });
});

describe("FEATURE", () => {
  it("has a row of its own for each feature, and begins the flags of pairs and the numbers with a new group", () => {
    const rows = Object.values(FEATURE);
    expect(new Set(rows).size).toBe(rows.length);
    expect(Math.max(...rows)).toBe(FEATURE_COUNT - 1);
    expect(FIRST_PAIR_FLAG % FLAGS_PER_GROUP).toBe(0);
    expect(FLAG_COUNT % FLAGS_PER_GROUP).toBe(0);
  });
});

function describeAs(vector: FeatureVector, values: Values): FeatureVector {
  for (const [feature, value] of values) {
    if (value === 1) setFlag(vector, feature, true);
    else setValue(vector, feature, value);
  }
  return vector;
}

function scorePlainly({ hidden, output }: Network, values: readonly (readonly [number, number])[]): number {
  const sums = Array.from(output, (_, unit) =>
    values.reduce(
      (sum, [feature, value]) => sum + value * (hidden[feature * UNITS + unit] ?? 0),
      hidden[FEATURE_COUNT * UNITS + unit] ?? 0,
    ),
  );
  return sums.reduce((score, sum, unit) => score + (sum > 0 ? sum * (output[unit] ?? 0) : 0), 0);
}
