import { parseArgs } from "node:util";
import { runTests } from "./run-tests.ts";

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

await runTests(FILES, values.runs);
