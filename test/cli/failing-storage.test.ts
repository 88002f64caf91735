import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { runCommand, startCommand } from "../support/program.ts";
import { watchSqlite } from "../support/watch-sqlite.ts";

it("a running program says which store fails, since when and why, once in the log, and when it works again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-storage-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const ports = { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" };
  const databases = new Set<DatabaseSync>();
  onTestFinished(watchSqlite((database) => databases.add(database)));
  const running = startCommand(["start"], { ...ports, EARSHOT_LOG_LEVEL: "info" }, folder);
  await running.prints("Stop with Ctrl-C");
  const port = /127\.0\.0\.1:(\d+)\/api/.exec(running.out)?.[1] ?? "";
  const url = /health at (\S+)\/healthz/.exec(running.out)?.[1] ?? "";
  const run = (...args: string[]) => runCommand(args, { EARSHOT_SANDBOX_PORT: port }, folder);
  const codeOf = async (path: string) => (await fetch(`${url}${path}`)).status;
  const setReadOnly = (name: string, state: "ON" | "OFF") => {
    for (const database of databases)
      if (database.isOpen && database.location()?.endsWith(name)) database.exec(`PRAGMA query_only = ${state}`);
  };
  const count = (message: string, store: string) =>
    running.err.split("\n").filter((line) => line.includes(message) && line.includes(store)).length;
  await expect.poll(async () => (await run("memory", "list", "--as", "sarah")).out).toMatch("berth");
  const works = await run("status");
  expect([works.code, works.out]).toEqual([0, expect.stringMatching(/^ {2}Storage {2,}everything can be kept$/m)]);

  setReadOnly("keys.db", "ON");
  for (const fact of ["berth", "present for Mark"])
    expect((await run("memory", "forget", fact, "--as", "sarah")).out).toContain(
      "It is told to nobody any more; its key will be deleted as soon as the storage allows.",
    );
  const keys = await run("status");
  expect([keys.code, keys.out]).toEqual([
    1,
    expect.stringMatching(
      /^ {2}Storage {2,}keys\.db fails since \S+Z: The file keys\.db cannot be written: .*read-only/m,
    ),
  ]);
  expect(await codeOf("/healthz")).toBe(200);
  setReadOnly("keys.db", "OFF");
  expect((await run("status")).code).toBe(0);
  expect([count("a store fails", "keys.db"), count("a store works again", "keys.db")]).toEqual([1, 1]);

  setReadOnly("earshot.db", "ON");
  const read = () => run("call", "discord.channel.messages", "--as", "sarah", "--in", "general");
  for (const _ of ["first", "second"]) expect((await read()).code).toBe(1);
  expect([await codeOf("/healthz"), await codeOf("/livez")]).toEqual([503, 200]);
  const failing = await run("status");
  expect([failing.code, failing.out]).toEqual([
    1,
    expect.stringMatching(/Storage {2,}earshot\.db fails since \S+Z: .*read-only/),
  ]);
  const doctor = await run("doctor");
  expect([doctor.code, doctor.out]).toEqual([1, expect.stringMatching(/^✗ storage: earshot\.db fails since/m)]);
  setReadOnly("earshot.db", "OFF");
  expect(await codeOf("/healthz")).toBe(200);
  expect([(await run("status")).code, (await read()).code]).toEqual([0, 0]);
  expect([count("a store fails", "earshot.db"), count("a store works again", "earshot.db")]).toEqual([1, 1]);
});
