import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { openPostgres } from "../../src/stores/postgres/open-postgres.ts";
import { admin, SERVER } from "../support/admin.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { describeOnPostgres, TestSchema } from "../support/postgres.ts";
import { runCommand, runEarshot } from "../support/program.ts";
import { ADA, BO, CEM } from "../support/small-world.ts";

const SECRET = { EARSHOT_KEYS_SECRET: "a secret of the operator's" };

describeOnPostgres("earshot migrate", () => {
  /** A folder with facts, one of which is forgotten, and somebody who is left out; and an empty schema. */
  async function arrive() {
    const schema = await new TestSchema().create();
    const files = createDataFolder();
    onTestFinished(async () => {
      files.remove();
      await schema.drop();
    });
    const earshot = await files.start();
    await earshot.remember(ADA, ["boat", "Marlin"]);
    await earshot.remember(CEM, ["home", "harbour"]);
    const { id } = await earshot.remember(ADA, ["car", "Beetle"]);
    await earshot.own.forget(ADA as UserId, id);
    await earshot.consent.leaveOut(BO as UserId);
    await earshot.close();
    const env = { EARSHOT_DATA_DIR: files.data, ...SECRET };
    const migrate = (...args: string[]) => runCommand(["migrate", "--to", schema.url, ...args], env);
    const onPostgres = { ...SECRET, EARSHOT_DATABASE_URL: schema.url };
    return { schema, files, env, migrate, onPostgres };
  }

  it("moves facts, endings, opt-outs and the audit, after which the files are never used again", async () => {
    const { files, env, migrate, onPostgres } = await arrive();
    const moved = await migrate();
    expect(moved).toMatchObject({
      code: 0,
      out: expect.stringMatching(/compared one by one; the audit of \d+ rows is\s+whole/),
    });
    expect(moved.out).toContain(`Still there: ${join(files.data, "keys.db")}`);
    const { host, pathname } = new URL(SERVER);
    await expect(files.start()).rejects.toThrow(
      `The data folder was moved to PostgreSQL (${host}${pathname}). Set EARSHOT_DATABASE_URL`,
    );
    for (const args of [
      ["backup", files.folder, "--keys", files.keysFolder],
      ["restore", files.folder, "--keys", files.keysFolder],
    ])
      expect(await runCommand(args, env)).toMatchObject({
        code: 64,
        err: expect.stringContaining("was moved to PostgreSQL"),
      });

    const again = await migrate("--destroy-old-keys");
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining("Destroyed") });
    expect(readdirSync(files.data).filter((name) => /^keys\.db(?!\.lock)/.test(name))).toEqual([]);
    expect(await migrate()).toMatchObject({ code: 1, err: expect.stringContaining("was moved already") });

    const earshot = await files.startWith(onPostgres);
    expect([await earshot.hear(ADA, ADA), await earshot.hear(ADA, CEM)]).toEqual([["Marlin"], ["harbour"]]);
    expect(earshot.consent.isLeftOut(BO as UserId)).toBe(true);
    await earshot.remember(ADA, ["dog", "Rex"]);
    expect(await earshot.hear(ADA, ADA)).toEqual(["Marlin", "Rex"]);
    await earshot.close();
    expect(await runCommand(["audit", "verify"], { ...env, ...onPostgres })).toMatchObject({ code: 0 });
  });

  it("refuses what cannot be moved or moved to, in one sentence, and leaves the folder as it is", async () => {
    const { schema, files, env } = await arrive();
    const refusal = async (args: readonly string[], more: Record<string, string> = {}) => {
      const { code, out, err } = await runCommand(["migrate", ...args], { ...env, ...more });
      expect([code === 0, out]).toEqual([false, ""]);
      return err;
    };
    const to = ["--to", schema.url];
    expect(await refusal([])).toContain("Name the database: ");
    expect(await refusal(["--to", "mysql://host/name"])).toContain("--to must be an address such as postgres://");
    expect(await refusal([...to, "--keys-to", "elsewhere"])).toContain("--keys-to must be an address");
    expect(await refusal([...to, "more"])).toContain("takes no arguments besides its options");
    expect(await refusal(to, { EARSHOT_KEYS_SECRET: "" })).toContain("Set EARSHOT_KEYS_SECRET");
    expect(await refusal(to, { EARSHOT_DATA_DIR: join(files.data, "none") })).toContain("that could be moved");
    const unreachable = new URL(schema.url);
    unreachable.port = "1";
    unreachable.password = "hidden";
    const refused = await refusal(["--to", unreachable.href]);
    expect(refused).toContain("cannot be reached");
    expect(refused).not.toContain("hidden");

    const earshot = await files.start();
    expect(await refusal(to)).toContain("Another Earshot uses this data folder");
    await earshot.close();

    const used = await openPostgres(schema.url);
    expect(await refusal(to)).toContain("The database is used by another Earshot");
    await used.close();
    expect(await refusal(to)).toContain("The database holds data of Earshot already");
    await admin("UPDATE earshot_writers SET version = 1", schema.url);
    expect(await refusal(to)).toContain("another version of Earshot");
    await schema.drop();
    await schema.create();
    await admin("CREATE TABLE operations (id TEXT)", schema.url);
    expect(await refusal(to)).toContain("tables of another program");

    const untouched = await files.start();
    expect(await untouched.hear(ADA, ADA)).toEqual(["Marlin"]);
    await untouched.close();
  });

  it("goes on where it was killed, and nothing starts on a half of it meanwhile", async () => {
    const { schema, files, env, migrate, onPostgres } = await arrive();
    const earshot = await files.start();
    for (let count = 0; count < 30_000; count += 1)
      earshot.audit.note({
        kind: "event",
        row: { operation_id: "", name: "event", detail_json: `{"at":${count}}`, happened_at: Date.now() },
      });
    await earshot.audit.settled();
    await earshot.close();
    const kept = async () =>
      Number((await admin("SELECT count(*) AS n FROM audit_events", schema.url).catch(() => []))[0]?.["n"] ?? 0);
    const killed = runEarshot(["migrate", "--to", schema.url], env);
    await expect.poll(kept, { interval: 5 }).toBeGreaterThan(0);
    killed.process.kill("SIGKILL");
    expect(await killed.ended).toBe("SIGKILL");
    expect(await kept()).toBeLessThan(30_000);
    const firstWrite = async () => (await admin("SELECT xmin FROM audit_events ORDER BY seq LIMIT 1", schema.url))[0];
    const written = await firstWrite();

    await expect(files.start()).rejects.toThrow("If the migration never ended, run it again");
    await expect(files.startWith(onPostgres)).rejects.toThrow("a migration or a restore into it was interrupted");
    expect(await migrate("--destroy-old-keys")).toMatchObject({ code: 0 });
    expect(await firstWrite()).toEqual(written);
    const after = await files.startWith(onPostgres);
    expect(await after.hear(ADA, ADA)).toEqual(["Marlin"]);
    await after.close();
    expect(await runCommand(["audit", "verify"], { ...env, ...onPostgres })).toMatchObject({ code: 0 });
    expect(existsSync(join(files.data, "keys.db"))).toBe(false);
  });
});
