import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { admin } from "../support/admin.ts";
import { createDataFolder, signInAs } from "../support/data-folder.ts";
import { describeOnPostgres, TestSchema } from "../support/postgres.ts";
import { runCommand } from "../support/program.ts";
import { ADA, BO, CEM } from "../support/small-world.ts";

describeOnPostgres("backups of PostgreSQL", () => {
  async function arrive() {
    const [schema, keysSchema] = [await new TestSchema().create(), await new TestSchema().create()];
    const env = {
      EARSHOT_DATABASE_URL: schema.url,
      EARSHOT_KEYS_DATABASE_URL: keysSchema.url,
      EARSHOT_KEYS_SECRET: "a secret of the operator's",
    };
    const folder = createDataFolder(env);
    onTestFinished(async () => {
      folder.remove();
      await schema.drop();
      await keysSchema.drop();
    });
    const lose = async (...lost: readonly TestSchema[]) => {
      for (const each of lost) await (await each.drop().then(() => each.create())).name;
    };
    const filled = async () => {
      const earshot = await folder.start();
      const { id } = await earshot.remember(ADA, ["boat", "Marlin"]);
      await earshot.remember(CEM, ["home", "harbour"]);
      await earshot.consent.leaveOut(BO as UserId);
      await signInAs(ADA, earshot.signIns);
      return { earshot, id };
    };
    const agreed = { confirm: async () => true };
    return { schema, keysSchema, env, folder, lose, filled, agreed };
  }

  it("are the files of a data folder, keys apart, made while the program runs and while it does not", async () => {
    const { folder, filled, env } = await arrive();
    const { earshot } = await filled();
    const made = await folder.backUp();
    expect(readdirSync(made.folder).sort()).toEqual(["audit.key", "earshot.db"]);
    expect(readdirSync(made.keysFolder)).toEqual(["keys.db"]);
    for (const file of [
      join(made.folder, "earshot.db"),
      join(made.folder, "audit.key"),
      join(made.keysFolder, "keys.db"),
    ])
      expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(made.folder, "earshot.db")).includes("Marlin")).toBe(false);
    await earshot.close();
    const args = [folder.folder, "--keys", folder.keysFolder];
    const again = await runCommand(["backup", ...args], { ...env, EARSHOT_DATA_DIR: folder.data });
    expect(again).toMatchObject({ code: 0, err: "", out: expect.stringContaining("opened to check") });
    expect(readdirSync(folder.folder)).toHaveLength(2);

    // The same backup, put back as files.
    const files = createDataFolder();
    onTestFinished(() => files.remove());
    const restored = await runCommand(["restore", ...args, "--forgotten-may-come-back"], {
      EARSHOT_DATA_DIR: files.data,
      EARSHOT_KEYS_SECRET: "",
    });
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining("Restored earshot.db and keys.db") });
    const there = await files.start();
    expect([await there.hear(ADA, ADA, true), await there.hear(BO, ADA)]).toEqual([["Marlin"], []]);
    await there.close();
  });

  it("make no folder where nothing was kept", async () => {
    const { folder } = await arrive();
    await expect(folder.backUp()).rejects.toThrow("Nothing has been kept here yet.");
    expect([folder.folder, folder.keysFolder].filter((each) => existsSync(each))).toEqual([]);
  });

  it("are put back where everything was lost, and their facts are told to their owners alone", async () => {
    const { schema, keysSchema, folder, lose, filled, agreed, env } = await arrive();
    const { earshot } = await filled();
    await folder.backUp();
    await expect(folder.restore(agreed)).rejects.toThrow("Nothing is missing");
    await earshot.close();
    await lose(schema, keysSchema);
    await expect(folder.start()).rejects.toThrow("its database in PostgreSQL is missing or empty");
    await expect(folder.restore()).rejects.toMatchObject({ code: "cancelled" });
    expect(await folder.restore(agreed)).toMatchObject({ replaced: "both", facts: 2, erased: 0 });
    const after = await folder.start();
    expect([await after.hear(ADA, ADA, true), await after.hear(BO, ADA)]).toEqual([["Marlin"], []]);
    expect(after.consent.isLeftOut(BO as UserId)).toBe(true);
    expect(await after.signIns.load(0)).toEqual({ signIns: [], tokens: [] });
    await after.remember(ADA, ["dog", "Rex"]);
    await after.close();
    const verified = await runCommand(["audit", "verify"], { ...env, EARSHOT_DATA_DIR: folder.data });
    expect(verified).toMatchObject({ code: 0, out: expect.stringContaining("! restored") });
  });

  it("never bring back a key that the surviving keys lack", async () => {
    const { schema, folder, lose, filled } = await arrive();
    const { earshot, id } = await filled();
    await folder.backUp();
    await earshot.own.forget(ADA as UserId, id);
    await earshot.close();
    await lose(schema);
    expect(await folder.restore()).toMatchObject({ replaced: "database", facts: 1, erased: 1 });
    const after = await folder.start();
    expect([await after.hear(ADA, ADA, true), await after.hear(CEM, CEM, true)]).toEqual([[], ["harbour"]]);
    await after.close();
  });

  it("never bring back what the surviving database says was forgotten", async () => {
    const { keysSchema, folder, lose, filled } = await arrive();
    const { earshot, id } = await filled();
    await folder.backUp();
    await earshot.own.forget(ADA as UserId, id);
    await earshot.close();
    await lose(keysSchema);
    await expect(folder.start()).rejects.toThrow("The database for keys is missing beside the facts");
    expect(await folder.restore()).toMatchObject({ replaced: "keys", facts: 1, erased: 0 });
    const after = await folder.start();
    expect([await after.hear(ADA, ADA), await after.hear(CEM, CEM)]).toEqual([[], ["harbour"]]);
    await after.close();
    const [row] = await admin("SELECT count(*) AS n FROM keys WHERE name LIKE 'fact:%'", keysSchema.url);
    expect(row?.["n"]).toBe("1");
  });

  it("refuse the start after a restore that was interrupted, until it is repeated", async () => {
    const { schema, keysSchema, folder, lose, filled, agreed } = await arrive();
    const { earshot } = await filled();
    await folder.backUp();
    await earshot.close();
    await lose(schema, keysSchema);
    await expect(folder.restore({ ...agreed, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "cancelled",
    });
    await expect(folder.start()).rejects.toThrow("is incomplete: a migration or a restore into it was interrupted");
    await admin("DELETE FROM memory_facts; DELETE FROM audit_events", schema.url);
    await admin("UPDATE keys SET name = repeat(' ', 64) WHERE slot = 1", keysSchema.url);
    expect(await folder.restore(agreed)).toMatchObject({ replaced: "both", facts: 2, erased: 0 });
    const after = await folder.start();
    expect(await after.hear(CEM, CEM, true)).toEqual(["harbour"]);
    await after.close();
  });

  it("leave out facts that were added while they were made, and are refused where keys are lost", async () => {
    const { keysSchema, folder, filled, lose, agreed, schema } = await arrive();
    const { earshot } = await filled();
    await earshot.close();
    const before = Date.now() - 60_000;
    const newer = { now: () => before };
    await admin(
      "UPDATE keys SET name = repeat(' ', 64) WHERE slot = (SELECT max(slot) FROM keys WHERE name LIKE 'fact:%')",
      keysSchema.url,
    );
    await expect(folder.backUp()).rejects.toThrow("lacks the key of 1 fact");
    expect(readdirSync(folder.folder)).toEqual([]);
    await folder.backUp(newer);
    await lose(schema, keysSchema);
    expect(await folder.restore(agreed)).toMatchObject({ facts: 1, erased: 0 });
  });
});
