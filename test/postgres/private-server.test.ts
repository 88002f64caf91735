import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { anEvent } from "../audit/entries.ts";
import { openProgram } from "../discord-transport/open-privacy.ts";
import { admin } from "../support/admin.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { openPrivatePostgres, POSTGRES_PROGRAMS, type PrivatePostgres } from "../support/private-postgres.ts";
import { ADA } from "../support/small-world.ts";

const WHY = POSTGRES_PROGRAMS ? "" : " (skipped: PostgreSQL's own programs are not installed)";
const MAY_MOUNT = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
const WHY_NO_MOUNT = MAY_MOUNT ? "" : " (skipped: this system does not let a user mount file systems)";
const SECRET = "a secret of the operator's";
const WORDS = ["quokkasanctuary", "xylophonist", "zwieback", "fjordhopper", "wombatkey"] as const;
const unavailable = (words: string) => ({ code: "unavailable", message: expect.stringContaining(words) });

describe.skipIf(!POSTGRES_PROGRAMS)(`a PostgreSQL server of its own${WHY}`, () => {
  let server: PrivatePostgres;
  beforeAll(async () => {
    server = await openPrivatePostgres({}, MAY_MOUNT ? { smallDisk: "48m" } : {});
  });
  afterAll(() => server.remove());

  /** The program's stores, with keys in a database of their own, and a fact. */
  async function openOn(name: string) {
    const at = (kind: string) => new URL(`${name}_${kind}`, server.url).href;
    for (const kind of ["facts", "keys"]) await admin(`CREATE DATABASE ${name}_${kind}`, server.url);
    const folder = createDataFolder({
      EARSHOT_DATABASE_URL: at("facts"),
      EARSHOT_KEYS_DATABASE_URL: at("keys"),
      EARSHOT_KEYS_SECRET: SECRET,
    });
    const earshot = await folder.start();
    onTestFinished(async () => {
      await earshot.close();
      folder.remove();
    });
    const { id } = await earshot.remember(ADA, ["boat", "Marlin"]);
    const forget = () => earshot.own.forget(ADA as UserId, id);
    const hear = () => earshot.hear(ADA, ADA, true);
    const record = (name: string) => {
      earshot.audit.note(anEvent({ name }));
      return earshot.audit.settled();
    };
    return { ...earshot, at, forget, hear, record };
  }

  it("holds no text of a fact, a question or a message in any byte on its disk, also of the past", async () => {
    const database = { url: server.url, keysUrl: server.url, keysSecret: SECRET };
    const { sandbox, answer } = await openProgram(() => ({ database }));
    const [said, by, asked, value, key] = WORDS;
    sandbox.as("mark").say("general", `the ${said} opens at noon, says the ${by}`);
    const botId = sandbox.community.people.get("earshot");
    const question = sandbox.as("sarah").say("general", `<@${botId}> when does the ${said} open, ${asked}?`);
    const answers = () =>
      [...(sandbox.world.channels.get(question.channelId)?.messages ?? [])]
        .filter(({ authorId }) => authorId === botId)
        .map(({ content }) => content);
    await expect.poll(() => answers().join()).toContain(said);
    const preview = await answer(sandbox.as("sarah").run("memory remember", { key, value }, { in: "general" }));
    expect(preview.content).toContain(value);
    const bytes = Buffer.concat(
      readdirSync(server.data, { recursive: true, withFileTypes: true }).flatMap((file) =>
        file.isFile() ? [readFileSync(join(file.parentPath, file.name))] : [],
      ),
    );
    // What is kept can be found this way.
    expect(bytes.includes(question.id)).toBe(true);
    for (const text of [...WORDS, SECRET]) expect([text, bytes.includes(text)]).toEqual([text, false]);
  });

  it("is killed and started again: meanwhile all that must be written down is refused, and nothing of it is lost or done twice", async () => {
    const { at, remember, hear, record, storage } = await openOn("restarted");
    await record("before");
    server.stop("immediate");
    await expect(record("meanwhile")).rejects.toMatchObject(unavailable("cannot be reached"));
    await expect(remember(ADA, ["car", "Beetle"])).rejects.toMatchObject({ code: "unavailable" });
    expect(await storage.failures()).toContainEqual(expect.objectContaining({ store: "PostgreSQL" }));
    server.start();
    await record("after");
    expect(await storage.failures()).toEqual([]);
    await remember(ADA, ["car", "Beetle"]);
    expect(await hear()).toEqual(["Beetle", "Marlin"]);
    const kept = await admin("SELECT name FROM audit_events WHERE name <> 'origin' ORDER BY seq", at("facts"));
    expect(kept.map(({ name }) => name).filter((name) => /before|meanwhile|after/.test(String(name)))).toEqual([
      "before",
      "meanwhile",
      "after",
    ]);
  });

  it.each(["facts", "keys"])(
    "becomes read-only while a fact is forgotten, in the database for %s: that is said, and done once it can be written",
    async (name) => {
      const { at, forget, hear, storage, memory } = await openOn(`read_only_${name}`);
      const database = `read_only_${name}_${name}`;
      const setReadOnly = async (state: "on" | "off") => {
        await admin(`ALTER DATABASE ${database} SET default_transaction_read_only = ${state}`, server.url);
        await admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`, server.url);
      };
      await setReadOnly("on");
      if (name === "facts") {
        await expect(forget()).rejects.toMatchObject(unavailable("is read-only"));
        // Nobody is told it meanwhile.
        await expect(hear()).rejects.toThrow("kept changing");
      } else expect(await forget()).toMatchObject({ facts: 1, areKeysDeleted: false, isScrubbed: false });
      expect(await storage.failures()).toMatchObject([{ reason: expect.stringContaining("is read-only") }]);
      await setReadOnly("off");
      expect(await storage.failures()).toEqual([]);
      if (name === "facts") expect(await forget()).toMatchObject({ facts: 1, areKeysDeleted: true });
      else await memory.sweep();
      expect(await hear()).toEqual([]);
      expect(await admin("SELECT name FROM keys WHERE name LIKE 'fact:%'", at("keys"))).toEqual([]);
    },
  );

  it.skipIf(!MAY_MOUNT)(
    `runs out of room, says so, and goes on by itself once there is some${WHY_NO_MOUNT}`,
    async () => {
      await admin(`CREATE TABLESPACE small LOCATION '${server.small}'`, server.url);
      await admin("ALTER DATABASE template1 SET TABLESPACE small", server.url);
      const { at, remember, record, storage } = await openOn("full");
      // A row a page; fewer at last: nothing fits beside them.
      await admin("CREATE TABLE filler (text TEXT); ALTER TABLE filler ALTER text SET STORAGE PLAIN", at("facts"));
      for (const rows of [4_000, 100, 10, 1])
        for (let isFull = false; !isFull; )
          isFull = await admin(
            `INSERT INTO filler SELECT repeat('x', 7000) FROM generate_series(1, ${rows})`,
            at("facts"),
          ).then(
            () => false,
            () => true,
          );
      const fill = (async () => {
        for (let count = 0; count < 500; count += 1) await record(randomBytes(6_000).toString("base64"));
      })();
      await expect(fill).rejects.toMatchObject(unavailable("the disk is full"));
      await expect(remember(ADA, ["car", "x".repeat(100_000)])).rejects.toMatchObject({ code: "unavailable" });
      expect(await storage.failures()).toMatchObject([{ reason: expect.stringContaining("the disk is full") }]);
      await admin("DROP TABLE filler", at("facts"));
      await admin("CHECKPOINT", server.url);
      await record("after");
      await remember(ADA, ["car", "Beetle"]);
      expect(await storage.failures()).toEqual([]);
    },
  );
});
