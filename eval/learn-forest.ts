import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { toForestPosts } from "../src/domain/forest/forest-posts.ts";
import { inferLinks } from "../src/domain/forest/infer-links.ts";
import { type Network, prepareNetwork } from "../src/domain/forest/network.ts";
import { runAtOnce, UNPACED } from "../src/domain/steps/pace.ts";
import { takeLessons } from "./forest-lessons.ts";
import { measure } from "./forest-measures.ts";
import { train } from "./forest-training.ts";
import {
  between,
  type Chance,
  calmDown,
  chanceFrom,
  cutUp,
  dropNames,
  dropTexts,
  markBots,
  spreadTimes,
  stretchTimes,
  thinOut,
} from "./forest-variants.ts";
import { type Room, readRooms } from "./irc.ts";

/**
 * Learns the weights of `src/domain/forest/weights.ts` from annotated chat logs: `node eval/learn-forest.ts --data FOLDER --out FILE`. With
 * `--fold N` (0 to 4) every fifth log is left out and measured afterwards.
 */
const COURSE = { units: 24, epochs: 8, rate: 0.008 };
const FIRST_COURSE = { ...COURSE, epochs: 2 };
const FOLDS = 5;
/** Who answers commands in these logs. */
const BOTS = /^ubot/;

/** Busy rooms as they are, and what other rooms could be made of them, each with how much it counts. */
function* vary(room: Room, index: number, chance: Chance): Generator<readonly [Room, number]> {
  const isEven = index % 2 === 0;
  const dropMost = (one: Room, often: number) => (chance() < often ? dropNames(one, 1, chance) : one);
  const timed = isEven ? room : spreadTimes(room);
  const asIs = index % 3 === 0 ? markBots(timed, BOTS) : timed;
  yield [asIs, 1];
  yield [dropNames(isEven ? spreadTimes(room) : room, 0.3 + 0.7 * chance(), chance), 0.7];
  const calm = dropMost(dropTexts(calmDown(spreadTimes(room), chance), 0.04, chance), 0.7);
  for (const one of isEven ? cutUp(calm, Math.round(10 + 50 * chance())) : [calm]) yield [one, 0.5];
  const thin = dropTexts(thinOut(spreadTimes(room), 0.05 + 0.5 * chance(), chance), 0.04, chance);
  const paced = dropMost(chance() < 0.5 ? stretchTimes(thin, between(0.5, 10, chance)) : thin, 0.7);
  for (const one of isEven ? cutUp(paced, Math.round(20 + 80 * chance())) : [paced]) yield [one, 0.7];
  if (isEven) for (const one of cutUp(asIs, 100)) yield [dropMost(one, 0.3), 0.7];
}

function learn(rooms: readonly Room[], seed: number): Network {
  const chance = chanceFrom(seed);
  const variants = rooms.flatMap((room, index) => [...vary(room, index, chance)]);
  let network: Network | null = null;
  for (const course of [FIRST_COURSE, COURSE]) {
    const lessons = variants.flatMap(([room, weight]) => takeLessons(room, weight, network));
    console.log(`${lessons.length} lessons`);
    network = train(lessons, course, chance);
  }
  return network ?? { units: 0, hidden: new Float64Array(), output: new Float64Array() };
}

function report(what: string, rooms: readonly Room[], network: Network): void {
  const prepared = prepareNetwork(network);
  const { link_f, vi, one_to_one, exact_f } = measure(
    rooms.map(({ messages, answers }) => {
      const links = runAtOnce(
        inferLinks(runAtOnce(toForestPosts(messages, UNPACED)), { explicit: [], network: prepared }, UNPACED),
      );
      return { truth: answers, found: new Map([...answers.keys()].map((line) => [line, [links[line]?.to ?? line]])) };
    }),
  );
  console.log(what.padEnd(24), [link_f, vi, one_to_one, exact_f].map((value) => value.toFixed(1)).join(" / "));
}

/** In hundredths, which is fine enough. */
function toSource({ units, hidden, output }: Network): string {
  const list = (values: Float64Array) => Array.from(values, (value) => Math.round(value * 100)).join(", ");
  return `import type { Network } from "./network.ts";

/**
 * Learned from annotated chat logs by eval/learn-forest.ts. In hundredths. Of the hidden units there is a row for each feature, in the order
 * of their names, and a last one that is always added.
 */
const UNITS = ${units};
const OUTPUT = [${list(output)}];
const HIDDEN = [${list(hidden)}];

export const NETWORK: Network = { units: UNITS, hidden: toParts(HIDDEN), output: toParts(OUTPUT) };

function toParts(hundredths: readonly number[]): Float64Array {
  return Float64Array.from(hundredths, (value) => value / 100);
}
`;
}

const { values } = parseArgs({
  options: { data: { type: "string" }, out: { type: "string" }, fold: { type: "string" }, seed: { type: "string" } },
});
if (values.data === undefined) {
  console.error("Say where annotated chat logs are: --data FOLDER.");
  process.exit(1);
}
const all = readRooms(values.data);
const isHeld = (_: Room, index: number) => index % FOLDS === Number(values.fold);
const network = learn(
  all.filter((room, index) => !isHeld(room, index)),
  Number(values.seed ?? 1),
);
if (values.out !== undefined) writeFileSync(values.out, toSource(network));
const held = all.filter(isHeld);
if (held.length > 0) {
  const chance = chanceFrom(5);
  const timed = held.map(spreadTimes);
  const calm = timed.map((room) => dropNames(calmDown(room, chance), 1, chance));
  const thin = timed.map((room) => thinOut(room, 0.3, chance));
  report("as they are", held, network);
  report("times spread", timed, network);
  report(
    "without names",
    held.map((room) => dropNames(room, 1, chance)),
    network,
  );
  report("thinned out", thin, network);
  report(
    "thin, without names",
    thin.map((room) => dropNames(room, 1, chance)),
    network,
  );
  report("calm, without names", calm, network);
  report(
    "in pieces of 100",
    held.flatMap((room) => cutUp(room, 100)),
    network,
  );
}
