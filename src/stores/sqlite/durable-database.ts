import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type Compilable, type CompiledQuery, type Expression, Kysely, sql } from "kysely";
import { EarshotError } from "../../domain/errors.ts";
import type { DurableTables } from "./durable-tables.ts";
import { type FileLock, lockFile } from "./lock-file.ts";
import { createNodeSqliteDialect, NodeSqliteConnection } from "./node-sqlite-dialect.ts";
import {
  connectToInspect,
  createOwnFile,
  isDamaged,
  isEmptyDatabase,
  isEmptyFile,
  isOwnDatabase,
  requireVersion,
  truncateLog,
} from "./own-file.ts";
import { SCHEMA, SCHEMA_VERSION } from "./schema.ts";
import { SharedCommit } from "./shared-commit.ts";
import { SlowWrites, type StorageStats, type StorageWatch } from "./slow-writes.ts";
import { DAMAGED, describeProblem, toUnavailable } from "./translate-errors.ts";

/** One file of SQLite's for everything that outlives the process; each store has some tables in it. */
export interface DurableDatabase {
  readonly kysely: Kysely<DurableTables>;
  /**
   * All of it or nothing, together with others that wait. The work runs without a pause, so nothing else sees it half done. Throws `unavailable` if the database fails, and what
   * the work throws as `EarshotError`. It outlives the process; with `isSynced` also a power failure, which takes a few milliseconds more.
   */
  transaction<Result>(
    work: (transaction: DurableTransaction) => Result,
    options?: { readonly isSynced?: boolean },
  ): Promise<Result>;
  /** Runs a query that Kysely has compiled, at once: Kysely's own way to the connection takes longer than most of them. */
  execute<Row>(query: CompiledQuery<Row>): readonly Row[];
  /** The same, with the values of each row in the order of its columns. */
  readonly executeAsArrays: NodeSqliteConnection["executeAsArrays"];
  /** Sees to it that nothing which was deleted is left on the disk. False where somebody reads at the moment: the next time does. */
  scrub(): Promise<boolean>;
  /** What is in use of the file; free pages, which are written to again, are left out. */
  usedBytes(): Promise<number>;
  /** How slow the disk was. */
  slowWrites(): StorageStats;
  /** A connection of its own that sees one moment, whatever is written meanwhile. */
  openSnapshot(): Promise<DurableSnapshot>;
  /** Safe to repeat. */
  close(): void;
}

export type DurableTransaction = Pick<NodeSqliteConnection, "execute">;

export interface DurableSnapshot {
  readonly kysely: Kysely<DurableTables>;
  readonly executeAsArrays: NodeSqliteConnection["executeAsArrays"];
  /** Safe to repeat. */
  close(): void;
}

/** "Ears": how SQLite files say whose they are. */
const APPLICATION_ID = 0x45617273;
const NAME = "The database";
/** How long to wait for another connection that writes. */
const BUSY_TIMEOUT_MS = 1_000;
/**
 * Of a new file; an older one keeps its own. A commit writes each page that it changes by two calls. With the 4 KiB of SQLite's default, the sources of one
 * answer are on more pages, which is what an answer waits for on a slow disk; with 16 KiB still on a quarter more. To
 * verify the whole audit takes about a third longer than with those.
 */
const PAGE_BYTES = 32_768;
/** 16 MiB. A longer log is written into the file, and the next write waits some milliseconds for that. */
const MAX_LOG_PAGES = 500;

/** Some 30 ms. */
const MAX_CHECKED_FACTS = 10_000;

const MOVED =
  "The database cannot be written: earshot.db was moved or deleted while Earshot runs. Put it back, or start Earshot again.";

/** The program's own: one program at a time. Throws `misconfigured` for a file that cannot be used, or is in use. */
export async function openDurableDatabase(file: string, watch?: StorageWatch): Promise<DurableDatabase> {
  const lock = takeLock(file);
  let database: DatabaseSync | null = null;
  try {
    createOwnFile(file);
    database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    checkOwner(database);
    database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON");
    database.exec(`PRAGMA wal_autocheckpoint = ${MAX_LOG_PAGES}`);
    createTables(database);
    checkTables(database);
    return toDurable(database, { file, closeMore: () => lock.close(), watch });
  } catch (cause) {
    if (database?.isOpen) database.close();
    lock.close();
    throw toMisconfigured(cause);
  }
}

/** For commands that look on while the program runs, or does not. Throws `not_found` where there is no file. */
export function openDurableDatabaseToRead(file: string): DurableDatabase {
  if (isEmptyFile(file)) throw new EarshotError("not_found", "Nothing has been kept here yet.");
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    checkOwner(database);
    requireVersion(database, SCHEMA_VERSION, NAME);
    return toDurable(database, { file, closeMore: () => {} });
  } catch (cause) {
    if (database?.isOpen) database.close();
    throw toMisconfigured(cause);
  }
}

/** Looks at all of a file that no program uses, and changes nothing. Throws `misconfigured` for a file that a start refuses. */
export function openDurableDatabaseToInspect(file: string): DurableDatabase {
  let database: DatabaseSync | null = null;
  try {
    database = connectToInspect(file);
    checkOwner(database);
    if (isDamaged(database)) throw damaged();
    requireVersion(database, SCHEMA_VERSION, NAME);
    return toDurable(database, { file, closeMore: () => {} });
  } catch (cause) {
    if (database?.isOpen) database.close();
    throw toMisconfigured(cause);
  }
}

/** The tables whose damage would be taken for something else, such as an opt-out that is not there. Larger ones take too long for a start. */
function checkTables(database: DatabaseSync): void {
  const facts = Number(database.prepare("SELECT max(rowid) AS last FROM memory_facts").get()?.["last"] ?? 0);
  const large = facts <= MAX_CHECKED_FACTS ? ["memory_facts"] : [];
  for (const table of ["opt_outs", "restores", "memory_store", "left_guilds", "audit_ends", ...large])
    if (isDamaged(database, table)) throw damaged();
}

function damaged(): EarshotError {
  return new EarshotError("misconfigured", `The database earshot.db cannot be used: ${DAMAGED}`);
}

function toDurable(
  database: DatabaseSync,
  { file, closeMore, watch }: { file: string; closeMore(): void; watch?: StorageWatch | undefined },
): DurableDatabase {
  const connection = new NodeSqliteConnection(database);
  const kysely = toKysely<DurableTables>(connection);
  const writes = new SlowWrites(watch);
  const opened = inodeOf(file);
  const shared = new SharedCommit(connection, (work, { isSynced }) => {
    // A deleted file can still be written to, and nothing of it would be kept.
    if (inodeOf(file) !== opened) throw new EarshotError("unavailable", MOVED);
    try {
      if (isSynced) database.exec("PRAGMA synchronous = FULL");
      writes.measure(() => connection.transaction(work));
    } finally {
      if (isSynced && database.isOpen) database.exec("PRAGMA synchronous = NORMAL");
    }
  });
  return {
    kysely,
    execute: (query) => connection.execute(query).rows,
    executeAsArrays: (query) => connection.executeAsArrays(query),
    async transaction(work, { isSynced = false } = {}) {
      try {
        return await shared.add(work, isSynced);
      } catch (cause) {
        throw toUnavailable("The database cannot be written", cause);
      }
    },
    slowWrites: () => writes.stats,
    scrub: () =>
      // Not while a transaction is open. Who reads at the moment is not waited for: everything else would wait too.
      kysely.connection().execute(async () => {
        try {
          database.exec("PRAGMA busy_timeout = 0");
          return truncateLog(database);
        } finally {
          database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
        }
      }),
    async usedBytes() {
      const read = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
      return (read("page_count") - read("freelist_count")) * read("page_size");
    },
    async openSnapshot() {
      const snapshot = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
      // The first look decides which moment is seen.
      snapshot.exec("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1");
      const looking = new NodeSqliteConnection(snapshot);
      return {
        kysely: toKysely(looking),
        executeAsArrays: (query) => looking.executeAsArrays(query),
        close: () => void (snapshot.isOpen && snapshot.close()),
      };
    },
    close() {
      if (!database.isOpen) return;
      shared.flush();
      database.close();
      closeMore();
    },
  };
}

/** Null where there is no file. */
function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null;
}

function toKysely<Tables>(connection: NodeSqliteConnection): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: createNodeSqliteDialect(connection) });
}

function takeLock(file: string): FileLock {
  try {
    return lockFile(file, BUSY_TIMEOUT_MS);
  } catch (cause) {
    throw toMisconfigured(cause);
  }
}

function checkOwner(database: DatabaseSync): void {
  if (!isOwnDatabase(database, APPLICATION_ID)) throw new Error("the file is somebody else's");
}

function createTables(database: DatabaseSync): void {
  if (isEmptyDatabase(database))
    new NodeSqliteConnection(database).transaction(() => {
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}; ${SCHEMA}`);
    });
  requireVersion(database, SCHEMA_VERSION, NAME);
}

function toMisconfigured(cause: unknown): EarshotError {
  if (cause instanceof EarshotError) return cause;
  const hint = ". Check that it is Earshot's, that its folder can be written to, and that the disk has room.";
  const problem = describeProblem(cause) ?? hint;
  return new EarshotError("misconfigured", `The database earshot.db cannot be opened${problem}`, { cause });
}

/** Stands in a query for the value of this name. */
export type Slot<Values> = <Name extends keyof Values & string>(name: Name) => Expression<Values[Name]>;

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Compiles a query once, when it is first used: that costs some 80 µs, to run it a few. What comes back fills in the values of one run. */
export function compileQuery<Values extends object, Row>(
  build: (slot: Slot<Values>) => Compilable<Row>,
): (values: Values) => CompiledQuery<Row> {
  let compiled: CompiledQuery<Row> | null = null;
  return (values) => {
    compiled ??= build((name) => sql`${new Placeholder(name)}`).compile();
    const named = values as Readonly<Record<string, unknown>>;
    const parameters: unknown[] = [];
    for (const each of compiled.parameters) parameters.push(each instanceof Placeholder ? named[each.name] : each);
    return { ...compiled, parameters };
  };
}
