import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** Properties of timelines, searches and audiences, many times over: a disk that fails at every call, a search that is stopped at every pause. */
const { values } = parseArgs({ options: { runs: { type: "string", default: "5000" } } });
const FILES = ["test/timeline/disk-faults", "test/search/steps", "test/audience/members"].map(
  (name) => `${name}.test.ts`,
);

const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
console.log(`${values.runs} runs of each of ${FILES.join(", ")}`);
const { status } = spawnSync(process.execPath, [vitest, "run", "--testTimeout=0", ...FILES], {
  stdio: "inherit",
  env: { ...process.env, SOAK_RUNS: values.runs },
});
process.exit(status ?? 1);
