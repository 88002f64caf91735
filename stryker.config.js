/**
 * Mutation testing: each small change of what decides who hears what must make a test fail. `npm run mutate` tries all;
 * `npm run mutate -- --mutate src/domain/audience.ts` one file.
 */
export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "mutate/vitest.config.ts", related: false },
  mutate: [
    "src/domain/audience.ts",
    "src/domain/guild-audience.ts",
    "src/domain/role-algebra.ts",
    "src/domain/permissions.ts",
    "src/discord/guild-members-by-roles.ts",
    "src/policy/*.ts",
    "!src/policy/*.test.ts",
    "src/sources/**/*.ts",
    "!src/sources/**/*.test.ts",
  ],
  // Stryker would rewrite it with the programming interface that TypeScript 7 no longer has; Vitest needs none of it.
  tsconfigFile: "none",
  ignorePatterns: ["dist", "docs", ".earshot", "coverage"],
  tempDirName: "coverage/mutants",
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
  thresholds: { high: 95, low: 90, break: 90 },
  concurrency: 2,
  // A busy machine is no endless loop.
  timeoutFactor: 3,
};
