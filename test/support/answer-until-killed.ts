import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { openApp } from "../../src/app/app.ts";
import { toConfig } from "../../src/config/config.ts";
import { databaseConfig } from "./test-database.ts";
import { watchSqlite } from "./watch-sqlite.ts";

const [api = "", token = "", dataDir = ""] = process.argv.slice(2);
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const sleeper = new Int32Array(new SharedArrayBuffer(4));
/** Long enough for a request that did not wait for a commit to be answered, and the process to be killed, before the commit is done. */
const COMMIT_MS = 150;

/** Answers questions in the sandbox, on a disk that is slow to commit, and says so before each commit. Runs until somebody kills it. */
let isReady = false;
/** When Discord was last heard is kept every few seconds, beside all answers. */
let isLastHeard = false;
watchSqlite((database, sql) => {
  if (!isReady || !database.location()?.endsWith("earshot.db")) return;
  isLastHeard = sql.startsWith("begin") ? false : isLastHeard || sql.includes("last_heard");
  if (sql !== "commit") return;
  if (!isLastHeard) writeSync(1, "commit\n");
  Atomics.wait(sleeper, 0, 0, COMMIT_MS);
});
const kept = await databaseConfig(dataDir);
const app = await openApp(toConfig({ discord: { api, token }, dataDir, server: { port: 0 }, ...kept }), quiet);
await app.loadRest();
// A program that is killed writes no compile cache at its end.
flushCompileCache();
isReady = true;
writeSync(1, `ready ${app.discord.botId}\n`);
