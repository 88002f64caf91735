import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { runChild } from "./run-child.ts";

/** What the test suite samples, by the million, and what takes minutes. Each runs in a process of its own, one after the other. */
const SOAKS: Readonly<Record<string, string>> = {
  audience: "whether something may flow, against brute force (--runs servers, --seed)",
  interference: "what those who hear may not know changes nothing that they are told: the leak rate (--runs, --seed)",
  facts: "what is remembered: sequences, hidden facts, faults and kills at any write (--runs)",
  histories: "timelines, searches and audiences, with a disk that fails at any call (--runs)",
  agent: "the agent's answers: nothing hidden changes them, nothing stands whose source is gone (--runs)",
  adversary: "a hostile model that calls anything with anything: the leak rate (--runs, --seed)",
  injection: "a model that obeys every hostile text it reads: the injection success rate (--runs)",
  answers: "each question is answered once, whenever the program is killed (--runs)",
  outage: "a gateway out of reach loses nothing (--runs, --seconds)",
};

const HELP = `Usage: npm run soak -- [<name>…] [options]

${Object.entries(SOAKS)
  .map(([name, about]) => `  ${name.padEnd(13)} ${about}`)
  .join("\n")}

Without a name all of them run, which takes hours. Options are handed to each; --runs is how many cases it
tries. Ctrl-C ends a soak and prints what was found until then. A soak that finds something ends with exit code 1.

injection reads public collections of hostile texts in ../shared/data/injection, which are no part of the project. It is
skipped where there are none.

  npm run soak -- audience --runs 1000 --seed 7`;

const [wanted, options] = split(process.argv.slice(2));
const unknown = wanted.filter((name) => !Object.hasOwn(SOAKS, name));
if (options.includes("--help") || options.includes("-h")) {
  console.log(HELP);
  process.exit(0);
}
if (unknown.length > 0) {
  console.error(`There is no soak ${unknown.join(", ")}. There are: ${Object.keys(SOAKS).join(", ")}.`);
  process.exit(1);
}
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`);
const names = wanted.length > 0 ? wanted : Object.keys(SOAKS);
for (const [index, name] of names.entries()) {
  const start = performance.now();
  const code = await runChild(fileOf(name), options);
  if (code === 0) continue;
  const seconds = Math.round((performance.now() - start) / 1_000);
  console.log(`Passed: ${list(names.slice(0, index))}. Ended with code ${code} after ${seconds} s: ${name}.`);
  console.log(`Not run: ${list(names.slice(index + 1))}.`);
  process.exit(code);
}

function list(some: readonly string[]): string {
  return some.length === 0 ? "none" : some.join(", ");
}

/** The names, which come first, and from the first dash on the options. */
function split(words: readonly string[]): [names: readonly string[], options: readonly string[]] {
  const dash = words.findIndex((word) => word.startsWith("-"));
  return dash < 0 ? [words, []] : [words.slice(0, dash), words.slice(dash)];
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
}
