import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../../domain/errors.ts";

export interface FileLock {
  close(): void;
}

/** https://sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/**
 * Held until it is closed; the system releases it even when the process is killed. Throws `misconfigured` when another process holds it, and
 * whatever else the file system says.
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

/** For its owner alone, with the folders above it. One after the other: where one cannot be made, such as in /proc, Node's own `recursive` tries again without end, and no signal stops it. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    // Another program may have made it at the same moment.
    if (!existsSync(folder)) throw cause;
  }
}
