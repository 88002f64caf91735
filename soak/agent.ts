import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** The properties of the agent's answers, many times over: what is hidden changes no byte of them, what others wrote stays a quotation, and nothing stands whose source is gone. */
const { values } = parseArgs({ options: { runs: { type: "string", default: "5000" } } });
const NAMES = ["interference", "injection", "no-byte-stays", "streaming-races", "model-adversary", "model-injection"];
const FILES = NAMES.map((name) => `test/agent/${name}.test.ts`);

const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
console.log(`${values.runs} runs of each of ${FILES.join(", ")}`);
const { status } = spawnSync(process.execPath, [vitest, "run", "--testTimeout=0", ...FILES], {
  stdio: "inherit",
  env: { ...process.env, SOAK_RUNS: values.runs },
});
process.exit(status ?? 1);
