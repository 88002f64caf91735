import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "sandbox/**/*.test.ts", "test/**/*.test.ts"],
    // Not what a test should take, but what it may on a machine that does much else.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Many tests wait for Discord's own pauses; more of them than there are cores can wait at once.
    maxWorkers: 4,
    // Every file would otherwise load all modules again, which took a third of the time.
    isolate: false,
  },
});
