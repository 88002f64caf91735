import { fileURLToPath } from "node:url";
import { runChild } from "./run-child.ts";

/** Runs tests with many more cases than the suite has; ends the process as they end. */
export async function runTests(files: readonly string[], runs: string): Promise<never> {
  const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
  console.log(`${runs} runs of each of ${files.join(", ")}`);
  process.exit(await runChild(vitest, ["run", "--testTimeout=0", ...files], { SOAK_RUNS: runs }));
}
