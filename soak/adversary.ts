import { parseArgs } from "node:util";
import fc from "fast-check";
import { attack, type TraceOptions, traces } from "../test/support/adversary.ts";
import { formatRate, perSecond, printTable } from "../test/support/table.ts";
import { type Counts, NO_COUNTS } from "../test/support/watched-operations.ts";
import { onInterrupt } from "./on-interrupt.ts";

/** A model that calls anything with anything, while things change around it: it must get to know and do nothing that it may not. */
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "2000000" },
    seed: { type: "string", default: String(Date.now() % 1e9) },
  },
});
const runs = Number(values.runs);
const firstSeed = Number(values.seed);
const BATCH = 1_000;
const KINDS: readonly TraceOptions["twists"][] = ["none", "rights", "outages"];

const sum: Counts = { ...NO_COUNTS };
let count = 0;
let leaks = 0;
const start = performance.now();
console.log(`${runs.toLocaleString("en")} traces, from seed ${firstSeed}`);
onInterrupt(printTally);
for (let batch = 0; batch * BATCH < runs; batch += 1) {
  const seed = firstSeed + batch;
  const twists = KINDS[batch % KINDS.length] ?? "none";
  const holds = fc.asyncProperty(traces, async (trace) => {
    const { violations, counts } = await attack(trace, { twists });
    // From the first violation on, the same trace is tried in smaller versions.
    if (leaks === 0) {
      count += 1;
      leaks += violations.length;
      for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += counts[name];
    }
    if (violations.length > 0) throw new Error(violations.join("\n"));
  });
  const result = await fc.check(holds, { seed, numRuns: Math.min(BATCH, runs - batch * BATCH) });
  if (result.failed) {
    console.error(`with ${twists} twists`, await fc.asyncDefaultReportMessage(result));
    console.error(String(result.errorInstance));
    printTally();
    process.exit(1);
  }
  if (batch % 10 === 9) console.log(`  ${count.toLocaleString("en")} traces, seed ${seed}`);
}
printTally();

function printTally(): void {
  const took = performance.now() - start;
  const note = leaks === 0 ? "0 of them unauthorised" : "see the violations";
  printTable(leaks === 0 ? "A hostile model gains nothing" : "A hostile model gains something", [
    {
      what: "traces",
      figure: count.toLocaleString("en"),
      note: leaks === 0 ? perSecond(count, took) : "until the first violation",
    },
    { what: "calls", figure: sum.calls.toLocaleString("en") },
    { what: "answers that were no refusals", figure: sum.answers.toLocaleString("en") },
    { what: "places told of", figure: sum.told.toLocaleString("en"), note },
    { what: "messages and reactions that left", figure: sum.departures.toLocaleString("en"), note },
    { what: "confirmations used", figure: sum.confirmed.toLocaleString("en") },
    { what: "leak rate", figure: formatRate(leaks, sum.answers, "answers"), note: "any violation counts as a leak" },
  ]);
}
