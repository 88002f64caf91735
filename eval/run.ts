import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { runAll } from "./run-all.ts";

/**
 * How well does it do on public data? `npm run eval -- search --data FILE [--json]` runs one, and hands it the options. `npm run eval -- all [--data FOLDER] [--keep]`
 * runs all and prints their figures beside floors and beside the run before; `--keep` makes this run the one to compare with.
 */
const EVALS = [
  ...["search", "replies", "chat", "names", "forest", "forest-across", "learn-forest", "agent", "questions"],
  "all",
];

const [name, ...options] = process.argv.slice(2);
if (name === undefined || !EVALS.includes(name)) {
  console.error(`Say which evaluation to run: ${EVALS.join(", ")}.`);
  process.exit(1);
}
if (name === "all") process.exit(runAll(options));
const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
process.exit(spawnSync(process.execPath, [file, ...options], { stdio: "inherit" }).status ?? 1);
