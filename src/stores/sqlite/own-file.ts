import { chmodSync, closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { EarshotError } from "../../domain/errors.ts";

/** Opens a connection. Tests pass one that fails at a chosen moment. */
export type Connect = (file: string) => DatabaseSync;

/** Creates the file with its mode, so that no other user can ever read it; SQLite's other files get the same mode. */
export function createOwnFile(file: string): void {
  closeSync(openSync(file, "a", 0o600));
  chmodSync(file, 0o600);
}

/** Whether the file is missing or empty. */
export function isEmptyFile(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** For a file that no program uses. Leaves no new file: SQLite creates a log beside a file even for reading, unless it is immutable. */
export function connectToInspect(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  const hasLog = !isEmptyFile(`${file}-wal`);
  if (!hasLog) url.searchParams.set("immutable", "1");
  const isNew = !existsSync(`${file}-shm`);
  const database = new DatabaseSync(url, { readOnly: true });
  const close = database.close.bind(database);
  database.close = () => {
    close();
    if (isNew) rmSync(`${file}-shm`, { force: true });
  };
  return database;
}

/** Whether SQLite finds damage in a table; in all tables without a name. */
export function isDamaged(database: DatabaseSync, table?: string): boolean {
  return database.prepare(`PRAGMA quick_check(${table ?? 1})`).get()?.["quick_check"] !== "ok";
}

/** Whether the file has this application id, or is empty. Changes nothing. */
export function isOwnDatabase(database: DatabaseSync, applicationId: number): boolean {
  const owner = database.prepare("PRAGMA application_id").get()?.["application_id"];
  return owner === applicationId || (owner === 0 && isEmptyDatabase(database));
}

export function isEmptyDatabase(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}

/** Throws `misconfigured` unless the tables have the current version. `name`: the start of the error message. */
export function requireVersion(database: DatabaseSync, current: number, name: string): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  if (version === current) return;
  const problem =
    version > current
      ? `${name} was made by a newer Earshot. Use that version, or a newer one.`
      : `${name} is of an older Earshot, from before its first release. Move the data folder away and start with a new one.`;
  throw new EarshotError("misconfigured", problem);
}

/** Writes the log into the file and empties it, because it may contain bytes of deleted rows. False while another connection reads. */
export function truncateLog(database: DatabaseSync): boolean {
  return database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
}

export interface FileLock {
  close(): void;
}

/** https://sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/**
 * Held until it is closed; the system releases it even if the process is killed. Throws `misconfigured` if another process holds it, and
 * any other error of the file system.
 */
export function lockFile(file: string, timeoutMs: number): FileLock {
  let lock: DatabaseSync | null = null;
  try {
    makeFolder(dirname(file));
    lock = new DatabaseSync(`${file}.lock`, { timeout: timeoutMs });
    chmodSync(`${file}.lock`, 0o600);
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (cause) {
    if (lock?.isOpen) lock.close();
    const isTaken = cause instanceof Error && "errcode" in cause && cause.errcode === SQLITE_BUSY;
    if (!isTaken) throw cause;
    const hint = "Stop the other one, or give this one a folder of its own with EARSHOT_DATA_DIR.";
    const problem = `Another Earshot uses this data folder. ${hint}`;
    throw new EarshotError("misconfigured", problem, { cause, obstacle: "folder_locked" });
  }
}

/** Private to its owner, with its parent folders. Creates them one by one: if one cannot be created, such as in /proc, Node's own
 * `recursive` retries endlessly, and no signal stops it. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    // Another program may have created it at the same moment.
    if (!existsSync(folder)) throw cause;
  }
}
