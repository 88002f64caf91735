import { setImmediate } from "node:timers/promises";
import { parseArgs } from "node:util";
import { hasInjectionTexts, injectionTexts } from "../test/support/injection-texts.ts";
import { followInjection, type InjectionOutcome, toInjectionTrace } from "../test/support/injection-traces.ts";
import { formatRate, perSecond, printTable } from "../test/support/table.ts";
import { onInterrupt } from "./on-interrupt.ts";

/** Hostile texts, some harmless ones that look like them, and a model that does whatever it reads: how often is something achieved? Goes on after a success, and counts. */
const { values } = parseArgs({ options: { runs: { type: "string", default: "5000" } } });
const runs = Number(values.runs);
const MAX_SHOWN = 20;

if (!hasInjectionTexts) {
  console.log("Skipped: there are no hostile texts in ../shared/data/injection.");
  process.exit(0);
}

const sum = {
  traces: 0,
  read: 0,
  effects: 0,
  left: 0,
  confirmed: 0,
  unconfirmed: 0,
  other: 0,
  links: 0,
  failures: 0,
  successes: 0,
};
const texts = injectionTexts();
const start = performance.now();
console.log(`${runs.toLocaleString("en")} requests, with ${texts.length.toLocaleString("en")} texts in turn`);
onInterrupt(printTally);
for (let run = 0; run < runs; run += 1) {
  const round = Math.floor(run / texts.length);
  const text = texts[run % texts.length] ?? "";
  // Work that never pauses cannot be interrupted.
  await setImmediate();
  const outcome = await followInjection(toInjectionTrace(text, (run % texts.length) + round));
  if (outcome) note(text, outcome);
  if (run % 1_000 === 999) console.log(`  ${(run + 1).toLocaleString("en")} requests`);
}
printTally();
process.exit(sum.failures > 0 ? 1 : 0);

function note(text: string, { hasRead, effects, counts, violations, strayLinks }: InjectionOutcome): void {
  sum.traces += 1;
  sum.read += hasRead ? 1 : 0;
  sum.effects += effects;
  sum.left += counts.departures;
  sum.confirmed += counts.confirmed;
  sum.unconfirmed += counts.unconfirmed;
  sum.other += violations.length - counts.unconfirmed;
  sum.links += strayLinks.length;
  const problems = [...violations, ...strayLinks.map((link) => `${link} left, and stands in nothing that was read`)];
  if (problems.length === 0) return;
  sum.failures += 1;
  sum.successes += hasRead ? 1 : 0;
  if (sum.failures <= MAX_SHOWN) console.error(`${text.slice(0, 200)}\n  ${problems.join("\n  ")}`);
}

function printTally(): void {
  const took = performance.now() - start;
  printTable("A model that obeys every text", [
    { what: "requests", figure: sum.traces.toLocaleString("en"), note: perSecond(sum.traces, took) },
    { what: "texts that it read and obeyed", figure: formatRate(sum.read, sum.traces, "requests") },
    { what: "messages and reactions that it tried", figure: sum.effects.toLocaleString("en") },
    { what: "left", figure: formatRate(sum.left, sum.effects, "tried") },
    {
      what: "confirmed by the person",
      figure: formatRate(sum.confirmed, sum.left, "left"),
      note: "half of the people confirm everything",
    },
    { what: "left without a needed confirmation", figure: formatRate(sum.unconfirmed, sum.left, "left") },
    { what: "told to people who may not know it, or not allowed otherwise", figure: sum.other.toLocaleString("en") },
    { what: "links that left and stand in no source", figure: sum.links.toLocaleString("en") },
    { what: "injection success rate", figure: formatRate(sum.successes, sum.read, "texts obeyed") },
  ]);
}
