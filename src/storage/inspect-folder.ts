import { existsSync, statSync } from "node:fs";
import { access, constants, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { type PostgresAddress, postgresOf } from "../config/database-settings.ts";
import { EarshotError } from "../domain/errors.ts";
import { inspectStores, requireNothingSealed } from "../memory/start-vault.ts";
import { openAudit } from "../policy/audit.ts";
import type { KeyStore } from "../ports/key-store.ts";
import type { Log } from "../ports/log.ts";
import { createAuditStore } from "../stores/audit-store.ts";
import type { Database } from "../stores/database.ts";
import { createFactStore } from "../stores/fact-store.ts";
import { hasAuditKey, loadAuditKey, lostDatabase } from "../stores/file/audit-key.ts";
import { requireNotMoved } from "../stores/file/moved-mark.ts";
import { orMisconfigured, probeNearestFolder } from "../stores/file/probe-folder.ts";
import { openKeyStore } from "../stores/key-store.ts";
import { createOptOutStore } from "../stores/opt-out-store.ts";
import { openWrappedKeys, toWrappingSecret } from "../stores/postgres/wrap-keys.ts";
import { openDurableDatabaseToInspect, openKeyDatabaseToInspect } from "../stores/sqlite/open-sqlite.ts";
import { isEmptyFile, lockFile } from "../stores/sqlite/own-file.ts";
import { chance, DATABASE, KEYS, mintId, systemClock } from "./durable-parts.ts";

/** All others are files. */
const FOLDERS = ["edge", "timeline"];

/**
 * Looks at the data folder as a start does, without a program. False when one uses it. Throws `misconfigured` with the sentence of a start that is refused.
 * Changes nothing; the file that is written to try the disk is removed again.
 */
export async function inspectFolder({ dataDir, database }: Config, log: Log): Promise<boolean> {
  const folder = resolve(dataDir);
  const file = join(folder, DATABASE);
  const postgres = postgresOf(database);
  if (!postgres) requireNotMoved(folder);
  if (!postgres && existsSync(`${file}.lock`) && isLocked(file)) return false;
  await orMisconfigured(folder, () => probeNearestFolder(folder));
  if (existsSync(folder)) for (const name of await readdir(folder)) await requireUsable(join(folder, name), name);
  if (postgres) return inspectPostgres(folder, postgres, log);
  if (isEmptyFile(file)) {
    if (await hasAuditKey(folder)) throw lostDatabase(DATABASE);
    return true;
  }
  await inspectCopies({ folder, keysFile: join(folder, KEYS) }, log);
  return true;
}

/** The folder holds no more than the key of the audit then. */
async function inspectPostgres(
  folder: string,
  { url, keysUrl, keysSecret }: PostgresAddress,
  log: Log,
): Promise<boolean> {
  const { IS_FREE, openPostgresKeysToRead, openPostgresToRead } = await import("../stores/postgres/open-postgres.ts");
  const database = await orNull(openPostgresToRead(url));
  const name = "in PostgreSQL";
  if (!database && (await hasAuditKey(folder))) throw lostDatabase(name);
  if (!database) return true;
  try {
    await inspectContent(folder, { database, name, log }, async () => {
      const keys = await orNull(openPostgresKeysToRead(keysUrl));
      return keys && openWrappedKeys(keys, { secret: toWrappingSecret(keysSecret), chance });
    });
    return (await database.query<{ readonly is_free: boolean }>(IS_FREE)).every(({ is_free }) => is_free);
  } finally {
    await database.close();
  }
}

/** Null where nothing was kept. */
export function orNull(opening: Promise<Database>): Promise<Database | null> {
  return opening.catch((error: unknown) => {
    if (error instanceof EarshotError && error.code === "not_found") return null;
    throw error;
  });
}

/** `openKeys`: null where there are none. */
async function inspectContent(
  folder: string,
  { database, name, log }: { readonly database: Database; readonly name: string; readonly log: Log },
  openKeys: () => Promise<KeyStore | null>,
): Promise<void> {
  const audit = createAuditStore(database);
  // With its ends, nothing is written.
  if (await audit.ends(0)) await openAudit(audit, { key: await loadAuditKey(folder), clock: systemClock, log, mintId });
  else if (await hasAuditKey(folder)) throw lostDatabase(name);
  const stores = { facts: createFactStore(database), optOuts: createOptOutStore(database) };
  const keys = await openKeys();
  if (!keys) return requireNothingSealed(stores);
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
    const { folder, keysFile } = copies;
    await inspectContent(folder, { database, name: DATABASE, log }, async () =>
      isEmptyFile(keysFile) ? null : openKeyStore(await openKeyDatabaseToInspect(keysFile)),
    );
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
