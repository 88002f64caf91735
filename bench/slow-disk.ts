import { fork } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openApp } from "../src/app.ts";
import { toConfig } from "../src/config.ts";
import { printTable, type Row } from "../test/support/table.ts";

/**
 * How long an answer of the built-in agent takes on a disk that takes 20 ms for each write call: until Discord has the reply, and how many calls there were
 * until everything about it was written. SQLite writes each page of a commit to its log by two calls. `--ms=20`
 */
const QUESTIONS = ["when is the tide?", "what did mark say about the keel?", "who has the keys?", "what did I miss?"];
const WARM_UP = 40;
const CALLS_PER_PAGE = 2;
const FRAME_HEADER_BYTES = 24;
const callMs = Number(process.argv.find((flag) => flag.startsWith("--ms="))?.split("=")[1] ?? 20);

const dataDir = mkdtempSync(join(tmpdir(), "earshot-bench-"));
const log = join(dataDir, "earshot.db-wal");
let pageBytes = 0;
let isSlow = false;
let calls = 0;
let commits = 0;
const { prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...given) {
  const statement = prepare.apply(this, given);
  if (given[0] !== "commit" || !this.location()?.endsWith("earshot.db")) return statement;
  const { run } = statement;
  const runSlowly: typeof run = () => {
    const before = statSync(log).size;
    const result = run.call(statement, {});
    // The log grows by every page until it is first written into the file, which is later than this ends.
    const pages = (statSync(log).size - before) / (pageBytes + FRAME_HEADER_BYTES);
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
const reader = new DatabaseSync(join(dataDir, "earshot.db"), { readOnly: true });
pageBytes = Number(reader.prepare("PRAGMA page_size").get()?.["page_size"]);
reader.close();

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
printTable(`an answer with ${callMs} ms for each write call (goal: 1.5 s)`, rows);
await app.close();
sandbox.kill();
rmSync(dataDir, { recursive: true, force: true });
process.exit(0);
