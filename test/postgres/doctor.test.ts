import { expect, it, onTestFinished } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { inspectFolder } from "../../src/storage/inspect-folder.ts";
import { admin } from "../support/admin.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { describeOnPostgres } from "../support/postgres.ts";
import { runCommand, runEarshot } from "../support/program.ts";
import { ADA } from "../support/small-world.ts";

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

describeOnPostgres("earshot where PostgreSQL is named", (schema) => {
  it("ends a start at once whose data folder cannot be made", async () => {
    await schema.create();
    const env = { EARSHOT_DATABASE_URL: schema.url, EARSHOT_KEYS_SECRET: "a secret of the operator's" };
    const start = runEarshot(["start"], { ...env, EARSHOT_DATA_DIR: "/proc/nothing/here", EARSHOT_PORT: "0" });
    expect([await start.ended, start.err]).toEqual([64, expect.stringContaining("/proc/nothing/here cannot be used")]);
  });

  it("looks by doctor at the database as a start does, and says whether one uses it, or cannot", async () => {
    await schema.create();
    const env = { EARSHOT_DATABASE_URL: schema.url, EARSHOT_KEYS_SECRET: "a secret of the operator's" };
    const folder = createDataFolder(env);
    onTestFinished(folder.remove);
    const own = { ...env, EARSHOT_DATA_DIR: folder.data };
    const inspect = async (more: Readonly<Record<string, string>> = {}) =>
      inspectFolder(await readConfig({ ...own, ...more }, folder.data), QUIET);
    const refused = (words: string) => ({ code: "misconfigured", message: expect.stringContaining(words) });

    expect(await inspect()).toBe(true);
    const earshot = await folder.start();
    expect(await inspect()).toBe(false);
    await earshot.remember(ADA, ["boat", "Marlin"]);
    await earshot.close();
    expect(await inspect()).toBe(true);
    expect(await runCommand(["doctor"], own)).toMatchObject({
      out: expect.stringContaining("✓ storage: a start can use the data folder"),
    });
    const away = new URL(schema.url);
    away.port = "1";
    await expect(inspect({ EARSHOT_DATABASE_URL: away.href })).rejects.toMatchObject(refused("it cannot be reached"));
    const another = { EARSHOT_KEYS_SECRET: "another secret of theirs" };
    await expect(inspect(another)).rejects.toMatchObject(refused("is not the secret"));
    await admin("DELETE FROM keys", schema.url);
    await expect(inspect()).rejects.toMatchObject(refused("The database for keys lacks the key of 1 fact"));
    await schema.drop();
    await schema.create();
    await expect(inspect()).rejects.toMatchObject(refused("its database in PostgreSQL is missing or empty"));
  });
});
