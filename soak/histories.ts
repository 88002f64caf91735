import { parseArgs } from "node:util";
import { runTests } from "./run-tests.ts";

/** Properties of timelines, searches and audiences, many times over: a disk that fails at every call, a search that is stopped at every pause. */
const { values } = parseArgs({ options: { runs: { type: "string", default: "5000" } } });
const FILES = ["test/timeline/disk-faults", "test/search/steps", "test/audience/members"].map(
  (name) => `${name}.test.ts`,
);

await runTests(FILES, values.runs);
