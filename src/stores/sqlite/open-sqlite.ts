import { basename } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { EarshotError } from "../../domain/errors.ts";
import type { Database, StorageWatch } from "../database.ts";
import { KEYS_SCHEMA, KEYS_VERSION, SCHEMA, SCHEMA_VERSION } from "../schema.ts";
import {
  type Connect,
  connectToInspect,
  createOwnFile,
  type FileLock,
  isDamaged,
  isEmptyDatabase,
  isEmptyFile,
  isOwnDatabase,
  lockFile,
  requireVersion,
  truncateLog,
} from "./own-file.ts";
import { SqliteDatabase, type SqliteOptions } from "./sqlite-database.ts";
import { DAMAGED, describeProblem } from "./translate-errors.ts";

export interface OpenOptions extends Pick<SqliteOptions, "onOutcome"> {
  readonly watch?: StorageWatch;
  /** For tests. */
  readonly connect?: Connect;
}

interface FileKind extends Pick<SqliteOptions, "busyMs" | "isSynced"> {
  /** SQLite's marker for the application that owns a file. */
  readonly applicationId: number;
  readonly version: number;
  readonly schema: string;
  readonly pragmas: string;
  /** Whether there is damage that would otherwise look like valid data, such as a missing opt-out. */
  hasDamage(database: DatabaseSync): boolean;
  /** Called right before the first use. */
  tidy?(database: DatabaseSync): void;
}

const LOCK_TIMEOUT_MS = 1_000;
/**
 * Page size of a new file; an existing one keeps its own. A commit writes each changed page with two calls. With SQLite's default of 4 KiB,
 * the sources of one answer are on more pages, which delays an answer on a slow disk; with 32 KiB they are on a fifth less, and each commit
 * on any other disk takes half as long again.
 */
const PAGE_BYTES = 16_384;
/** 16 MiB. A longer log is written into the file, and the next write waits some milliseconds for that. */
const MAX_LOG_PAGES = 1_000;
/** About 30 ms. */
const MAX_CHECKED_FACTS = 10_000;

const DURABLE: FileKind = {
  // "Ears".
  applicationId: 0x45617273,
  version: SCHEMA_VERSION,
  schema: SCHEMA,
  pragmas: `PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = ${MAX_LOG_PAGES}`,
  busyMs: 1_000,
  isSynced: false,
  /** Checking larger tables takes too long for a start. */
  hasDamage(database) {
    const facts = Number(database.prepare("SELECT max(rowid) AS last FROM memory_facts").get()?.["last"] ?? 0);
    const large = facts <= MAX_CHECKED_FACTS ? ["memory_facts"] : [];
    const tables = ["opt_outs", "restores", "memory_store", "left_guilds", "audit_ends", ...large];
    return tables.some((table) => isDamaged(database, table));
  },
};

const KEYS: FileKind = {
  // "Eark".
  applicationId: 0x4561726b,
  version: KEYS_VERSION,
  schema: KEYS_SCHEMA,
  // Keys must not be written to any other file.
  pragmas:
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY",
  busyMs: 0,
  isSynced: true,
  hasDamage: (database) => isDamaged(database),
  tidy(database) {
    // The mark of a copy: once restored, the file is no longer one.
    database.exec("DROP TABLE IF EXISTS copied");
    // Keys deleted right before the program was killed may still be in the log.
    truncateLog(database);
  },
};

/** The program's own earshot.db, used by one program at a time. Throws `misconfigured` if the file cannot be used, or is in use. */
export async function openDurableDatabase(file: string, options?: OpenOptions): Promise<Database> {
  return open(DURABLE, file, { ...options, mode: "own" });
}

/** Like `openDurableDatabase`, for keys.db. */
export async function openKeyDatabase(file: string, options?: OpenOptions): Promise<Database> {
  return open(KEYS, file, { ...options, mode: "own" });
}

/** Read-only, for commands beside the running or stopped program. Throws `not_found` without a file. */
export async function openDurableDatabaseToRead(file: string): Promise<Database> {
  if (isEmptyFile(file)) throw new EarshotError("not_found", "Nothing has been kept here yet.");
  return open(DURABLE, file, { mode: "read" });
}

/** Checks all of a file that no program uses, without changes. Throws `misconfigured` for a file that a start refuses. */
export async function openDurableDatabaseToInspect(file: string): Promise<Database> {
  return open(DURABLE, file, { mode: "inspect" });
}

/** Like `openDurableDatabaseToInspect`, for keys.db. */
export async function openKeyDatabaseToInspect(file: string): Promise<Database> {
  return open(KEYS, file, { mode: "inspect" });
}

type Mode = "own" | "read" | "inspect";

function open(kind: FileKind, file: string, { mode, connect, ...options }: OpenOptions & { readonly mode: Mode }) {
  let lock: FileLock | null = null;
  let database: DatabaseSync | null = null;
  try {
    if (mode === "own") {
      lock = lockFile(file, LOCK_TIMEOUT_MS);
      createOwnFile(file);
    }
    const timeout = kind.busyMs;
    if (connect) database = connect(file);
    else if (mode === "inspect") database = connectToInspect(file);
    else database = new DatabaseSync(file, { readOnly: mode === "read", timeout });
    if (!isOwnDatabase(database, kind.applicationId)) throw notOwn(file);
    if (mode === "own") prepare(database, kind);
    requireVersion(database, kind.version, `The file ${basename(file)}`);
    if (mode !== "read" && (mode === "inspect" ? isDamaged(database) : kind.hasDamage(database))) throw damaged(file);
    if (mode === "own") kind.tidy?.(database);
    return new SqliteDatabase(database, { ...kind, ...options, file, closeMore: () => lock?.close() });
  } catch (cause) {
    if (database?.isOpen) database.close();
    lock?.close();
    throw toMisconfigured(file, cause);
  }
}

function prepare(database: DatabaseSync, { pragmas, schema, applicationId, version }: FileKind): void {
  database.exec(pragmas);
  if (!isEmptyDatabase(database)) return;
  const owner = `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`;
  database.exec(`BEGIN IMMEDIATE; ${owner}; ${schema} COMMIT`);
}

function notOwn(file: string): EarshotError {
  const hint = `Move it away, and put Earshot's own ${basename(file)} there if there was one.`;
  return new EarshotError("misconfigured", `The file ${file} is not Earshot's. ${hint}`);
}

function damaged(file: string): EarshotError {
  return new EarshotError("misconfigured", `The file ${basename(file)} cannot be used: ${DAMAGED}`);
}

function toMisconfigured(file: string, cause: unknown): EarshotError {
  if (cause instanceof EarshotError) return cause;
  const hint = ". Check that its folder can be written to and that the disk has room.";
  const problem = describeProblem(cause) ?? hint;
  return new EarshotError("misconfigured", `The file ${basename(file)} cannot be opened${problem}`, { cause });
}

/** SQLite works synchronously, and reading a whole file takes seconds: a thread keeps the program responsive. */
const CHECK = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(workerData, { readOnly: true });
  const result = database.prepare("PRAGMA quick_check(1)").get()?.quick_check;
  database.close();
  parentPort.postMessage(result !== "ok");
`;

export interface DamageSearch {
  /** Null if it was stopped, or failed. */
  readonly isDamaged: Promise<boolean | null>;
  /** Safe to repeat. */
  stop(): Promise<void>;
}

/** Checks a whole database for damage while it is in use. */
export function findDamage(file: string): DamageSearch {
  const worker = new Worker(CHECK, { eval: true, workerData: file });
  worker.unref();
  return {
    isDamaged: new Promise((resolve) => {
      worker.once("message", resolve);
      // SQLite cannot even read the file; the next write reports why.
      worker.once("error", () => resolve(null));
      worker.once("exit", () => resolve(null));
    }),
    stop: async () => void (await worker.terminate()),
  };
}
