import { randomUUID } from "node:crypto";
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";

/** What SQLite files begin with. */
const SQLITE_HEADER = "SQLite format 3\0";

/** By path within the folder: the bytes of every file. */
export function readFiles(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [relative(folder, path).replaceAll("\\", "/"), readFileSync(path)];
    }),
  );
}

/** A copy of the folder in which databases can be opened while the program holds the originals. Goes with the test. */
export function copyFolder(folder: string): string {
  const copy = `${folder}-copy-${randomUUID()}`;
  cpSync(folder, copy, { recursive: true });
  onTestFinished(() => rmSync(copy, { recursive: true }));
  return copy;
}

/** The paths of all databases; those without a table are left out. */
export function findDatabases(folder: string): string[] {
  const files = [...readFiles(folder)].filter(
    ([, bytes]) => bytes.subarray(0, 16).toString("latin1") === SQLITE_HEADER,
  );
  return files.map(([path]) => path).filter((path) => tablesOf(join(folder, path)).size > 0);
}

/** By table: its columns, as SQLite tells them. */
export function tablesOf(file: string): Map<string, readonly string[]> {
  return use(file, (database) => {
    const tables = database.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main'").all();
    const names = tables.map(({ name }) => String(name)).filter((name) => name !== "sqlite_schema");
    return new Map(
      names.map((name) => {
        const columns = database.prepare("SELECT name FROM pragma_table_info(?)").all(name);
        return [name, columns.map((column) => String(column["name"]))];
      }),
    );
  });
}

/** `table.column` of every value that holds one of the needles, as text, as an integer, or within its bytes. */
export function findColumns(file: string, needles: readonly Buffer[]): string[] {
  const found = new Set<string>();
  const tables = tablesOf(file);
  use(file, (database) => {
    // What a virtual table holds is in tables of its own.
    const isVirtual = database.prepare("SELECT 1 FROM pragma_table_list(?) WHERE type = 'virtual'");
    for (const table of tables.keys()) {
      if (isVirtual.get(table)) continue;
      const statement = database.prepare(`SELECT * FROM "${table}"`);
      statement.setReadBigInts(true);
      for (const row of statement.all())
        for (const [column, value] of Object.entries(row)) {
          const bytes = toBytes(value);
          if (needles.some((needle) => bytes.includes(needle))) found.add(`${table}.${column}`);
        }
    }
  });
  return [...found].sort();
}

/** The ways in which an id is written: as text, and as an integer of SQLite's, which in the message index is shifted down by half its range. */
export function toNeedles(id: string): Buffer[] {
  const numbers = [BigInt(id), BigInt(id) - (1n << 63n)];
  return [Buffer.from(id), ...numbers.map((number) => toBytes(number))];
}

function toBytes(value: unknown): Buffer {
  if (typeof value === "bigint") {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64BE(BigInt.asIntN(64, value));
    return bytes;
  }
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value ?? ""));
}

function use<Result>(file: string, work: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(file);
  try {
    return work(database);
  } finally {
    database.close();
  }
}
