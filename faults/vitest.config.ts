import { defineConfig } from "vitest/config";
import usual from "../vitest.config.ts";

/** As the tests usually run, but a property that fails need not fail in the smallest way. */
export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["test/support/end-on-failure.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: usual.test?.env ?? {},
  },
});
