import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, rename, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { prepareAuditKey } from "../../src/stores/file/audit-key.ts";
import { runCommand, startCommand } from "../support/program.ts";
import { IS_ON_POSTGRES, openTestDatabase } from "../support/test-database.ts";

const ENV = { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0", EARSHOT_SANDBOX_TALK_SECONDS: "0" };
const LOST = "The key of the audit (audit.key) is in the data folder, but its database earshot.db is missing or empty.";

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-lost-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** A folder in which the program has run. */
async function usedFolder(): Promise<string> {
  const folder = await emptyFolder();
  await startAndStop(folder);
  return folder;
}

async function startAndStop(folder: string): Promise<void> {
  const start = startCommand(["start"], ENV, folder);
  await start.prints("Stop with Ctrl-C");
  start.stop();
  expect(await start.ended).toBe(0);
}

it.skipIf(IS_ON_POSTGRES)(
  "Earshot refuses to start when the audit key exists and its database is missing, until the key is removed",
  async () => {
    const folder = await usedFolder();
    const file = (name: string) => join(folder, ".earshot", name);
    await rm(file("earshot.db"));
    const verify = await runCommand(["audit", "verify"], ENV, folder);
    expect(verify.code).toBe(64);
    expect(verify.err).toContain(LOST);
    // The second start finds the file that the first one has made.
    for (const _ of ["first", "second"]) {
      const start = await runCommand(["start"], ENV, folder);
      expect(start.code).toBe(64);
      expect(start.err).toContain(LOST);
      expect(start.err.trim().split("\n")).toHaveLength(1);
    }
    await rm(file("audit.key"));
    await startAndStop(folder);
  },
);

it.skipIf(IS_ON_POSTGRES)("Earshot refuses to start when the audit key exists and its database is empty", async () => {
  const folder = await usedFolder();
  await truncate(join(folder, ".earshot", "earshot.db"), 0);
  const start = await runCommand(["start"], ENV, folder);
  expect(start.code).toBe(64);
  expect(start.err).toContain(LOST);
});

it("Earshot starts after its first start was killed between creating the key and beginning the audit", async () => {
  const folder = await emptyFolder();
  const data = join(folder, ".earshot");
  await mkdir(data);
  await (await openTestDatabase(join(data, "earshot.db"))).close();
  await prepareAuditKey(data, randomBytes(32));
  await startAndStop(folder);
  expect((await runCommand(["audit", "verify"], ENV, folder)).out).toContain("the chain is whole");
  expect((await readdir(data)).filter((name) => name.startsWith("audit.key"))).toEqual(["audit.key"]);
});

it("Earshot starts after its first start was killed just after the audit began, with the same key", async () => {
  const folder = await usedFolder();
  const file = (name: string) => join(folder, ".earshot", name);
  await rename(file("audit.key"), file("audit.key.new"));
  await startAndStop(folder);
  expect((await runCommand(["audit", "verify"], ENV, folder)).out).toContain("the chain is whole");
  expect((await readdir(file("."))).filter((name) => name.startsWith("audit.key"))).toEqual(["audit.key"]);
});
