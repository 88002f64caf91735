import { setImmediate } from "node:timers/promises";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { checkPairs } from "../test/support/audience-check.ts";
import { smallScenes } from "../test/support/audience-scene.ts";
import { perSecond, printTable } from "../test/support/table.ts";
import { onInterrupt } from "./on-interrupt.ts";

const PAIRS = 10_000_000;
const ROUND = 5_000;

const { values } = parseArgs({ options: { runs: { type: "string" }, seed: { type: "string" } } });
const seed = Number(values.seed ?? Date.now() % 0x7fff_ffff);
const runs = Number(values.runs ?? Number.POSITIVE_INFINITY);

/** Both deciders against brute force, round by round, until so many servers or pairs have been judged. The first disagreement ends it. */
const tally = { pairs: 0, exact: 0, algebra: 0 };
const start = performance.now();
let done = 0;
console.log(`Seed ${seed}; the same seed judges the same servers.`);
onInterrupt(printTally);
for (let round = 0; done < runs && (values.runs !== undefined || tally.pairs < PAIRS); round += 1) {
  const numRuns = Math.min(ROUND, runs - done);
  fc.assert(
    fc.property(smallScenes, (scene) => checkPairs(scene, tally)),
    { numRuns, seed: seed + round },
  );
  done += numRuns;
  // An interrupt is heard between two rounds.
  await setImmediate();
  if (round % 10 === 9) console.log(`  ${tally.pairs.toLocaleString("en")} pairs, no disagreement`);
}
printTally();

function printTally(): void {
  const share = (count: number) => `${((100 * count) / tally.pairs).toFixed(1)} %`;
  printTable(`May it flow? Brute force over ${done.toLocaleString("en")} small servers, seed ${seed}`, [
    { what: "pairs judged", figure: tally.pairs.toLocaleString("en"), note: "with a member list and without" },
    { what: "disagreements", figure: "0" },
    { what: "may flow, exactly", figure: share(tally.exact) },
    { what: "may flow, by roles alone", figure: share(tally.algebra), note: "all of them also exactly" },
    { what: "speed", figure: perSecond(tally.pairs, performance.now() - start), note: "pairs" },
  ]);
}
