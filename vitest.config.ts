import { statfsSync } from "node:fs";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const MEMORY_FOLDER = "/dev/shm";
const MIN_FREE_BYTES = 2 * 1024 ** 3;

/** Whether temporary files can be kept in memory, as on most Linux machines. Containers often have too little of it. */
function hasMemoryFolder(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

/** One that begins last is waited for alone. Vitest knows which take long only where it has run before. */
const LONGEST = [
  ...["test/console/search", "test/edge/outages", "test/gate/interleavings", "test/edge/connection"],
  ...["test/cli/discord-faults", "test/sandbox/gateway-faults", "test/console/community", "test/mcp/program"],
  ...["test/agent/withdrawal", "test/agent/echo", "test/agent/model.test"],
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((name) => moduleId.includes(name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Nothing of theirs is kept in PostgreSQL, so a run on it would repeat them. */
const ON_SQLITE = [
  ...["answer-effects", "asked-before", "follow-ups", "injection", "interference", "model-adversary", "no-byte-stays"],
].map((name) => `test/agent/${name}.test.ts`);
const isOnPostgres = process.env["EARSHOT_TEST_ENGINE"] === "postgres";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "sandbox/**/*.test.ts", "test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(isOnPostgres ? ON_SQLITE : [])],
    globalSetup: ["test/support/start-engine.ts"],
    setupFiles: ["test/support/report-in-time.ts"],
    // Not what a test should take, but what it may on a machine that does much else.
    testTimeout: 300_000,
    // On a loaded machine what is waited for takes a while.
    expect: { poll: { timeout: 150_000 } },
    hookTimeout: 300_000,
    // Many tests wait for Discord's own pauses; more of them than there are cores can wait at once.
    maxWorkers: 5,
    // Every file would otherwise load all modules again, which took a third of the time.
    isolate: false,
    // A larger space for what was just made: collecting garbage took a twelfth of the time.
    execArgv: ["--min-semi-space-size=16", "--max-semi-space-size=64"],
    sequence: { sequencer: LongestFirst },
    // Tests that write databases spent more than half of their time waiting for the disk. No test needs what fsync is for, to survive a power cut.
    env: hasMemoryFolder() ? { TMPDIR: MEMORY_FOLDER } : {},
  },
});
