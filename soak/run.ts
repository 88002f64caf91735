import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";

/**
 * What the test suite samples, by the million, and what takes minutes. Each runs in a process of its own, one after the other. `npm run soak -- audience --runs 1000`
 * runs one of them, and hands it the options.
 */
const SOAKS = ["audience", "interference", "facts", "histories", "agent", "adversary", "answers", "outage"];

const [wanted, options] = split(process.argv.slice(2));
const unknown = wanted.filter((name) => !SOAKS.includes(name));
if (unknown.length > 0) {
  console.error(`There is no soak ${unknown.join(", ")}. There are: ${SOAKS.join(", ")}.`);
  process.exit(1);
}
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`);
for (const name of wanted.length > 0 ? wanted : SOAKS) {
  const { status } = spawnSync(process.execPath, [fileOf(name), ...options], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

/** The names, which come first, and from the first dash on the options. */
function split(words: readonly string[]): [names: readonly string[], options: readonly string[]] {
  const dash = words.findIndex((word) => word.startsWith("-"));
  return dash < 0 ? [words, []] : [words.slice(0, dash), words.slice(dash)];
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
}
