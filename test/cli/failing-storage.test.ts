import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { admin } from "../support/admin.ts";
import { runCommand, startCommand } from "../support/program.ts";
import { refuseWrites } from "../support/refuse-writes.ts";
import { databaseSettings, IS_ON_POSTGRES } from "../support/test-database.ts";
import { watchSqlite } from "../support/watch-sqlite.ts";

const [FACTS, KEYS] = IS_ON_POSTGRES ? ["PostgreSQL", "the keys"] : ["earshot.db", "keys.db"];
const KEYS_STORE = IS_ON_POSTGRES ? "The database for keys" : "The file keys.db";

/** Makes one of the databases of a program that is started now read-only; what is returned then ends that. */
function watchDatabases(dataDir: string): (name: "earshot.db" | "keys.db") => Promise<() => Promise<void>> {
  const { EARSHOT_DATABASE_URL: url, EARSHOT_KEYS_DATABASE_URL: keysUrl } = databaseSettings(dataDir);
  if (url !== undefined && keysUrl !== undefined)
    return (name) =>
      refuseWrites((sql) => admin(sql, name === "earshot.db" ? url : keysUrl), "read_only_sql_transaction");
  const databases = new Set<DatabaseSync>();
  onTestFinished(watchSqlite((database) => databases.add(database)));
  const set = (name: string, state: "ON" | "OFF") => {
    for (const database of databases)
      if (database.isOpen && database.location()?.endsWith(name)) database.exec(`PRAGMA query_only = ${state}`);
  };
  return async (name) => {
    set(name, "ON");
    return async () => set(name, "OFF");
  };
}

it("a running program says which store fails, since when and why, once in the log, and when it works again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-storage-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const ports = { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" };
  const makeReadOnly = watchDatabases(join(folder, ".earshot"));
  const running = startCommand(["start"], { ...ports, EARSHOT_LOG_LEVEL: "info" }, folder);
  await running.prints("Stop with Ctrl-C");
  const port = /127\.0\.0\.1:(\d+)\/api/.exec(running.out)?.[1] ?? "";
  const url = /health at (\S+)\/healthz/.exec(running.out)?.[1] ?? "";
  const run = (...args: string[]) => runCommand(args, { EARSHOT_SANDBOX_PORT: port }, folder);
  const codeOf = async (path: string) => (await fetch(`${url}${path}`)).status;
  const count = (message: string, store: string) =>
    running.err.split("\n").filter((line) => line.includes(message) && line.includes(store)).length;
  await expect.poll(async () => (await run("memory", "list", "--as", "sarah")).out).toMatch("berth");
  const works = await run("status");
  expect([works.code, works.out]).toEqual([0, expect.stringMatching(/^ {2}Storage {2,}everything can be kept$/m)]);

  const allowKeys = await makeReadOnly("keys.db");
  for (const fact of ["berth", "present for Mark"])
    expect((await run("memory", "forget", fact, "--as", "sarah")).out).toContain(
      "It is told to nobody any more; its key will be deleted as soon as the storage allows.",
    );
  const keys = await run("status");
  expect([keys.code, keys.out]).toEqual([
    1,
    expect.stringMatching(
      new RegExp(`^ {2}Storage {2,}${KEYS} fails since \\S+Z: ${KEYS_STORE} cannot be written: .*read-only`, "m"),
    ),
  ]);
  expect(await codeOf("/healthz")).toBe(200);
  await allowKeys();
  expect((await run("status")).code).toBe(0);
  expect([count("a store fails", KEYS), count("a store works again", KEYS)]).toEqual([1, 1]);

  const allowFacts = await makeReadOnly("earshot.db");
  const read = () => run("call", "discord.channel.messages", "--as", "sarah", "--in", "general");
  for (const _ of ["first", "second"]) expect((await read()).code).toBe(1);
  expect([await codeOf("/healthz"), await codeOf("/livez")]).toEqual([503, 200]);
  const failing = await run("status");
  expect([failing.code, failing.out]).toEqual([
    1,
    expect.stringMatching(new RegExp(`Storage {2,}${FACTS} fails since \\S+Z: .*read-only`)),
  ]);
  const doctor = await run("doctor");
  expect([doctor.code, doctor.out]).toEqual([
    1,
    expect.stringMatching(new RegExp(`^✗ storage: ${FACTS} fails since`, "m")),
  ]);
  await allowFacts();
  expect(await codeOf("/healthz")).toBe(200);
  expect([(await run("status")).code, (await read()).code]).toEqual([0, 0]);
  expect([count("a store fails", FACTS), count("a store works again", FACTS)]).toEqual([1, 1]);
});
