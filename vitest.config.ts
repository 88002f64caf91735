import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many tests wait for Discord's own pauses; more of them than there are cores can wait at once.
    maxWorkers: 4,
  },
});
