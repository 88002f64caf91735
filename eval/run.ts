import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** How well does it do on public data? `npm run eval -- search --data FILE [--json]` runs one, and hands it the options. */
const EVALS = ["search", "replies", "chat", "names", "forest", "learn-forest", "agent", "questions"];

const [name, ...options] = process.argv.slice(2);
if (name === undefined || !EVALS.includes(name)) {
  console.error(`Say which evaluation to run: ${EVALS.join(", ")}.`);
  process.exit(1);
}
const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
process.exit(spawnSync(process.execPath, [file, ...options], { stdio: "inherit" }).status ?? 1);
