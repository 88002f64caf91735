import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Fault, faults } from "./faults.ts";

const HELP = `npm run faults [-- --only <part of a name>]

Makes one deliberate mistake at a time in a copy of the project, and runs the tests that must notice it.
Exits with 1 if a fault goes unnoticed, or its text no longer occurs exactly once in its file.

  --only <text>   only faults whose name contains the text; may be repeated
  --list          print the names and stop
  --help          print this`;

const ROOT = resolve(import.meta.dirname, "..");
const NOT_COPIED = ["node_modules", ".git", "dist", "coverage", ".earshot"];
const MAX_MS = 10 * 60_000;

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

interface Outcome {
  readonly isCaught: boolean;
  /** The title of a test that failed, or what went wrong. */
  readonly by: string;
}

function main(): number {
  const wanted = faults.filter(
    ({ name }) => values.only.length === 0 || values.only.some((part) => name.includes(part)),
  );
  if (values.help || values.list) {
    console.log(values.help ? HELP : wanted.map(({ name }) => name).join("\n"));
    return 0;
  }
  if (wanted.length === 0) {
    console.error(`No fault has a name with ${values.only.join(" or ")} in it; see --list.`);
    return 1;
  }
  const copy = mkdtempSync(join(tmpdir(), "earshot-faults-"));
  try {
    cpSync(ROOT, copy, { recursive: true, filter: (path) => !NOT_COPIED.includes(relative(ROOT, path)) });
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    const missed = wanted.filter((fault) => !report(fault, copy));
    console.log(`\n${wanted.length - missed.length} of ${wanted.length} faults were caught.`);
    for (const { name } of missed) console.log(`  MISSED ${name}`);
    return missed.length > 0 ? 1 : 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Tries one fault and prints a line of the table. */
function report(fault: Fault, copy: string): boolean {
  const start = performance.now();
  const { isCaught, by } = tryOut(fault, copy);
  const seconds = ((performance.now() - start) / 1_000).toFixed(1).padStart(6);
  console.log(`${isCaught ? "caught" : "MISSED"} ${seconds} s  ${fault.name.padEnd(46)} ${by}`);
  return isCaught;
}

function tryOut({ file, text, replacement, tests }: Fault, copy: string): Outcome {
  const path = join(copy, file);
  const original = readFileSync(path, "utf8");
  if (original.split(text).length !== 2) return { isCaught: false, by: `its text does not occur once in ${file}` };
  writeFileSync(
    path,
    original.replace(text, () => replacement),
  );
  try {
    return runTests(tests, copy);
  } finally {
    writeFileSync(path, original);
  }
}

/** Only a failed test counts: code that cannot be run at all proves nothing. */
function runTests(tests: readonly string[], copy: string): Outcome {
  const results = join(copy, "faults.json");
  rmSync(results, { force: true });
  const options = ["--config", "faults/vitest.config.ts", "--bail", "1", "--reporter", "json", "--outputFile", results];
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const { signal } = spawnSync(process.execPath, [vitest, "run", ...options, ...tests], { cwd: copy, timeout: MAX_MS });
  if (signal) return { isCaught: false, by: `the tests did not end within ${MAX_MS / 60_000} minutes` };
  const failed = failuresIn(results);
  return { isCaught: failed.length > 0, by: failed[0] ?? `${tests.join(", ")} did not fail` };
}

function failuresIn(path: string): string[] {
  const { testResults } = JSON.parse(readFileSync(path, "utf8")) as {
    testResults: { assertionResults: { status: string; fullName: string }[] }[];
  };
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "failed")
    .map(({ fullName }) => fullName);
}

process.exitCode = main();
