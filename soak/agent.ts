import { parseArgs } from "node:util";
import { runTests } from "./run-tests.ts";

/** The properties of the agent's answers, many times over: what is hidden changes no byte of them, what others wrote stays a quotation, and nothing stands whose source is gone. */
const { values } = parseArgs({ options: { runs: { type: "string", default: "5000" } } });
const NAMES = [
  "interference",
  "asked-before",
  "injection",
  "no-byte-stays",
  "streaming-races",
  "model-adversary",
  "model-injection",
];
const FILES = NAMES.map((name) => `test/agent/${name}.test.ts`);

await runTests(FILES, values.runs);
