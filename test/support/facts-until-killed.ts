import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { afterStep, type FactStep, openFacts, type PlainFacts, takeStep, timeOf } from "./fact-steps.ts";
import { watchSqlite } from "./watch-sqlite.ts";

// A program that is killed writes no compile cache at its end.
flushCompileCache();

/** Takes steps in the folder that is given, and kills itself before a chosen write. Says which steps it has begun and done. */
const [folder = "", plan = "{}"] = process.argv.slice(2);
const { steps, plain, ahead, write } = JSON.parse(plan) as {
  readonly steps: readonly FactStep[];
  readonly plain: PlainFacts;
  readonly ahead: number;
  readonly write: number;
};
let writes = 0;
watchSqlite(() => {
  writes += 1;
  if (writes === write) process.kill(process.pid, "SIGKILL");
});
const facts = await openFacts(folder, ahead);
let current = plain;
for (const [index, step] of steps.entries()) {
  facts.clock.ahead += timeOf(step);
  writeSync(1, `begun ${index}\n`);
  await takeStep(facts, step, current);
  current = afterStep(current, step);
  writeSync(1, `done ${index}\n`);
}
await facts.close();
writeSync(1, "all\n");
