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
import { describe, expect, it, onTestFinished } from "vitest";
import type { Database, Statements } from "../database.ts";
import {
  findDamage,
  openDurableDatabase,
  openDurableDatabaseToInspect,
  openDurableDatabaseToRead,
} from "./open-sqlite.ts";

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

const toLink = (seq: number) => ({ seq, hash: "x", seal: "y", last_seq: seq });

async function addLink(database: Database, ...seqs: readonly number[]): Promise<void> {
  await database.transaction((transaction) => transaction.insert("audit_thinned", seqs.map(toLink)));
}

async function links(database: Statements): Promise<number[]> {
  return (await database.query<{ seq: number }>("SELECT seq FROM audit_thinned ORDER BY seq")).map(({ seq }) => seq);
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
    await first.close();
    await first.close();
    const again = await open(file);
    expect(await again.query("SELECT * FROM audit_thinned")).toEqual([toLink(1)]);
  });

  it("gives a new file pages of 16 KiB, and leaves those of an older file as they are", async () => {
    const older = newFile();
    mkdirSync(dirname(older));
    change(older, "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL");
    for (const [file, bytes] of [
      [newFile(), 16_384],
      [older, 4_096],
    ] as const) {
      const database = await open(file);
      await addLink(database, 1);
      expect(await database.query("PRAGMA page_size")).toEqual([{ page_size: bytes }]);
    }
  });

  it("counts writes that took long, and logs that once in ten minutes", async () => {
    let now = 0;
    const logged: unknown[] = [];
    const log = { debug() {}, info() {}, error() {}, warn: (fields: object) => void logged.push(fields) };
    const database = await openDurableDatabase(newFile(), { watch: { clock: { now: () => now }, log } });
    onTestFinished(() => database.close());
    const write = (ms: number) =>
      database.transaction(async () => {
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
    const moved = { code: "unavailable", message: expect.stringContaining("earshot.db was moved or deleted") };
    await addLink(database, 1);
    renameSync(folder, `${folder}-elsewhere`);
    await expect(addLink(database, 2)).rejects.toMatchObject(moved);
    mkdirSync(folder);
    writeFileSync(file, "");
    await expect(addLink(database, 3)).rejects.toMatchObject(moved);
    rmSync(folder, { recursive: true });
    renameSync(`${folder}-elsewhere`, folder);
    await addLink(database, 4);
    expect(await links(database)).toEqual([1, 4]);
  });

  it("can be used by one program at a time, until that program ends or is killed", async () => {
    const file = newFile();
    const first = await open(file);
    await expect(openDurableDatabase(file)).rejects.toThrow("Another Earshot uses this data folder");
    await first.close();
    const script = `
      const { openDurableDatabase } = await import(${JSON.stringify(new URL("./open-sqlite.ts", import.meta.url).href)});
      await openDurableDatabase(process.argv[1]);
      process.kill(process.pid, "SIGKILL");`;
    const { signal } = spawnSync(process.execPath, ["--input-type=module", "-e", script, file]);
    expect(signal).toBe("SIGKILL");
    await expect(open(file)).resolves.toBeDefined();
  });

  it("can be read but not written while the program uses it", async () => {
    const file = newFile();
    await expect(openDurableDatabaseToRead(file)).rejects.toMatchObject({ code: "not_found" });
    const database = await open(file);
    const reader = await openDurableDatabaseToRead(file);
    onTestFinished(() => reader.close());
    await addLink(database, 1);
    expect(await links(reader)).toEqual([1]);
    await expect(addLink(reader, 2)).rejects.toMatchObject({ code: "unavailable" });
    await database.close();
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
    await expect(openDurableDatabaseToRead(file)).rejects.toThrow(words);
    await expect(openDurableDatabaseToInspect(file)).rejects.toThrow(words);
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
    await expect(openDurableDatabaseToRead(file)).rejects.toMatchObject({ code: "misconfigured" });
    expect(readFileSync(file).equals(bytes)).toBe(true);
    writeFileSync(file, "not a database at all, but long enough to be looked at as one ".repeat(20));
    await expect(openDurableDatabase(file)).rejects.toMatchObject({ code: "misconfigured" });
  });
});

it("damage in a table that no start looks at is found while the database is in use", async () => {
  const file = newFile();
  await (await openDurableDatabase(file)).close();
  const raw = new DatabaseSync(file);
  const page = Number(raw.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'episodes'").get()?.["rootpage"]);
  const pageBytes = Number(raw.prepare("PRAGMA page_size").get()?.["page_size"]);
  raw.close();
  const sound = await openDurableDatabase(file);
  expect(await findDamage(file).isDamaged).toBe(false);
  await sound.close();
  const bytes = readFileSync(file);
  bytes.fill(0x5a, (page - 1) * pageBytes, page * pageBytes);
  writeFileSync(file, bytes);
  const damaged = await openDurableDatabase(file);
  expect(await findDamage(file).isDamaged).toBe(true);
  const stopped = findDamage(file);
  await stopped.stop();
  await stopped.isDamaged;
  await damaged.close();
});
