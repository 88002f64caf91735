import { parseArgs } from "node:util";
import fc from "fast-check";
import { cases, compare, emptyTally } from "../test/support/interference.ts";
import type { SceneOptions } from "../test/support/random-scene.ts";
import { formatRate, perSecond, printTable } from "../test/support/table.ts";
import { onInterrupt } from "./on-interrupt.ts";

/** Two worlds that differ out of sight, again and again: what those who hear are told must be the same. */
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "2000000" },
    seed: { type: "string", default: String(Date.now() % 1e9) },
  },
});
const runs = Number(values.runs);
const firstSeed = Number(values.seed);
const BATCH = 50;
/** Each in turn. */
const OPTIONS: readonly SceneOptions[] = [
  {},
  { worksFor: true },
  { worksFor: true, hasOutages: true },
  { worksFor: true, readsAhead: true },
  { readsAhead: true },
  { isMute: true },
  { hasOutages: true },
  { actsAnywhere: true },
  { hasUnlistedAuthors: true },
  { optsOut: true },
  { optsOut: "late" },
  { optsOut: "late", readsAhead: true },
];

const tally = emptyTally();
let leaks = 0;
const start = performance.now();
console.log(`${runs.toLocaleString("en")} cases, from seed ${firstSeed}`);
onInterrupt(printTally);
for (let batch = 0; batch * BATCH < runs; batch += 1) {
  const seed = firstSeed + batch;
  const options = OPTIONS[batch % OPTIONS.length];
  const holds = fc.asyncProperty(cases, async (one) => {
    // From the first difference on, the same case is tried in smaller versions, which are not counted.
    const difference = await compare(one, leaks === 0 ? tally : emptyTally(), options);
    if (difference === null) return;
    leaks = 1;
    throw new Error(difference);
  });
  const result = await fc.check(holds, { seed, numRuns: Math.min(BATCH, runs - batch * BATCH) });
  if (result.failed) {
    console.error(`${JSON.stringify(options)}\n${await fc.asyncDefaultReportMessage(result)}`);
    console.error(String(result.errorInstance));
    printTally();
    process.exit(1);
  }
  if (batch % 100 === 99) console.log(`  ${tally.cases.toLocaleString("en")} cases, seed ${seed}`);
}
printTally();

function printTally(): void {
  const took = performance.now() - start;
  printTable(`What those who hear may not know changes ${leaks === 0 ? "nothing" : "something"}`, [
    {
      what: "cases",
      figure: tally.cases.toLocaleString("en"),
      note: leaks === 0 ? perSecond(tally.cases, took) : "until the first that differed",
    },
    { what: "calls", figure: tally.calls.toLocaleString("en"), note: "in both worlds together" },
    { what: "answers that were no refusals", figure: tally.answers.toLocaleString("en") },
    { what: "messages handed out", figure: tally.messages.toLocaleString("en") },
    { what: "messages and reactions that left", figure: tally.departures.toLocaleString("en") },
    { what: "differences between the worlds", figure: tally.changes.toLocaleString("en") },
    {
      what: "leak rate",
      figure: formatRate(leaks, tally.answers, "answers"),
      note: "a case whose answers differ counts as one leak",
    },
  ]);
}
