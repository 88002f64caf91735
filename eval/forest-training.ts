import { FEATURE, FEATURE_COUNT } from "../src/domain/forest/feature-rows.ts";
import type { Network } from "../src/domain/forest/network.ts";
import type { Lesson, Row } from "./forest-lessons.ts";
import { type Chance, shuffle } from "./forest-variants.ts";

export interface Course {
  readonly units: number;
  readonly epochs: number;
  readonly rate: number;
}

const BATCH = 48;
const MAX_CHOICES = 64;
/** How much all weights shrink, in parts of the rate: replies are few, and other rooms have other habits. */
const DECAY = 0.03;
const NEGLIGIBLE = 1e-4;
/** The share of features that each lesson goes without, so that none is relied on alone: other communities have other habits. */
const DROPOUT = 0.1;

/** Makes the right choices likely (all right ones of a post together), by Adam with a rate that falls to 0. */
export function train(lessons: Lesson[], { units, epochs, rate }: Course, chance: Chance): Network {
  const outputs = (FEATURE_COUNT + 1) * units;
  const weights = Float64Array.from(
    { length: outputs + units },
    (_, index) => bell(chance) * (index < outputs ? 0.2 : 0.4),
  );
  // Units that begin below 0 for everything would never learn.
  weights.fill(0.1, FEATURE_COUNT * units, outputs);
  const gradient = new Float64Array(weights.length);
  const learn = createLearner(weights, gradient, { units, chance });
  const step = createAdam(weights, gradient);
  const steps = epochs * Math.ceil(lessons.length / BATCH);
  let done = 0;
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    shuffle(lessons, chance);
    let loss = 0;
    for (let start = 0; start < lessons.length; start += BATCH) {
      const batch = lessons.slice(start, start + BATCH);
      gradient.fill(0);
      for (const lesson of batch) loss += learn(lesson);
      done += 1;
      step(rate * 0.5 * (1 + Math.cos((Math.PI * done) / steps)), batch.length);
    }
    console.log(`  epoch ${epoch + 1} of ${epochs}: loss ${(loss / lessons.length).toFixed(4)}`);
  }
  return { units, hidden: weights.slice(0, outputs), output: weights.slice(outputs) };
}

/** Adds to the gradient what a lesson teaches, and says how unlikely the right choice was. */
function createLearner(
  weights: Float64Array,
  gradient: Float64Array,
  { units, chance }: { readonly units: number; readonly chance: Chance },
): (lesson: Lesson) => number {
  const always = FEATURE_COUNT * units;
  const outputs = always + units;
  const base = new Float64Array(units);
  const sums = Array.from({ length: MAX_CHOICES }, () => new Float64Array(units));
  const likelihoods = new Float64Array(MAX_CHOICES);
  const back = new Float64Array(units);
  const baseBack = new Float64Array(units);
  /** By feature: 0 if the lesson goes without it; the others make up for it. */
  const scales = new Float64Array(FEATURE_COUNT);

  const forward = (into: Float64Array, traits: Row) => {
    for (let trait = 0; trait < traits.length; trait += 2) {
      const feature = traits[trait] ?? 0;
      const row = feature * units;
      const value = (traits[trait + 1] ?? 0) * (scales[feature] ?? 0);
      if (value === 0) continue;
      for (let unit = 0; unit < units; unit += 1) into[unit] = (into[unit] ?? 0) + value * (weights[row + unit] ?? 0);
    }
  };
  const backward = (from: Float64Array, traits: Row) => {
    for (let trait = 0; trait < traits.length; trait += 2) {
      const feature = traits[trait] ?? 0;
      const row = feature * units;
      const value = (traits[trait + 1] ?? 0) * (scales[feature] ?? 0);
      if (value === 0) continue;
      for (let unit = 0; unit < units; unit += 1)
        gradient[row + unit] = (gradient[row + unit] ?? 0) + value * (from[unit] ?? 0);
    }
  };
  const score = (row: Row, into: Float64Array): number => {
    into.set(base);
    forward(into, row);
    let total = 0;
    for (let unit = 0; unit < units; unit += 1) total += Math.max(0, into[unit] ?? 0) * (weights[outputs + unit] ?? 0);
    return total;
  };
  const blame = (sum: Float64Array, error: number) => {
    for (let unit = 0; unit < units; unit += 1) {
      const isOn = (sum[unit] ?? 0) > 0;
      back[unit] = isOn ? error * (weights[outputs + unit] ?? 0) : 0;
      if (isOn) gradient[outputs + unit] = (gradient[outputs + unit] ?? 0) + error * (sum[unit] ?? 0);
      baseBack[unit] = (baseBack[unit] ?? 0) + (back[unit] ?? 0);
    }
  };

  return ({ post, choices, isRight, weight }) => {
    for (let feature = 0; feature < FEATURE_COUNT; feature += 1)
      scales[feature] = chance() < DROPOUT ? 0 : 1 / (1 - DROPOUT);
    scales[FEATURE.startsThread] = 1;
    base.set(weights.subarray(always, outputs));
    forward(base, post);
    choices.forEach((row, index) => {
      likelihoods[index] = score(row, sums[index] ?? base);
    });
    const highest = likelihoods.subarray(0, choices.length).reduce((most, one) => Math.max(most, one));
    let [all, right] = [0, 0];
    for (let index = 0; index < choices.length; index += 1) {
      const likelihood = Math.exp((likelihoods[index] ?? 0) - highest);
      likelihoods[index] = likelihood;
      all += likelihood;
      if (isRight[index]) right += likelihood;
    }
    baseBack.fill(0);
    choices.forEach((row, index) => {
      const likelihood = likelihoods[index] ?? 0;
      const error = likelihood / all - (isRight[index] ? likelihood / right : 0);
      if (Math.abs(error) < NEGLIGIBLE) return;
      blame(sums[index] ?? base, weight * error);
      backward(back, row);
    });
    backward(baseBack, post);
    for (let unit = 0; unit < units; unit += 1)
      gradient[always + unit] = (gradient[always + unit] ?? 0) + (baseBack[unit] ?? 0);
    return -weight * Math.log(right / all);
  };
}

function createAdam(weights: Float64Array, gradient: Float64Array): (rate: number, lessons: number) => void {
  const means = new Float64Array(weights.length);
  const squares = new Float64Array(weights.length);
  let steps = 0;
  return (rate, lessons) => {
    steps += 1;
    for (let index = 0; index < weights.length; index += 1) {
      const slope = (gradient[index] ?? 0) / lessons;
      const mean = 0.9 * (means[index] ?? 0) + 0.1 * slope;
      const square = 0.999 * (squares[index] ?? 0) + 0.001 * slope * slope;
      means[index] = mean;
      squares[index] = square;
      const change = mean / (1 - 0.9 ** steps) / (Math.sqrt(square / (1 - 0.999 ** steps)) + 1e-8);
      weights[index] = (weights[index] ?? 0) * (1 - rate * DECAY) - rate * change;
    }
  };
}

/** Normally distributed. */
function bell(chance: Chance): number {
  return Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
}
