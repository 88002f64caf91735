import { chmodSync, copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { EarshotError } from "../domain/errors.ts";
import type { KeyStore } from "../ports/key-store.ts";
import type { Log } from "../ports/log.ts";
import type { Database } from "../stores/database.ts";
import { AUDIT_KEY, loadAuditKey } from "../stores/file/audit-key.ts";
import { openKeyStore } from "../stores/key-store.ts";
import {
  openDurableDatabase,
  openDurableDatabaseToInspect,
  openKeyDatabase,
  openKeyDatabaseToInspect,
} from "../stores/sqlite/open-sqlite.ts";
import { type FileLock, isEmptyFile, lockFile, makeFolder } from "../stores/sqlite/own-file.ts";
import { lockFolder } from "./back-up-folder.ts";
import { DATABASE, KEYS, mintId, RESTORING } from "./durable-parts.ts";
import { inspectCopies } from "./inspect-folder.ts";

/** The folders of backups that are put back; null for what survived. */
export interface Missing {
  readonly database: string | null;
  readonly keys: string | null;
}

export interface Survivors {
  readonly database: boolean;
  readonly keys: boolean;
}

export interface OpenedTarget {
  readonly durable: Database;
  readonly keys: KeyStore;
  readonly auditKey: Uint8Array;
  /** Makes it count. An interruption before changes nothing that survived. */
  publish(): Promise<void>;
  /** Frees everything. Safe after `publish`. */
  close(): Promise<void>;
}

/** A place to restore into. */
export interface RestoreTarget {
  /** Throws `misconfigured` for what cannot be used: it may know what was forgotten. */
  survivors(log: Log): Promise<Survivors>;
  /** With what was missing copied to it. Throws `misconfigured` while a program uses it. */
  open(missing: Missing): Promise<OpenedTarget>;
}

/** The files of a data folder. */
export function filesTarget(dataDir: string): RestoreTarget {
  return {
    async survivors(log) {
      if (existsSync(dataDir)) requireStopped(dataDir);
      const database = await survives(join(dataDir, DATABASE), openDurableDatabaseToInspect);
      const keys = await survives(join(dataDir, KEYS), openKeys);
      if (database && keys) await inspectCopies({ folder: dataDir, keysFile: join(dataDir, KEYS) }, log);
      return { database, keys };
    },
    open: (missing) => openFiles(dataDir, missing),
  };
}

function requireStopped(dataDir: string): void {
  const locks = lockFolder(dataDir);
  if (!locks)
    throw new EarshotError("misconfigured", "Earshot runs with this data folder. Stop it, then restore the backup.");
  for (const lock of locks) lock.close();
}

const openKeys = async (file: string) => openKeyStore(await openKeyDatabaseToInspect(file));

/** Whether there is a file. Throws `misconfigured` for one that cannot be opened. */
async function survives(file: string, open: (file: string) => Promise<{ close(): Promise<void> }>): Promise<boolean> {
  if (isEmptyFile(file)) return false;
  try {
    await (await open(file)).close();
    return true;
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : "";
    const hint = `It may know what was forgotten, so it is not replaced. If it is lost for good, delete ${file}, then restore again.`;
    throw new EarshotError("misconfigured", `${problem} ${hint}`, { cause });
  }
}

async function openFiles(dataDir: string, { database, keys: keyCopy }: Missing): Promise<OpenedTarget> {
  const staged = join(dataDir, RESTORING);
  const names = [database === null ? [] : DATABASE, keyCopy === null ? [] : KEYS].flat();
  // Files that are there are locked where they are opened.
  const locks: FileLock[] = [];
  const opened: { close(): Promise<void> }[] = [];
  const closeStores = async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  };
  const close = async () => {
    await closeStores();
    rmSync(staged, { recursive: true, force: true });
    for (const lock of locks.splice(0)) lock.close();
  };
  try {
    for (const name of names) locks.push(lockFile(join(dataDir, name), 0));
    rmSync(staged, { recursive: true, force: true });
    makeFolder(staged);
    if (database) copyOwn(database, staged, DATABASE);
    if (database && !existsSync(join(dataDir, AUDIT_KEY))) copyOwn(database, staged, AUDIT_KEY);
    if (keyCopy) copyOwn(keyCopy, staged, KEYS);
    const durable = await openDurableDatabase(join(database ? staged : dataDir, DATABASE));
    opened.push(durable);
    const keys = await openKeyStore(await openKeyDatabase(join(keyCopy ? staged : dataDir, KEYS)), mintId);
    opened.push(keys);
    const auditKey = await loadAuditKey(existsSync(join(staged, AUDIT_KEY)) ? staged : dataDir);
    const publish = async () => {
      await closeStores();
      // The keys come last: a restore that is interrupted before that does not count them as a survivor.
      for (const name of [AUDIT_KEY, ...names]) publishFile(name, { dataDir, staged });
    };
    return { durable, keys, auditKey, publish, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

/** A copy that only its owner may read. */
export function copyOwn(from: string, to: string, name: string): void {
  copyFileSync(join(from, name), join(to, name));
  chmodSync(join(to, name), 0o600);
}

function publishFile(name: string, { dataDir, staged }: { readonly dataDir: string; readonly staged: string }): void {
  if (!existsSync(join(staged, name))) return;
  // The log of the lost file would be taken for this one's.
  for (const end of ["-wal", "-shm"]) rmSync(join(dataDir, name + end), { force: true });
  renameSync(join(staged, name), join(dataDir, name));
}
