import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { EarshotError } from "../../domain/errors.ts";
import { SYNCED, type Transaction } from "../database.ts";
import { SqliteDatabase } from "./sqlite-database.ts";

function open() {
  const folder = mkdtempSync(join(tmpdir(), "earshot-shared-"));
  const file = join(folder, "some.db");
  const raw = new DatabaseSync(file);
  raw.exec("PRAGMA journal_mode = WAL; CREATE TABLE words (word TEXT NOT NULL UNIQUE)");
  const commits: unknown[] = [];
  const failures: unknown[] = [];
  const { exec, prepare } = raw;
  let isSynced = false;
  const disk = { isFull: false };
  raw.exec = (sql) => {
    if (sql.includes("synchronous")) isSynced = sql.includes("FULL");
    exec.call(raw, sql);
  };
  raw.prepare = (sql) => {
    const statement = prepare.call(raw, sql);
    if (sql !== "commit") return statement;
    return Object.assign(Object.create(statement), {
      setReturnArrays() {},
      columns: () => [],
      run() {
        if (disk.isFull) throw Object.assign(new Error("full"), { errcode: 13 });
        commits.push(isSynced);
        return statement.run();
      },
    });
  };
  const database = new SqliteDatabase(raw, {
    ...{ file, busyMs: 0, isSynced: false },
    onOutcome: (error) => failures.push(error),
  });
  onTestFinished(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });
  const insert = (change: Transaction, ...words: readonly string[]) =>
    change.insert(
      "words",
      words.map((word) => ({ word })),
    );
  const add = (...words: readonly string[]) => database.transaction((change) => insert(change, ...words));
  const words = async () =>
    (await database.query<{ word: string }>("SELECT word FROM words ORDER BY rowid")).map(({ word }) => word);
  return { database, raw, add, insert, words, commits, failures, disk };
}

const statuses = (results: readonly PromiseSettledResult<unknown>[]) => results.map(({ status }) => status);

describe("transactions of SQLite", () => {
  it("share one commit where they come at the same time, and nothing of them is seen before", async () => {
    const { database, insert, add, words, commits } = open();
    const mast = database.transaction(async (change) => {
      await insert(change, "mast");
      return 7;
    }, SYNCED);
    const adding = Promise.all([add("keel"), mast, add("oar")]);
    expect(await words()).toEqual([]);
    expect(await adding).toEqual([undefined, 7, undefined]);
    await add("sail");
    expect(await words()).toEqual(["mast", "keel", "oar", "sail"]);
    expect(commits).toEqual([true, false]);
  });

  it("are undone alone where they fail, half of what they did included", async () => {
    const { database, insert, add, words } = open();
    const keel = add("keel");
    const both = database.transaction(async (change) => {
      await insert(change, "half");
      await insert(change, "keel");
    });
    const changed = database.transaction(async (change) => {
      await insert(change, "rudder");
      throw new EarshotError("not_found", "changed its mind");
    });
    const results = await Promise.allSettled([keel, both, changed, add("oar")]);
    expect(statuses(results)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    await expect(both).rejects.toMatchObject({ code: "unavailable" });
    await expect(changed).rejects.toMatchObject({ code: "not_found" });
    expect(await words()).toEqual(["keel", "oar"]);
  });

  it("fail all where their commit fails, and the next ones are tried again", async () => {
    const { add, words, failures, disk } = open();
    disk.isFull = true;
    const results = await Promise.allSettled([add("keel"), add("mast"), add("oar")]);
    expect(statuses(results)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await words()).toEqual([]);
    expect(failures).toEqual([expect.objectContaining({ message: expect.stringContaining("the disk is full") })]);
    disk.isFull = false;
    await add("keel");
    expect(failures.at(-1)).toBeNull();
    expect(await words()).toEqual(["keel"]);
  });

  it("are written before the file is closed", async () => {
    const { add, database, raw } = open();
    const adding = add("keel");
    await database.close();
    await adding;
    expect(raw.isOpen).toBe(false);
    await expect(add("mast")).rejects.toMatchObject({ code: "unavailable" });
  });

  it("are all undone by a disk that is full halfway, and kept once there is room", async () => {
    const { add, words, raw, commits } = open();
    await add("keel");
    const limit = (pages: number) => raw.exec(`PRAGMA max_page_count = ${pages}`);
    limit(4);
    const large = (letter: string) => letter.repeat(12_000);
    const results = await Promise.allSettled([add("mast"), add(large("a")), add(large("b")), add("oar")]);
    expect(statuses(results)).toEqual(["rejected", "rejected", "rejected", "rejected"]);
    expect([await words(), raw.isTransaction]).toEqual([["keel"], false]);
    limit(1_000);
    await Promise.all([add("mast"), add(large("a"))]);
    expect(await words()).toEqual(["keel", "mast", large("a")]);
    expect(commits).toHaveLength(2);
  });

  it("keep nothing of what follows a statement that a full disk ended, where nothing waited for it", async () => {
    const { database, insert, words, raw } = open();
    raw.exec("PRAGMA max_page_count = 4");
    const both = database.transaction(async (change) => {
      await Promise.all([insert(change, "x".repeat(40_000)), insert(change, "keel")]);
    });
    await expect(both).rejects.toMatchObject({ message: expect.stringContaining("the disk is full") });
    expect(await words()).toEqual([]);
  });

  it("are seen whole or not at all by whoever reads while they are open", async () => {
    const { database, insert, words } = open();
    const begun = Promise.withResolvers<void>();
    const reading = begun.promise.then(words);
    await database.transaction(async (change) => {
      await insert(change, "keel");
      begun.resolve();
      for (let turn = 0; turn < 20; turn += 1) await null;
      await insert(change, "mast");
    });
    expect(await reading).toEqual(["keel", "mast"]);
  });
});

describe("a work that breaks the rule of transactions", () => {
  it("is refused the database itself, for reading and for another transaction, and writes nothing", async () => {
    const { database, insert, add, words } = open();
    for (const breach of [() => words(), () => add("inner"), () => database.scrub()]) {
      const broken = database.transaction(async (change) => {
        await insert(change, "outer");
        await breach();
      });
      await expect(broken).rejects.toMatchObject({ code: "internal" });
    }
    expect(await words()).toEqual([]);
  });

  it("is undone where it waits for something else, while others go on", async () => {
    const { database, insert, add, words } = open();
    const late = Promise.withResolvers<unknown>();
    const broken = database.transaction(async (change) => {
      await insert(change, "outer");
      await wait(5);
      insert(change, "after").then(late.resolve, late.resolve);
    });
    const results = await Promise.allSettled([broken, add("keel")]);
    expect(statuses(results)).toEqual(["rejected", "fulfilled"]);
    await expect(broken).rejects.toMatchObject({ code: "internal" });
    expect(await late.promise).toMatchObject({ code: "internal" });
    expect(await words()).toEqual(["keel"]);
  });

  it("cannot use its transaction after the end", async () => {
    const { database, insert, words } = open();
    let kept: Transaction | null = null;
    await database.transaction(async (change) => {
      kept = change;
    });
    await expect(insert(kept as never, "late")).rejects.toMatchObject({ code: "internal" });
    expect(await words()).toEqual([]);
  });

  it("does not keep what began within it from using the database later", async () => {
    const { database, insert, words } = open();
    const later = Promise.withResolvers<string[]>();
    await database.transaction(async (change) => {
      await insert(change, "keel");
      setTimeout(() => words().then(later.resolve, later.reject), 5);
    });
    expect(await later.promise).toEqual(["keel"]);
  });
});

describe("statements", () => {
  it("take values by name, lists among them, and never as text", async () => {
    const { database, add } = open();
    const odd = ["x' OR 1=1 --", ':word "]', "é\u{1f600}"];
    await add(...odd, "keel");
    const find = (sql: string, values: object) => database.query(`SELECT word FROM words WHERE ${sql}`, { ...values });
    expect(await find("word = :word", { word: odd[0] })).toEqual([{ word: odd[0] }]);
    expect(await find("word = ANY(:words) AND word <> :no ORDER BY rowid", { words: odd, no: odd[1] })).toHaveLength(2);
    expect(await find("word = ANY(:words)", { words: [] })).toEqual([]);
    await expect(find("word = :missing", {})).rejects.toMatchObject({ code: "unavailable" });
  });

  it("add any number of rows, whatever the order of their columns", async () => {
    const { database, raw } = open();
    raw.exec("CREATE TABLE pairs (a INTEGER, b INTEGER)");
    const rows = Array.from({ length: 203 }, (_, a) => (a % 2 === 0 ? { a, b: a + 1 } : { b: a + 1, a }));
    await database.transaction((change) => change.insert("pairs", rows));
    expect(await database.query("SELECT a, b FROM pairs ORDER BY a")).toEqual(rows);
  });
});
