import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type CompiledQuery, sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { EarshotError } from "../../domain/errors.ts";
import {
  compileQuery,
  type DurableDatabase,
  openDurableDatabase,
  openDurableDatabaseToInspect,
  openDurableDatabaseToRead,
  type Slot,
} from "./durable-database.ts";

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "earshot-durable-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "data", "earshot.db");
}

async function open(file: string) {
  const database = await openDurableDatabase(file);
  onTestFinished(() => database.close());
  return database;
}

function toLink({ kysely }: Pick<DurableDatabase, "kysely">, seq: number): CompiledQuery {
  return kysely.insertInto("audit_chain").values({ seq, kind: "event", hash: "x" }).compile();
}

async function addLink(database: DurableDatabase, seq: number): Promise<void> {
  await database.kysely.executeQuery(toLink(database, seq));
}

async function links({ kysely }: Pick<DurableDatabase, "kysely">): Promise<number[]> {
  return (await kysely.selectFrom("audit_chain").select("seq").orderBy("seq").execute()).map(({ seq }) => seq);
}

function change(file: string, sql: string): void {
  const raw = new DatabaseSync(file);
  raw.exec(sql);
  raw.close();
}

describe("the durable database", () => {
  it("is readable by its owner only, like the files beside it", async () => {
    const file = newFile();
    const database = await open(file);
    await addLink(database, 1);
    expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
    const names = readdirSync(join(file, ".."));
    expect(names).toContain("earshot.db-wal");
    for (const name of names) expect([name, statSync(join(file, "..", name)).mode & 0o777]).toEqual([name, 0o600]);
  });

  it("can be opened repeatedly and keeps its rows", async () => {
    const file = newFile();
    const first = await open(file);
    await addLink(first, 1);
    first.close();
    first.close();
    const again = await open(file);
    expect(await again.kysely.selectFrom("audit_chain").selectAll().execute()).toEqual([
      { seq: 1, kind: "event", hash: "x" },
    ]);
  });

  it("gives a new file pages of 32 KiB, and leaves those of an older file as they are", async () => {
    const older = newFile();
    mkdirSync(dirname(older));
    change(older, "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL");
    for (const [file, bytes] of [
      [newFile(), 32_768],
      [older, 4_096],
    ] as const) {
      const database = await open(file);
      await addLink(database, 1);
      expect((await sql<{ page_size: number }>`PRAGMA page_size`.execute(database.kysely)).rows).toEqual([
        { page_size: bytes },
      ]);
    }
  });

  it("writes all of a transaction or nothing", async () => {
    const database = await open(newFile());
    const twice = database.transaction((transaction) => {
      transaction.execute(toLink(database, 1));
      transaction.execute(toLink(database, 1));
    });
    await expect(twice).rejects.toMatchObject({ code: "unavailable" });
    expect(await links(database)).toEqual([]);
    await database.transaction((transaction) => transaction.execute(toLink(database, 1)));
    expect(await links(database)).toEqual([1]);
  });

  it("shows nothing of a transaction that failed", async () => {
    const database = await open(newFile());
    const first = database.transaction((transaction) => {
      transaction.execute(toLink(database, 1));
      throw new EarshotError("not_found", "changed its mind");
    });
    const beside = links(database);
    const second = database.transaction((transaction) => transaction.execute(toLink(database, 2)));
    await expect(first).rejects.toMatchObject({ code: "not_found" });
    await second;
    expect((await beside).includes(1)).toBe(false);
    expect(await links(database)).toEqual([2]);
  });

  it("counts writes that took long, and logs that once in ten minutes", async () => {
    let now = 0;
    const logged: unknown[] = [];
    const log = { debug() {}, info() {}, error() {}, warn: (fields: object) => void logged.push(fields) };
    const database = await openDurableDatabase(newFile(), { clock: { now: () => now }, log });
    onTestFinished(() => database.close());
    const write = (ms: number) =>
      database.transaction(() => {
        now += ms;
      });
    for (const ms of [20, 300, 120]) await write(ms);
    expect(database.slowWrites()).toEqual({ slowWrites: 2, slowestMs: 300 });
    expect(logged).toEqual([{ took_ms: 300, slow_writes: 1 }]);
    now += 600_000;
    await write(150);
    expect(logged).toHaveLength(2);
  });

  it("refuses to write once its folder was moved or deleted, until it is back", async () => {
    const file = newFile();
    const folder = dirname(file);
    const database = await open(file);
    const add = (seq: number) => database.transaction((transaction) => transaction.execute(toLink(database, seq)));
    const moved = { code: "unavailable", message: expect.stringContaining("earshot.db was moved or deleted") };
    await add(1);
    renameSync(folder, `${folder}-elsewhere`);
    await expect(add(2)).rejects.toMatchObject(moved);
    mkdirSync(folder);
    writeFileSync(file, "");
    await expect(add(3)).rejects.toMatchObject(moved);
    rmSync(folder, { recursive: true });
    renameSync(`${folder}-elsewhere`, folder);
    await add(4);
    expect(await links(database)).toEqual([1, 4]);
  });

  it("runs a read-only transaction", async () => {
    const { kysely } = await open(newFile());
    const count = await kysely
      .transaction()
      .setAccessMode("read only")
      .execute((transaction) => links({ kysely: transaction }));
    expect(count).toEqual([]);
  });

  it("compiles a query once and fills in its values per call", async () => {
    const database = await open(newFile());
    const byHash = compileQuery((slot: Slot<{ hash: string }>) =>
      database.kysely
        .selectFrom("audit_chain")
        .select("seq")
        .where("kind", "=", "event")
        .where("hash", "=", slot("hash")),
    );
    await addLink(database, 1);
    expect((await database.kysely.executeQuery(byHash({ hash: "x" }))).rows).toEqual([{ seq: 1 }]);
    expect((await database.kysely.executeQuery(byHash({ hash: "y" }))).rows).toEqual([]);
    expect(byHash({ hash: "y" }).parameters).toEqual(["event", "y"]);
  });

  it("can be used by one program at a time, until that program ends or is killed", async () => {
    const file = newFile();
    const first = await open(file);
    await expect(openDurableDatabase(file)).rejects.toThrow("Another Earshot uses this data folder");
    first.close();
    const script = `
      const { openDurableDatabase } = await import(${JSON.stringify(new URL("./durable-database.ts", import.meta.url).href)});
      await openDurableDatabase(process.argv[1]);
      process.kill(process.pid, "SIGKILL");`;
    const { signal } = spawnSync(process.execPath, ["--input-type=module", "-e", script, file]);
    expect(signal).toBe("SIGKILL");
    await expect(open(file)).resolves.toBeDefined();
  });

  it("can be read but not written while the program uses it", async () => {
    const file = newFile();
    expect(() => openDurableDatabaseToRead(file)).toThrow(expect.objectContaining({ code: "not_found" }));
    const database = await open(file);
    const reader = openDurableDatabaseToRead(file);
    onTestFinished(() => reader.close());
    await addLink(database, 1);
    expect(await links(reader)).toEqual([1]);
    await expect(reader.kysely.deleteFrom("audit_chain").execute()).rejects.toThrow("readonly");
    await expect(reader.transaction((transaction) => transaction.execute(toLink(database, 2)))).rejects.toMatchObject({
      code: "unavailable",
    });
    database.close();
    expect(await links(reader)).toEqual([1]);
  });

  it.each([
    [0, "of an older Earshot"],
    [99, "made by a newer Earshot"],
  ])("is refused when its tables are of version %i", async (version, words) => {
    const file = newFile();
    (await open(file)).close();
    change(file, `PRAGMA user_version = ${version}`);
    await expect(openDurableDatabase(file)).rejects.toThrow(words);
    expect(() => openDurableDatabaseToRead(file)).toThrow(words);
    expect(() => openDurableDatabaseToInspect(file)).toThrow(words);
  });

  it("is refused and left unchanged when it is not an Earshot database", async () => {
    const file = newFile();
    (await open(file)).close();
    for (const name of readdirSync(join(file, ".."))) rmSync(join(file, "..", name));
    const other = new DatabaseSync(file);
    other.exec("CREATE TABLE recipes (name TEXT)");
    other.close();
    const bytes = readFileSync(file);
    await expect(openDurableDatabase(file)).rejects.toMatchObject({ code: "misconfigured" });
    expect(() => openDurableDatabaseToRead(file)).toThrow(expect.objectContaining({ code: "misconfigured" }));
    expect(readFileSync(file).equals(bytes)).toBe(true);
    writeFileSync(file, "not a database at all, but long enough to be looked at as one ".repeat(20));
    await expect(openDurableDatabase(file)).rejects.toMatchObject({ code: "misconfigured" });
  });
});
