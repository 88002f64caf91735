import { fork } from "node:child_process";
import { mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openApp } from "../src/app/app.ts";
import { toConfig } from "../src/config/config.ts";
import { printTable, type Row } from "../test/support/table.ts";

/**
 * How long an answer of the built-in agent takes on a disk that takes 20 ms for each write call: until Discord has the reply, and how many calls there were
 * until everything about it was written. SQLite writes each page of a commit to its log by two calls. `--ms=20`
 */
const QUESTIONS = ["when is the tide?", "what did mark say about the keel?", "who has the keys?", "what did I miss?"];
const WARM_UP = 100;
const CALLS_PER_PAGE = 2;
/** Where the file beside the log says how many pages are in the log: https://www.sqlite.org/walformat.html */
const PAGES_OFFSET = 16;
const callMs = Number(process.argv.find((flag) => flag.startsWith("--ms="))?.split("=")[1] ?? 20);

const dataDir = mkdtempSync(join(tmpdir(), "earshot-bench-"));
let logIndex: number | null = null;
let isSlow = false;
let calls = 0;
let commits = 0;

/** Opened once: to close a file that SQLite has open would let go of its locks. */
function pagesInLog(): number {
  logIndex ??= openSync(join(dataDir, "earshot.db-shm"), "r");
  const bytes = new Uint32Array(1);
  readSync(logIndex, bytes, 0, bytes.byteLength, PAGES_OFFSET);
  return bytes[0] ?? 0;
}

const { prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...given) {
  const statement = prepare.apply(this, given);
  if (given[0] !== "commit" || !this.location()?.endsWith("earshot.db")) return statement;
  const { run } = statement;
  const runSlowly: typeof run = () => {
    const before = pagesInLog();
    const result = run.call(statement, {});
    const after = pagesInLog();
    // A log that was written into the file begins again.
    const pages = after < before ? after : after - before;
    commits += 1;
    calls += pages * CALLS_PER_PAGE;
    for (const until = performance.now() + pages * CALLS_PER_PAGE * callMs; isSlow && performance.now() < until; );
    return result;
  };
  Object.defineProperty(statement, "run", { value: runSlowly });
  return statement;
};

const sandbox = fork(fileURLToPath(new URL("slow-disk-sandbox.ts", import.meta.url)));
const hear = <Value>() => new Promise<Value>((resolve) => sandbox.once("message", (value) => resolve(value as Value)));
const discord = await hear<{ api: string; token: string }>();
const plenty = { actor: 1e9 };
const limits = { callsPerMinute: plenty, scansPerMinute: plenty, summariesPerHour: plenty };
const app = await openApp(toConfig({ discord, dataDir, server: { port: 0 }, policy: { limits } }), {
  debug() {},
  info() {},
  warn() {},
  error() {},
});
await app.loadRest();

async function ask(index: number): Promise<number> {
  const replied = hear<number>();
  sandbox.send({ index, text: `<@${app.discord.botId}> ${QUESTIONS[index % QUESTIONS.length]}` });
  return replied;
}

const rows: Row[] = [];
for (let index = 0; index < WARM_UP; index += 1) await ask(index);
for (const [index, what] of QUESTIONS.entries()) {
  await sleep(1_000);
  isSlow = true;
  commits = 0;
  calls = 0;
  const took = await ask(index);
  await sleep(1_000);
  isSlow = false;
  rows.push({ what, figure: `${(took / 1e3).toFixed(2)} s`, note: `${commits} commits, ${calls} write calls in all` });
}
const AT_ONCE = 8;
await sleep(1_000);
isSlow = true;
commits = 0;
calls = 0;
const last = await new Promise<number>((resolve) => {
  let replies = 0;
  const from = performance.now();
  sandbox.on("message", () => {
    replies += 1;
    if (replies === AT_ONCE) resolve(performance.now() - from);
  });
  for (let index = 0; index < AT_ONCE; index += 1)
    sandbox.send({ index, text: `<@${app.discord.botId}> ${QUESTIONS[index % QUESTIONS.length]}` });
});
await sleep(1_000);
isSlow = false;
rows.push({
  what: `${AT_ONCE} people at once, until the last`,
  figure: `${(last / 1e3).toFixed(2)} s`,
  note: `${commits} commits, ${calls} write calls in all`,
});
printTable(`an answer with ${callMs} ms for each write call (goal: 1.5 s)`, rows);
await app.close();
sandbox.kill();
rmSync(dataDir, { recursive: true, force: true });
process.exit(0);
