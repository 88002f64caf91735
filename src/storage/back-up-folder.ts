import { chmodSync, copyFileSync, existsSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { PostgresAddress } from "../config/database-settings.ts";
import { EarshotError } from "../domain/errors.ts";
import { describeFileError } from "../domain/file-errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { AUDIT_KEY } from "../stores/file/audit-key.ts";
import { requireNotMoved } from "../stores/file/moved-mark.ts";
import { copyDatabases, markKeyCopy, readKeyCopyTime } from "../stores/sqlite/copy-database.ts";
import { type FileLock, lockFile, makeFolder } from "../stores/sqlite/own-file.ts";
import { describeProblem } from "../stores/sqlite/translate-errors.ts";
import {
  DAY_MS,
  listBackups,
  MAX_KEY_COPY_DAYS,
  PARTIAL,
  requireApart,
  STAMP,
  toStamp,
  toStampTime,
} from "./backup-names.ts";
import { DATABASE, KEYS } from "./durable-parts.ts";
import { inspectCopies } from "./inspect-folder.ts";

export interface CopyRequest {
  /** Gets earshot.db and audit.key, in a folder named after the time. */
  readonly folder: string;
  /** Gets keys.db, the same way. */
  readonly keysFolder: string;
  readonly stamp: string;
}

export interface BackupReceipt {
  readonly time: number;
  readonly folder: string;
  readonly keysFolder: string;
  /** How many older copies of keys were deleted. */
  readonly deleted: number;
}

const PARTIAL_KEPT_MS = 3_600_000;

/**
 * Copies what matters of a data folder into folders that are not yet called backups; to be called by the program that holds its lock. Leaves nothing
 * when it fails. Throws `invalid` for folders that do not lie apart, `unavailable` for what cannot be written.
 */
export function copyFolder(dataDir: string, { folder, keysFolder, stamp }: CopyRequest): void {
  requireApart([resolve(dataDir), folder, keysFolder]);
  const time = toStampTime(stamp);
  if (time === null) throw new EarshotError("invalid", "A backup is named after its time.");
  const [target, keysTarget] = [folder, keysFolder].map((each) => join(each, stamp + PARTIAL)) as [string, string];
  try {
    for (const each of [target, keysTarget]) makeFolder(each);
    copyDatabases([
      { from: join(dataDir, DATABASE), to: join(target, DATABASE) },
      { from: join(dataDir, KEYS), to: join(keysTarget, KEYS), mark: (file) => markKeyCopy(file, time) },
    ]);
    copyFileSync(join(dataDir, AUDIT_KEY), join(target, AUDIT_KEY));
    chmodSync(join(target, AUDIT_KEY), 0o600);
  } catch (cause) {
    for (const each of [target, keysTarget]) rmSync(each, { recursive: true, force: true });
    throw cannotBeWritten(cause);
  }
}

function cannotBeWritten(cause: unknown): EarshotError {
  if (cause instanceof EarshotError) return cause;
  const problem = describeFileError(cause) ?? `The backup cannot be written${describeProblem(cause) ?? "."}`;
  return new EarshotError("unavailable", problem, { cause });
}

/**
 * Has the data folder copied by the program that uses it, or copies it where none does; or copies what is in PostgreSQL. Looks whether a start could use the copies, and only then gives
 * them their names. Deletes its own copies of keys that are too old.
 */
export async function backUpFolder(
  {
    dataDir,
    postgres,
    ...to
  }: Omit<CopyRequest, "stamp"> & { readonly dataDir: string; readonly postgres: PostgresAddress | null },
  deps: {
    readonly clock: Clock;
    readonly log: Log;
    readonly signal: AbortSignal;
    askProgram(request: CopyRequest): Promise<unknown>;
  },
): Promise<BackupReceipt> {
  if (!postgres) requireNotMoved(dataDir);
  if (!postgres && !existsSync(join(dataDir, DATABASE)))
    throw new EarshotError("not_found", `Nothing has been kept in ${resolve(dataDir)} yet.`);
  const time = deps.clock.now();
  const request = { ...to, stamp: toStamp(time) };
  requireApart([resolve(dataDir), to.folder, to.keysFolder]);
  const [target, keysTarget] = [to.folder, to.keysFolder].map((each) => join(each, request.stamp)) as [string, string];
  const locks = postgres ? null : lockFolder(dataDir);
  try {
    if (postgres) await copyFromPostgres({ ...postgres, dataDir }, { target, keysTarget, time }, deps);
    else if (locks) copyFolder(dataDir, request);
    else await deps.askProgram(request);
    if (!existsSync(join(target + PARTIAL, DATABASE)) || !existsSync(join(keysTarget + PARTIAL, KEYS)))
      throw elsewhere();
    await inspectCopies({ folder: target + PARTIAL, keysFile: join(keysTarget + PARTIAL, KEYS) }, deps.log);
    if (deps.signal.aborted) throw stopped();
    renameSync(keysTarget + PARTIAL, keysTarget);
    renameSync(target + PARTIAL, target);
  } catch (error) {
    for (const each of [target, keysTarget])
      for (const path of [each, each + PARTIAL]) rmSync(path, { recursive: true, force: true });
    throw error;
  } finally {
    for (const lock of locks ?? []) lock.close();
  }
  return { time, folder: target, keysFolder: keysTarget, deleted: deleteOld(to, time) };
}

async function copyFromPostgres(
  from: PostgresAddress & { readonly dataDir: string },
  { target, keysTarget, time }: { readonly target: string; readonly keysTarget: string; readonly time: number },
  deps: { readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  // Only where it is used: backups of files need not wait for it.
  const { copyPostgres } = await import("./back-up-postgres.ts");
  const [folder, keysFolder] = [target + PARTIAL, keysTarget + PARTIAL];
  try {
    await copyPostgres(from, { folder, keysFolder, time }, deps);
  } catch (cause) {
    throw deps.signal.aborted ? stopped() : cannotBeWritten(cause);
  }
}

/** What it wrote stays there, and holds keys. */
function elsewhere(): EarshotError {
  const problem = `The program that runs sees other folders than this command, as in a container. Run the backup where it runs, and delete what ends with ${PARTIAL} there.`;
  return new EarshotError("unavailable", problem);
}

function stopped(): EarshotError {
  return new EarshotError("cancelled", "Nothing was backed up: the command was stopped.");
}

/** Null where a program uses the folder. */
export function lockFolder(dataDir: string): readonly FileLock[] | null {
  const locks: FileLock[] = [];
  try {
    for (const file of [DATABASE, KEYS]) locks.push(lockFile(join(dataDir, file), 0));
    return locks;
  } catch (error) {
    for (const lock of locks) lock.close();
    if (error instanceof EarshotError) return null;
    throw error;
  }
}

/** How many copies of keys were deleted. What was left by a backup that was killed goes, too. */
function deleteOld({ folder, keysFolder }: Omit<CopyRequest, "stamp">, now: number): number {
  const old = listBackups(keysFolder, KEYS).filter(({ path, time }) => {
    return now - (readKeyCopyTime(join(path, KEYS)) ?? time) > MAX_KEY_COPY_DAYS * DAY_MS;
  });
  for (const { path } of old) {
    rmSync(join(path, KEYS));
    // Whatever else somebody put there stays.
    if (readdirSync(path).length === 0) rmdirSync(path);
  }
  for (const each of [folder, keysFolder])
    for (const name of readdirSync(each)) {
      const stamp = name.slice(0, -PARTIAL.length);
      const isLeft = name.endsWith(PARTIAL) && STAMP.test(stamp) && now - (toStampTime(stamp) ?? now) > PARTIAL_KEPT_MS;
      if (isLeft) rmSync(join(each, name), { recursive: true });
    }
  return old.length;
}
