import { defineConfig } from "vitest/config";

/** The tests that guard what is mutated; which of them a mutant must pass is found out by running them. */
export default defineConfig({
  test: {
    include: [
      "test/audience/{flows,members,special-audiences,discordjs,judge}.test.ts",
      "test/permissions.test.ts",
      "src/discord/guild-members-by-roles.test.ts",
      "src/policy/*.test.ts",
      "src/sources/**/*.test.ts",
      "test/gate/client-events.test.ts",
      "test/gate/deleted-places.test.ts",
      "test/audit/tampering.test.ts",
    ],
    setupFiles: ["test/support/end-on-failure.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
