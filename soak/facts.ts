import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/**
 * The properties of what is remembered, many times over: sequences against plain lists, hidden facts, proposals, a fault at any write, kill -9 at as many
 * writes as there are runs, a full disk; and every order of a read, a change and a send.
 */
const { values } = parseArgs({ options: { runs: { type: "string", default: "2000" } } });
const FILES = [
  ...["fact-sequences", "fact-interference", "fact-faults", "killed-facts", "proposal-sequences", "interleavings"].map(
    (name) => `test/gate/${name}.test.ts`,
  ),
  "src/memory/interrupted-vault.test.ts",
];

const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
console.log(`${values.runs} runs of each of ${FILES.join(", ")}`);
const { status } = spawnSync(process.execPath, [vitest, "run", "--testTimeout=0", ...FILES], {
  stdio: "inherit",
  env: { ...process.env, SOAK_RUNS: values.runs },
});
process.exit(status ?? 1);
