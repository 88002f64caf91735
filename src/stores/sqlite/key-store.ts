import { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../../domain/errors.ts";
import type { KeyInventory, KeyStore } from "../../ports/key-store.ts";
import { type FileLock, lockFile } from "./lock-file.ts";
import { NodeSqliteConnection } from "./node-sqlite-dialect.ts";
import type { Connect } from "./open-database.ts";
import {
  connectToInspect,
  createOwnFile,
  isDamaged,
  isEmptyDatabase,
  isOwnDatabase,
  requireVersion,
  truncateLog,
} from "./own-file.ts";
import { DAMAGED, describeProblem, toUnavailable } from "./translate-errors.ts";

export interface KeyStoreOptions {
  /** Names a new file; random. */
  mintStoreId(): string;
  /** Called with each failure, and with null after each write. */
  onOutcome?(error: unknown): void;
  /** For tests. */
  readonly connect?: Connect;
}

/** "Eark": how SQLite files say whose they are. */
const APPLICATION_ID = 0x4561726b;
const VERSION = 2;
/** Names fill up a multiple of this with spaces, and a slot is used again for a name of the same size. */
const NAME_STEP_BYTES = 64;
const PAGE = 10_000;
const LOCK_TIMEOUT_MS = 1_000;

/** Keys in a file of their own, for one program at a time. Throws `misconfigured` for a file that cannot be used, or is in use. */
export function openKeyStore(
  file: string,
  { mintStoreId, onOutcome = () => {}, connect = (path) => new DatabaseSync(path) }: KeyStoreOptions,
): KeyStore {
  let lock: FileLock | null = null;
  let database: DatabaseSync | null = null;
  try {
    lock = lockFile(file, LOCK_TIMEOUT_MS);
    createOwnFile(file);
    database = connect(file);
    prepareFile(database, mintStoreId);
    return new SqliteKeyStore(database, lock, onOutcome);
  } catch (cause) {
    if (database?.isOpen) database.close();
    lock?.close();
    throw toMisconfigured(cause);
  }
}

/** Looks at a file that no program uses, and changes nothing. Throws `misconfigured` for a file that a start refuses. */
export function openKeyStoreToInspect(file: string): KeyStore {
  let database: DatabaseSync | null = null;
  try {
    database = connectToInspect(file);
    checkOwner(database);
    checkContent(database);
    return new SqliteKeyStore(database, { close: () => {} }, () => {});
  } catch (cause) {
    if (database?.isOpen) database.close();
    throw toMisconfigured(cause);
  }
}

function checkOwner(database: DatabaseSync): void {
  if (isOwnDatabase(database, APPLICATION_ID)) return;
  throw new EarshotError(
    "misconfigured",
    "The file keys.db in the data folder is not Earshot's. Move it away, and put Earshot's own keys.db there if there was one.",
  );
}

function checkContent(database: DatabaseSync): void {
  requireVersion(database, VERSION, "The file keys.db");
  if (database.prepare("SELECT id FROM store").all().length !== 1) throw damaged();
  if (isDamaged(database)) throw damaged();
}

function prepareFile(database: DatabaseSync, mintStoreId: () => string): void {
  checkOwner(database);
  // Keys are written to no other file.
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;
  `);
  if (isEmptyDatabase(database)) createSchema(database, mintStoreId());
  checkContent(database);
  // Of a copy that was put back: it is none any more.
  database.exec("DROP TABLE IF EXISTS copied");
  // Keys that were deleted right before the program was killed may still be in the log.
  truncateLog(database);
}

/**
 * A key never moves: its slot is written over where it is when the key is deleted, and used again later. SQLite leaves copies behind where it moves rows from
 * one page to another, and a table in the order of names, or an index of them, would make it do so.
 */
function createSchema(database: DatabaseSync, storeId: string): void {
  new NodeSqliteConnection(database).transaction(() => {
    database.exec(`
      PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${VERSION};
      CREATE TABLE store (id TEXT NOT NULL) STRICT;
      CREATE TABLE keys (slot INTEGER PRIMARY KEY, name TEXT NOT NULL, key BLOB NOT NULL) STRICT;
    `);
    database.prepare("INSERT INTO store (id) VALUES (?)").run(storeId);
  });
}

interface Slots {
  readonly names: Map<string, number>;
  /** Slots without a key, by the sizes of the name and the key that fit in. */
  readonly free: Map<string, number[]>;
  count: number;
}

type SlotSizes = readonly [slot: number, name: string, nameBytes: number, keyBytes: number];
type SlotValues = readonly [slot: number, name: string, key: Uint8Array];

interface Slot {
  readonly slot: number;
  readonly name: string;
  readonly key: Uint8Array;
}

class SqliteKeyStore implements KeyStore {
  readonly storeId: string;
  readonly #database: DatabaseSync;
  readonly #connection: NodeSqliteConnection;
  readonly #lock: FileLock;
  readonly #onOutcome: (error: unknown) => void;
  readonly #statements: ReturnType<typeof prepareStatements>;
  /** Null after a failure: nobody knows what is in the file until it is read again. */
  #known: Slots | null = null;

  constructor(database: DatabaseSync, lock: FileLock, onOutcome: (error: unknown) => void) {
    this.#database = database;
    this.#connection = new NodeSqliteConnection(database);
    this.#lock = lock;
    this.#onOutcome = onOutcome;
    this.#statements = prepareStatements(database);
    this.storeId = String(database.prepare("SELECT id FROM store").get()?.["id"]);
    this.#known = this.#readSlots();
  }

  async add(keys: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const { free, names, ...slots } = this.#slots();
    if ([...keys.keys()].some((name) => names.has(name)))
      throw new EarshotError("misconfigured", "The file keys.db has a key of this name already.");
    const used = new Map<string, number>();
    const added: (readonly [name: string, slot: number])[] = [];
    this.#write(() => {
      for (const [name, key] of keys) {
        const padded = pad(name);
        const size = sizeOf(padded, key);
        const reused = free.get(size)?.at(-1 - (used.get(size) ?? 0));
        if (reused !== undefined) used.set(size, (used.get(size) ?? 0) + 1);
        const slot = reused ?? ++slots.count;
        if (reused === undefined) this.#statements.add.run(slot, padded, key);
        else this.#statements.fill.run(padded, key, slot);
        added.push([name, slot]);
      }
    });
    for (const [size, count] of used) free.get(size)?.splice(-count);
    for (const [name, slot] of added) names.set(name, slot);
    this.#slots().count = slots.count;
  }

  async find(names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    return new Map(this.#find(names).map(({ name, key }) => [name, key]));
  }

  async delete(names: readonly string[]): Promise<void> {
    const found = this.#find(names);
    if (found.length === 0) return;
    this.#write(() => {
      for (const { slot, name, key } of found)
        this.#statements.fill.run(" ".repeat(bytesOf(pad(name))), new Uint8Array(key.length), slot);
    });
    const { names: known, free } = this.#slots();
    for (const { slot, name, key } of found) {
      known.delete(name);
      addFree(free, slot, sizeOf(pad(name), key));
    }
  }

  async names(prefix: string, { after = "", limit }: { after?: string; limit: number }): Promise<readonly string[]> {
    // No name contains the last code point of Unicode.
    const end = `${prefix}\u{10ffff}`;
    const rows = this.#attempt("read", () => this.#statements.names.all(prefix, after, end, limit));
    return rows.map(({ name }) => String(name));
  }

  async openInventory(): Promise<KeyInventory> {
    const { names: known } = this.#slots();
    const left = new Set(known.keys());
    return {
      findMissing: (prefix, ends) => ends.filter((end) => !left.delete(prefix + end) && !known.has(prefix + end)),
      async *others() {
        const names = [...left];
        for (let start = 0; start < names.length; start += PAGE)
          yield names.slice(start, start + PAGE).filter((name) => known.has(name));
      },
    };
  }

  async scrub(): Promise<boolean> {
    return this.#attempt("written", () => truncateLog(this.#database));
  }

  close(): void {
    if (!this.#database.isOpen) return;
    this.#database.close();
    this.#lock.close();
  }

  #find(names: readonly string[]): Slot[] {
    const { names: known } = this.#slots();
    return this.#read([...new Set(names)].flatMap((name) => known.get(name) ?? []));
  }

  #read(slots: readonly number[]): Slot[] {
    if (slots.length === 0) return [];
    const rows = this.#attempt("read", () => this.#statements.find.all(JSON.stringify(slots)));
    return (rows as unknown as SlotValues[]).map(([slot, name, key]) => ({ slot, name: name.trimEnd(), key }));
  }

  #write(work: () => void): void {
    const known = this.#slots();
    this.#known = null;
    this.#attempt("written", () => this.#connection.transaction(work));
    this.#known = known;
    this.#onOutcome(null);
  }

  #slots(): Slots {
    this.#known ??= this.#attempt("read", () => this.#readSlots());
    return this.#known;
  }

  #attempt<Result>(what: "read" | "written", work: () => Result): Result {
    try {
      return work();
    } catch (cause) {
      const error = toUnavailable(`The keys in keys.db cannot be ${what}`, cause);
      this.#onOutcome(error);
      throw error;
    }
  }

  #readSlots(): Slots {
    const names = new Map<string, number>();
    const free = new Map<string, number[]>();
    let count = 0;
    for (const [slot, name, nameBytes, keyBytes] of this.#statements.slots.all() as unknown as SlotSizes[]) {
      count += 1;
      // Slots are numbered without a gap.
      if (slot !== count) throw damaged();
      if (name === "") addFree(free, slot, `${nameBytes} ${keyBytes}`);
      else names.set(name, slot);
    }
    return { names, free, count };
  }
}

function pad(name: string): string {
  return name + " ".repeat((NAME_STEP_BYTES - (bytesOf(name) % NAME_STEP_BYTES)) % NAME_STEP_BYTES);
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** Equal for what fits into the same slot. */
function sizeOf(padded: string, key: Uint8Array): string {
  return `${bytesOf(padded)} ${key.length}`;
}

function addFree(free: Map<string, number[]>, slot: number, size: string): void {
  const slots = free.get(size) ?? [];
  slots.push(slot);
  free.set(size, slots);
}

/** Lists of slots are one parameter, a JSON array, however long they are. */
function prepareStatements(database: DatabaseSync) {
  const name = "rtrim(name)";
  const find = database.prepare("SELECT slot, name, key FROM keys WHERE slot IN (SELECT value FROM json_each(?))");
  const slots = database.prepare(`SELECT slot, ${name}, octet_length(name), octet_length(key) FROM keys ORDER BY slot`);
  for (const statement of [find, slots]) statement.setReturnArrays(true);
  return {
    slots,
    add: database.prepare("INSERT INTO keys (slot, name, key) VALUES (?, ?, ?)"),
    fill: database.prepare("UPDATE keys SET name = ?, key = ? WHERE slot = ?"),
    find,
    names: database.prepare(
      `SELECT ${name} AS name FROM keys WHERE ${name} <> '' AND ${name} >= ? AND ${name} > ? AND ${name} < ? ORDER BY ${name} LIMIT ?`,
    ),
  };
}

function damaged(): EarshotError {
  return new EarshotError("misconfigured", `The keys in keys.db cannot be opened: ${DAMAGED}`);
}

function toMisconfigured(cause: unknown): EarshotError {
  if (cause instanceof EarshotError)
    return cause.message.includes("keys.db")
      ? cause
      : new EarshotError("misconfigured", `The file keys.db is in use. ${cause.message}`, {
          cause,
          obstacle: cause.obstacle,
        });
  const problem = describeProblem(cause) ?? ". Check that its folder can be written to and that the disk has room.";
  return new EarshotError("misconfigured", `The keys in keys.db cannot be opened${problem}`, { cause });
}
