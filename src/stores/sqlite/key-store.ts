import { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../../domain/errors.ts";
import type { KeyStore } from "../../ports/key-store.ts";
import { type FileLock, lockFile } from "./lock-file.ts";
import { NodeSqliteConnection } from "./node-sqlite-dialect.ts";
import type { Connect } from "./open-database.ts";
import { createOwnFile, isEmptyDatabase, isOwnDatabase, truncateLog } from "./own-file.ts";
import { codeOf, DAMAGED, describeProblem, toUnavailable } from "./translate-errors.ts";

export interface KeyStoreOptions {
  /** Names a new file; random. */
  mintStoreId(): string;
  /** For tests. */
  readonly connect?: Connect;
}

/** "Eark": how SQLite files say whose they are. */
const APPLICATION_ID = 0x4561726b;
const VERSION = 1;
const LOCK_TIMEOUT_MS = 1_000;
/** https://sqlite.org/rescode.html#constraint_primarykey */
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;

/** Keys in a file of their own, for one program at a time. Throws `misconfigured` for a file that cannot be used, or is in use. */
export function openKeyStore(
  file: string,
  { mintStoreId, connect = (path) => new DatabaseSync(path) }: KeyStoreOptions,
): KeyStore {
  let lock: FileLock | null = null;
  let database: DatabaseSync | null = null;
  try {
    lock = lockFile(file, LOCK_TIMEOUT_MS);
    createOwnFile(file);
    database = connect(file);
    prepareFile(database, mintStoreId);
    return new SqliteKeyStore(database, lock);
  } catch (cause) {
    if (database?.isOpen) database.close();
    lock?.close();
    throw toMisconfigured(cause);
  }
}

function prepareFile(database: DatabaseSync, mintStoreId: () => string): void {
  if (!isOwnDatabase(database, APPLICATION_ID))
    throw new EarshotError(
      "misconfigured",
      "The file keys.db in the data folder is not Earshot's. Move it away, and put Earshot's own keys.db there if there was one.",
    );
  if (Number(database.prepare("PRAGMA user_version").get()?.["user_version"]) > VERSION)
    throw new EarshotError(
      "misconfigured",
      "The file keys.db was made by a newer Earshot. Use that version, or a newer one.",
    );
  // Keys are written to no other file, not even while this one is rebuilt.
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;
  `);
  if (isEmptyDatabase(database)) createSchema(database, mintStoreId());
  if (database.prepare("SELECT id FROM store").all().length !== 1) throw damaged();
  if (database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"] !== "ok") throw damaged();
  // Keys that were deleted right before the program was killed may still be in the log.
  truncateLog(database);
}

function createSchema(database: DatabaseSync, storeId: string): void {
  new NodeSqliteConnection(database).transaction(() => {
    database.exec(`
      PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${VERSION};
      CREATE TABLE store (id TEXT NOT NULL) STRICT;
      CREATE TABLE keys (name TEXT PRIMARY KEY NOT NULL, key BLOB NOT NULL) STRICT, WITHOUT ROWID;
    `);
    database.prepare("INSERT INTO store (id) VALUES (?)").run(storeId);
  });
}

class SqliteKeyStore implements KeyStore {
  readonly storeId: string;
  readonly #database: DatabaseSync;
  readonly #connection: NodeSqliteConnection;
  readonly #lock: FileLock;
  readonly #statements: ReturnType<typeof prepareStatements>;
  /** Since the file was rebuilt; unknown after a start. */
  #hasDeleted = true;

  constructor(database: DatabaseSync, lock: FileLock) {
    this.#database = database;
    this.#connection = new NodeSqliteConnection(database);
    this.#lock = lock;
    this.#statements = prepareStatements(database);
    this.storeId = String(database.prepare("SELECT id FROM store").get()?.["id"]);
  }

  async add(keys: ReadonlyMap<string, Uint8Array>): Promise<void> {
    orUnavailable("written", () =>
      this.#connection.transaction(() => {
        for (const [name, key] of keys) this.#statements.add.run(name, key);
      }),
    );
  }

  async find(names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    if (names.length === 0) return new Map();
    const rows = orUnavailable("read", () => this.#statements.find.all(JSON.stringify(names)));
    return new Map(rows.map(({ name, key }) => [String(name), key as Uint8Array]));
  }

  async delete(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    this.#hasDeleted = true;
    orUnavailable("written", () =>
      this.#connection.transaction(() => this.#statements.delete.run(JSON.stringify(names))),
    );
  }

  async names(prefix: string, { after = "", limit }: { after?: string; limit: number }): Promise<readonly string[]> {
    // No name contains the last code point of Unicode.
    const end = `${prefix}\u{10ffff}`;
    const rows = orUnavailable("read", () => this.#statements.names.all(prefix, after, end, limit));
    return rows.map(({ name }) => String(name));
  }

  async scrub(): Promise<boolean> {
    return orUnavailable("written", () => {
      // SQLite overwrites what it deletes, but not the copies that stay where it moved rows from one page to another.
      if (this.#hasDeleted) this.#database.exec("VACUUM");
      this.#hasDeleted = false;
      return truncateLog(this.#database);
    });
  }

  close(): void {
    if (!this.#database.isOpen) return;
    this.#database.close();
    this.#lock.close();
  }
}

/** Lists of names are one parameter, a JSON array, however long they are. */
function prepareStatements(database: DatabaseSync) {
  return {
    add: database.prepare("INSERT INTO keys (name, key) VALUES (?, ?)"),
    find: database.prepare("SELECT name, key FROM keys WHERE name IN (SELECT value FROM json_each(?))"),
    delete: database.prepare("DELETE FROM keys WHERE name IN (SELECT value FROM json_each(?))"),
    names: database.prepare("SELECT name FROM keys WHERE name >= ? AND name > ? AND name < ? ORDER BY name LIMIT ?"),
  };
}

function orUnavailable<Result>(what: "read" | "written", work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (codeOf(cause) === SQLITE_CONSTRAINT_PRIMARYKEY)
      throw new EarshotError("misconfigured", "The file keys.db has a key of this name already.", { cause });
    throw toUnavailable(`The keys in keys.db cannot be ${what}`, cause);
  }
}

function damaged(): EarshotError {
  return new EarshotError("misconfigured", `The keys in keys.db cannot be opened: ${DAMAGED}`);
}

function toMisconfigured(cause: unknown): EarshotError {
  if (cause instanceof EarshotError)
    return cause.message.includes("keys.db")
      ? cause
      : new EarshotError("misconfigured", `The file keys.db is in use. ${cause.message}`, { cause });
  const problem = describeProblem(cause) ?? ". Check that its folder can be written to and that the disk has room.";
  return new EarshotError("misconfigured", `The keys in keys.db cannot be opened${problem}`, { cause });
}
