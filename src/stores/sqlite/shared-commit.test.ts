import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { NodeSqliteConnection } from "./node-sqlite-dialect.ts";
import { SharedCommit } from "./shared-commit.ts";

function open() {
  const folder = mkdtempSync(join(tmpdir(), "earshot-shared-"));
  const database = new DatabaseSync(join(folder, "some.db"));
  onTestFinished(() => {
    if (database.isOpen) database.close();
    rmSync(folder, { recursive: true });
  });
  database.exec("CREATE TABLE words (word TEXT NOT NULL UNIQUE)");
  const connection = new NodeSqliteConnection(database);
  const state = { commits: [] as boolean[], isFull: false };
  const shared = new SharedCommit(connection, (work, { isSynced }) =>
    connection.transaction(() => {
      work();
      if (state.isFull) throw new Error("the disk is full");
      state.commits.push(isSynced);
    }),
  );
  const add = (word: string, isSynced = false) =>
    shared.add(() => {
      database.prepare("INSERT INTO words VALUES (?)").run(word);
      return word;
    }, isSynced);
  const words = () =>
    database
      .prepare("SELECT word FROM words")
      .all()
      .map(({ word }) => word);
  return { add, words, shared, state, database };
}

it("what comes at the same time shares one commit, and nothing of it is seen before", async () => {
  const { add, words, state } = open();
  const adding = [add("keel"), add("mast", true), add("oar")];
  expect(words()).toEqual([]);
  expect(await Promise.all(adding)).toEqual(["keel", "mast", "oar"]);
  await add("sail");
  expect(words()).toEqual(["keel", "mast", "oar", "sail"]);
  expect(state.commits).toEqual([true, false]);
});

it("a work that fails is undone alone, half of what it did included", async () => {
  const { add, words, shared, database } = open();
  const keel = add("keel");
  const both = shared.add(() => {
    database.prepare("INSERT INTO words VALUES ('half')").run();
    database.prepare("INSERT INTO words VALUES ('keel')").run();
  }, false);
  const results = await Promise.allSettled([keel, both, add("oar")]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(words()).toEqual(["keel", "oar"]);
});

it("a commit that fails, fails for all of them, and the next ones are tried again", async () => {
  const { add, words, state } = open();
  state.isFull = true;
  const results = await Promise.allSettled([add("keel"), add("keel"), add("oar")]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(words()).toEqual([]);
  state.isFull = false;
  expect(await add("keel")).toBe("keel");
});

it("what waits is written before the file is closed", async () => {
  const { add, shared, words } = open();
  const adding = add("keel");
  shared.flush();
  expect(words()).toEqual(["keel"]);
  expect(await adding).toBe("keel");
});

it("a disk that is full halfway undoes all of them, and those that come once there is room are kept", async () => {
  const { add, words, state, database } = open();
  await add("keel");
  const limit = (pages: number) => database.exec(`PRAGMA max_page_count = ${pages}`);
  limit(4);
  const large = (letter: string) => letter.repeat(12_000);
  const results = await Promise.allSettled([add("mast"), add(large("a")), add(large("b")), add("oar")]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "rejected"]);
  expect([words(), database.isTransaction]).toEqual([["keel"], false]);
  limit(1_000);
  await Promise.all([add("mast"), add(large("a"))]);
  expect(words()).toEqual(["keel", "mast", large("a")]);
  expect(state.commits).toHaveLength(2);
});
