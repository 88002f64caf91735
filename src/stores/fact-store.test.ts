import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fillDisk } from "../../test/audit/fill-disk.ts";
import { override } from "../../test/support/failing-stores.ts";
import type { UserId } from "../domain/ids.ts";
import type { FactQuery, FactRow, FactStore, StoredFact } from "../ports/fact-store.ts";
import { type Database, SYNCED } from "./database.ts";
import { describeFactStore } from "./fact-store.suite.ts";
import { createFactStore } from "./fact-store.ts";
import { describeFactVersions } from "./fact-versions.suite.ts";
import { describeLastHeard } from "./last-heard.suite.ts";
import { createLastHeardStore } from "./last-heard-store.ts";
import { describeOptOutStore } from "./opt-out-store.suite.ts";
import { createOptOutStore } from "./opt-out-store.ts";
import { describeSignInStore } from "./sign-in-store.suite.ts";
import { createSignInStore } from "./sign-in-store.ts";
import { openDurableDatabase } from "./sqlite/open-sqlite.ts";

const fixtureOf =
  <Store>(create: (database: Database) => Store) =>
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "earshot-facts-"));
    const open = () => openDurableDatabase(join(folder, "earshot.db"));
    let database = await open();
    return {
      folder,
      database,
      store: create(database),
      async reopen() {
        await database.close();
        database = await open();
        return create(database);
      },
      async close() {
        database.close();
        rmSync(folder, { recursive: true });
      },
    };
  };

describeFactStore("SQLite", fixtureOf(createFactStore));
describeFactVersions("SQLite", fixtureOf(createFactStore));
describeOptOutStore("SQLite", fixtureOf(createOptOutStore));
describeLastHeard("SQLite", fixtureOf(createLastHeardStore));
describeSignInStore("SQLite", fixtureOf(createSignInStore));

const toFact = (id: string, value_json: string): StoredFact => ({
  row: {
    ...{ id, scope_type: "user", scope_id: "11", subject_id: "11" as UserId, guild_id: null, audience_ref: null },
    ...{ key: `key of ${id}`, value_json, visibility: "private" },
    ...{ created_by: "11" as UserId, verification_status: "inferred", confidence: 1 },
    ...{ expires_at: null, created_at: 1, version: 1 },
  } satisfies FactRow,
  sources: [{ type: "typed", ref: `source of ${id}`, hash: "", isOwn: true }],
});

async function open() {
  const fixture = await fixtureOf(createFactStore)();
  onTestFinished(() => fixture.close());
  return fixture;
}

/** How SQLite would answer the query that the store makes. */
async function planOf(work: (store: FactStore) => Promise<unknown>): Promise<string> {
  const { database } = await open();
  let plan = "";
  const explain: Database["query"] = async (sql, values) => {
    const rows = await database.query<{ detail: string }>(`explain query plan ${sql}`, values);
    plan = rows.map(({ detail }) => detail).join("\n");
    return [];
  };
  await work(createFactStore(override(database, { query: explain })));
  return plan;
}

describe("facts in SQLite", () => {
  it("leave no byte in any file once they are deleted and scrubbed", async () => {
    const { folder, store } = await open();
    const bytes = () => Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
    await store.change({ add: [toFact("one", "sealed ".repeat(2_000)), toFact("two", "other")] });
    expect(bytes().includes("source of one")).toBe(true);
    await store.change({ delete: ["one"] });
    expect(await store.scrub()).toBe(true);
    for (const words of ["sealed ", "source of one", "key of one"]) expect(bytes().includes(words)).toBe(false);
    expect(bytes().includes("source of two")).toBe(true);
  });

  it.each(["{", "7", '"text"', "null", '[["typed"]]', '[["typed", "1", 2, 1]]', "[7]", "[null]"])(
    "rest on nothing when somebody wrote %s for what they rest on, and can be deleted",
    async (text) => {
      const { store, database } = await open();
      await store.change({ add: [toFact("one", "sealed"), toFact("two", "other")] });
      await database.transaction((change) =>
        change.run("UPDATE memory_facts SET sources_json = :text WHERE id = 'one'", { text }),
      );
      const [one, two] = await store.findByIds(["one", "two"]);
      expect(one).toEqual({ ...toFact("one", "sealed"), sources: [] });
      expect(two).toEqual(toFact("two", "other"));
      await store.change({ delete: ["one"] });
      expect(await database.query("SELECT * FROM stored_sources WHERE owner_id = 'one'")).toEqual([]);
    },
  );

  it("tell their first source in columns of their own, for those who look into the file", async () => {
    const { store, database } = await open();
    await store.change({ add: [toFact("one", "sealed")] });
    const rows = await database.query(
      "SELECT source_type, source_ref, source_excerpt_hash, created_at, updated_at, deleted_at FROM memory_facts",
    );
    const first = { source_type: "typed", source_ref: "source of one", source_excerpt_hash: "" };
    expect(rows).toEqual([{ ...first, created_at: 1, updated_at: 1, deleted_at: null }]);
  });

  it("are not reported as scrubbed while somebody reads the file", async () => {
    const { store, database } = await open();
    await store.change({ add: [toFact("one", "sealed")] });
    const snapshot = await database.openSnapshot();
    await store.change({ delete: ["one"] });
    expect(await store.scrub()).toBe(false);
    await snapshot.close();
    expect(await store.scrub()).toBe(true);
  });

  it("are unchanged when the disk is full, and the store says that it is unavailable", async () => {
    const { store, database } = await open();
    await store.change({ add: [toFact("one", "sealed")] });
    const makeRoom = await fillDisk(database);
    const growing = store.change({ add: [toFact("two", "x".repeat(100_000))], delete: ["one"] });
    await expect(growing).rejects.toMatchObject({ code: "unavailable" });
    expect(await store.find({}, { limit: 9 })).toEqual([toFact("one", "sealed")]);
    await makeRoom();
    await store.change({ add: [toFact("two", "x".repeat(100_000))], delete: ["one"] });
    expect(await store.ids({ limit: 9 })).toEqual(["two"]);
  });

  it("are unavailable after the database was closed", async () => {
    const { store, database } = await open();
    await database.close();
    for (const fail of [() => store.ids({ limit: 1 }), () => store.change({ delete: ["one"] }), () => store.scrub()])
      await expect(fail()).rejects.toMatchObject({ code: "unavailable" });
    const optOuts = createOptOutStore(database);
    for (const fail of [() => optOuts.load(), () => optOuts.add("x", 1), () => optOuts.remove("x")])
      await expect(fail()).rejects.toMatchObject({ code: "unavailable" });
  });

  it.each([
    [{ scopeType: "user", scopeId: "11" }, "by_scope"],
    [{ scopeType: "user", key: "k" }, "by_key"],
    [{ subjectId: "11" as UserId }, "by_subject_id"],
    [{ createdBy: "11" as UserId }, "by_created_by"],
    [{ citing: { type: "typed", refs: [""] } }, "stored_sources_by_ref"],
    [{}, "by_age"],
  ] satisfies [FactQuery, string][])("are found through an index: %o uses %s", async (query, index) => {
    const plan = await planOf((store) => store.find(query, { limit: 10 }));
    expect(plan).toContain(index);
    expect(plan).not.toMatch(/SCAN memory_facts(?! USING INDEX memory_facts_by_age)/);
  });

  it("are found through an index by another version of them", async () => {
    const plan = await planOf((store) => store.recordsOf(["one"]));
    expect(plan).toContain("SEARCH memory_facts USING INDEX memory_facts_by_key");
    expect(plan).not.toContain("SCAN memory_facts");
  });

  it("are synced to the disk, while the audit beside them is not", async () => {
    const { store, database } = await open();
    const level = "PRAGMA synchronous";
    expect(await database.transaction((change) => change.query(level), SYNCED)).toEqual([{ synchronous: 2 }]);
    await store.setStoreId("x");
    expect(await database.transaction((change) => change.query(level))).toEqual([{ synchronous: 1 }]);
  });
});
