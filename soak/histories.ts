import { parseArgs } from "node:util";
import { runTests } from "./run-tests.ts";

/**
 * Properties of timelines, searches and audiences, many times over: a disk that fails at every call, a search that is stopped at every pause, histories with
 * and without what the bot was asked.
 */
const { values } = parseArgs({ options: { runs: { type: "string", default: "5000" } } });
const NAMES = ["timeline/disk-faults", "search/steps", "search/echo", "gate/echo-property", "audience/members"];
const FILES = NAMES.map((name) => `test/${name}.test.ts`);

await runTests(FILES, values.runs);
