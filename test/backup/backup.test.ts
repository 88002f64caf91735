import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { toStamp } from "../../src/storage/backup-names.ts";
import { runCommand, startCommand } from "../support/program.ts";
import { IS_ON_POSTGRES, openTestDatabaseToRead } from "../support/test-database.ts";

const DAY_MS = 86_400_000;
/** What the sample community has had remembered. A fact's key is there before the fact. */
const SAMPLE_FACTS = 4;

/** A data folder that a program on its own sandbox has filled, and where to back it up. */
async function arrive() {
  const folder = await mkdtemp(join(tmpdir(), "earshot-backup-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const env = { EARSHOT_PORT: "0", EARSHOT_SANDBOX_PORT: "0" };
  const program = startCommand(["start"], env, folder);
  await program.prints("Stop with Ctrl-C");
  const [to, keys, data] = [join(folder, "copies"), join(folder, "keys"), join(folder, ".earshot")];
  const backUp = (...args: string[]) => runCommand(["backup", ...args], env, folder);
  const stop = async () => {
    program.stop();
    await program.ended;
  };
  return { folder, to, keys, data, env, stop, backUp };
}

const count = (file: string, table: string) => {
  const database = new DatabaseSync(file, { readOnly: true });
  const { n } = database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number };
  database.close();
  return n;
};
/** Of a program, which may be running. */
async function countFacts(data: string): Promise<number> {
  const database = await openTestDatabaseToRead(join(data, "earshot.db"));
  const [row] = await database.query<{ n: number }>("SELECT count(*) AS n FROM memory_facts");
  await database.close();
  return row?.n ?? 0;
}
const list = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

describe("earshot backup", () => {
  it("copies both databases of a running program into single files that only their owner may read", async () => {
    const { to, keys, data, stop, backUp } = await arrive();
    await expect.poll(() => countFacts(data)).toBe(SAMPLE_FACTS);
    const { code, out, err } = await backUp(to, "--keys", keys);
    expect([code, err]).toEqual([0, ""]);
    const [stamp = ""] = list(to);
    expect(list(keys)).toEqual([stamp]);
    expect(out).toContain(join(to, stamp));
    expect(list(join(to, stamp)).sort()).toEqual(["audit.key", "earshot.db"]);
    expect(list(join(keys, stamp))).toEqual(["keys.db"]);
    for (const file of [join(to, stamp, "earshot.db"), join(to, stamp, "audit.key"), join(keys, stamp, "keys.db")])
      expect(statSync(file).mode & 0o777).toBe(0o600);
    await stop();
    const facts = count(join(to, stamp, "earshot.db"), "memory_facts");
    expect(facts).toBe(SAMPLE_FACTS);
    expect(count(join(keys, stamp, "keys.db"), "keys WHERE name LIKE 'fact:%'")).toBe(facts);

    // The same without a program, in the same folders.
    expect(await backUp(to, "--keys", keys)).toMatchObject({ code: 0, err: "" });
    expect([list(to).length, list(keys).length]).toEqual([2, 2]);
    expect(list(data).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
  });

  // What survives on PostgreSQL is not in the folder: see test/postgres/backup.test.ts.
  it.skipIf(IS_ON_POSTGRES)(
    "is restored without a survivor only after a flag, and people and the audit are told what may be missing",
    async () => {
      const { folder, to, keys, data, env, stop, backUp } = await arrive();
      await expect.poll(() => countFacts(data)).toBe(SAMPLE_FACTS);
      await backUp(to, "--keys", keys);
      const restore = (...args: string[]) => runCommand(["restore", to, "--keys", keys, ...args], env, folder);
      expect(await restore()).toMatchObject({ code: 64, err: expect.stringContaining("Stop it, then restore") });
      await stop();
      expect(await restore()).toMatchObject({ code: 1, err: expect.stringContaining("Nothing is missing") });
      await rm(data, { recursive: true });
      const asked = await restore();
      expect(asked).toMatchObject({ code: 1, out: "", err: expect.stringContaining("add --forgotten-may-come-back.") });
      expect(existsSync(data)).toBe(false);
      const { code, out } = await restore("--forgotten-may-come-back");
      expect([code, out]).toEqual([0, expect.stringMatching(/^Restored earshot\.db and keys\.db from the backup of /)]);
      expect(out.replaceAll(/\s+/g, " ")).toMatch(/who asked to be left out, since \S+ \S+ UTC may be missing\./);
      const verified = await runCommand(["audit", "verify"], env, folder);
      expect(verified).toMatchObject({ code: 0, out: expect.stringMatching(/! restored .* in between is missing\n$/) });
      const program = startCommand(["start"], env, folder);
      await program.prints("Stop with Ctrl-C");
      const shown = await runCommand(["privacy", "show", "--as", "mark"], env, folder);
      expect(shown.out).toMatch(
        /A backup was restored: what you forgot .*, between \S+ \S+ UTC and \S+ \S+ UTC, may be missing/,
      );
    },
  );

  it("refuses folders that are the same, nested or linked, and what cannot be written, with one sentence and no trace", async () => {
    const { folder, to, keys, data, stop, backUp } = await arrive();
    await mkdir(to);
    await symlink(to, join(folder, "link"));
    const refused = [
      [to, to],
      [to, join(to, "keys")],
      [join(keys, "copies"), keys],
      [to, join(folder, "link")],
      [to, join(folder, "link", "deeper")],
      [to, data],
      [join(data, "copies"), keys],
      [folder, keys],
    ];
    for (const [one = "", other = ""] of refused) {
      const { code, out, err } = await backUp(one, "--keys", other);
      expect([one, other, code, out, err]).toEqual([one, other, 1, "", expect.stringContaining("lies within it.")]);
    }
    for (const args of [[], [to], ["--keys", keys], [to, keys], [to, "more", "--keys", keys]])
      expect(await backUp(...args)).toMatchObject({ code: 1, err: expect.stringContaining("Name two folders") });
    await writeFile(keys, "a file");
    const refusal = {
      code: 1,
      out: "",
      err: expect.stringMatching(/^\S*keys\S* cannot be used: it is not a folder\. .*\n$/),
    };
    expect(await backUp(to, "--keys", keys)).toEqual(refusal);
    await stop();
    expect(await backUp(to, "--keys", keys)).toEqual(refusal);
    expect(list(to)).toEqual([]);
  });

  it("gives a copy its name only once it has been opened", async () => {
    const { to, keys, data, stop, backUp } = await arrive();
    await stop();
    await writeFile(join(data, "audit.key"), Buffer.alloc(32, 7));
    const { code, err } = await backUp(to, "--keys", keys);
    expect([code, err]).toEqual([64, expect.stringContaining("The audit was made with another key")]);
    expect([list(to), list(keys)]).toEqual([[], []]);
  });

  it("leaves nothing when it is stopped in the middle", async () => {
    const { folder, to, keys, env } = await arrive();
    const command = startCommand(["backup", to, "--keys", keys], env, folder);
    command.stop();
    expect(await command.ended).toBe(130);
    expect(command.err).toContain("Nothing was backed up");
    expect([list(to), list(keys)]).toEqual([[], []]);
  });

  it("deletes its own copies of keys that are older than seven days, and nothing else", async () => {
    const { to, keys, stop, backUp } = await arrive();
    await stop();
    const at = (days: number) => toStamp(Date.now() - days * DAY_MS);
    const [old, young, foreign] = [at(7.01), at(6.99), "2020-01-01"];
    for (const name of [old, young, foreign, `${at(1)}.partial`]) {
      await mkdir(join(keys, name), { recursive: true });
      await writeFile(join(keys, name, "keys.db"), "");
    }
    await mkdir(join(to, old), { recursive: true });
    await writeFile(join(to, old, "earshot.db"), "");
    const { out } = await backUp(to, "--keys", keys);
    expect(out).toContain("Deleted 1 copy of keys older than 7 days.");
    const [made = ""] = list(to).filter((name) => name !== old);
    expect(list(keys).sort()).toEqual([foreign, young, made].sort());
    expect(list(to)).toContain(old);
  });

  it("has nothing to back up where nothing was kept, and makes no folder there", async () => {
    const folder = await mkdtemp(join(tmpdir(), "earshot-backup-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { code, err } = await runCommand(["backup", join(folder, "a"), "--keys", join(folder, "b")], {}, folder);
    expect([code, err]).toEqual([1, expect.stringContaining("Nothing has been kept ")]);
    expect(list(folder)).toEqual([]);
  });
});
