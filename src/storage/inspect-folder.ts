import { existsSync, statSync } from "node:fs";
import { access, constants, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { EarshotError } from "../domain/errors.ts";
import { inspectStores, requireNothingSealed } from "../memory/start-vault.ts";
import { openAudit } from "../policy/audit.ts";
import type { Log } from "../ports/log.ts";
import { createAuditStore } from "../stores/audit-store.ts";
import type { Database } from "../stores/database.ts";
import { createFactStore } from "../stores/fact-store.ts";
import { hasAuditKey, loadAuditKey, lostDatabase } from "../stores/file/audit-key.ts";
import { requireNotMoved } from "../stores/file/moved-mark.ts";
import { cannotBeUsed, probeNearestFolder } from "../stores/file/probe-folder.ts";
import { openKeyStore } from "../stores/key-store.ts";
import { createOptOutStore } from "../stores/opt-out-store.ts";
import { openDurableDatabaseToInspect, openKeyDatabaseToInspect } from "../stores/sqlite/open-sqlite.ts";
import { isEmptyFile, lockFile } from "../stores/sqlite/own-file.ts";
import { DATABASE, KEYS, mintId, systemClock } from "./durable-parts.ts";

/** All others are files. */
const FOLDERS = ["edge", "timeline"];

/**
 * Looks at the data folder as a start does, without a program. False when one uses it. Throws `misconfigured` with the sentence of a start that is refused.
 * Changes nothing; the file that is written to try the disk is removed again.
 */
export async function inspectFolder({ dataDir }: Config, log: Log): Promise<boolean> {
  const folder = resolve(dataDir);
  const file = join(folder, DATABASE);
  requireNotMoved(folder);
  if (existsSync(`${file}.lock`) && isLocked(file)) return false;
  await orMisconfigured(folder, () => probeNearestFolder(folder));
  if (existsSync(folder)) for (const name of await readdir(folder)) await requireUsable(join(folder, name), name);
  if (isEmptyFile(file)) {
    if (await hasAuditKey(folder)) throw lostDatabase(DATABASE);
    return true;
  }
  await inspectCopies({ folder, keysFile: join(folder, KEYS) }, log);
  return true;
}

async function inspectContent(
  { folder, keysFile }: { readonly folder: string; readonly keysFile: string },
  database: Database,
  log: Log,
): Promise<void> {
  const audit = createAuditStore(database);
  // With its ends, nothing is written.
  if (await audit.ends(0)) await openAudit(audit, { key: await loadAuditKey(folder), clock: systemClock, log, mintId });
  else if (await hasAuditKey(folder)) throw lostDatabase(DATABASE);
  const stores = { facts: createFactStore(database), optOuts: createOptOutStore(database) };
  if (isEmptyFile(keysFile)) return requireNothingSealed(stores);
  const keys = await openKeyStore(await openKeyDatabaseToInspect(keysFile));
  try {
    await inspectStores({ ...stores, keys });
  } finally {
    await keys.close();
  }
}

/** Looks at a copy of earshot.db with the key of its audit, and at one of keys.db, as a start would. Throws `misconfigured` where that would refuse them. */
export async function inspectCopies(copies: { readonly folder: string; readonly keysFile: string }, log: Log) {
  const database = await openDurableDatabaseToInspect(join(copies.folder, DATABASE));
  try {
    await inspectContent(copies, database, log);
  } finally {
    await database.close();
  }
}

function isLocked(file: string): boolean {
  try {
    lockFile(file, 0).close();
    return false;
  } catch (error) {
    return error instanceof EarshotError;
  }
}

async function requireUsable(path: string, name: string): Promise<void> {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const isOwn = /^(earshot|keys)\.db|^audit\.key|-access\.json$/.test(name) || FOLDERS.includes(name);
  if (!isOwn) return;
  if (isFolder !== FOLDERS.includes(name))
    throw new EarshotError("misconfigured", `${path} cannot be used: it is ${isFolder ? "a folder" : "no folder"}.`);
  await orMisconfigured(path, () => access(path, constants.R_OK | constants.W_OK));
}

async function orMisconfigured(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    throw cannotBeUsed(path, "misconfigured", cause);
  }
}
