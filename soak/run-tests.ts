import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Runs tests with many more cases than the suite has; ends the process as they end. */
export function runTests(files: readonly string[], runs: string): never {
  const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
  console.log(`${runs} runs of each of ${files.join(", ")}`);
  const { status } = spawnSync(process.execPath, [vitest, "run", "--testTimeout=0", ...files], {
    stdio: "inherit",
    env: { ...process.env, SOAK_RUNS: runs },
  });
  process.exit(status ?? 1);
}
