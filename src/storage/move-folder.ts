import { join, resolve } from "node:path";
import type { PostgresAddress } from "../config/database-settings.ts";
import { EarshotError } from "../domain/errors.ts";
import { inspectStores } from "../memory/start-vault.ts";
import { verifyAudit } from "../policy/verify-audit.ts";
import type { KeyStore } from "../ports/key-store.ts";
import { createAuditStore } from "../stores/audit-store.ts";
import { compareRows, copyKeys, copyRows, countRows } from "../stores/copy-stores.ts";
import type { Database } from "../stores/database.ts";
import { createFactStore } from "../stores/fact-store.ts";
import { loadAuditKey } from "../stores/file/audit-key.ts";
import { isMoved, markMoved } from "../stores/file/moved-mark.ts";
import { openKeyStore } from "../stores/key-store.ts";
import { createOptOutStore } from "../stores/opt-out-store.ts";
import { openPostgresKeysToFill, openPostgresToFill } from "../stores/postgres/open-postgres.ts";
import { openWrappedKeys, toWrappingSecret } from "../stores/postgres/wrap-keys.ts";
import { eraseIndexFile } from "../stores/sqlite/index-file.ts";
import { openDurableDatabase, openKeyDatabase } from "../stores/sqlite/open-sqlite.ts";
import { isEmptyFile } from "../stores/sqlite/own-file.ts";
import { chance, DATABASE, KEYS, mintId } from "./durable-parts.ts";

export interface MoveRequest extends PostgresAddress {
  readonly dataDir: string;
}

export interface MoveReceipt {
  readonly rows: number;
  /** Rows of the audit among them; it was verified before and after. */
  readonly audited: number;
}

export interface MoveDeps {
  readonly signal: AbortSignal;
  /** Says how far it is. */
  note(line: string): void;
}

/**
 * Copies what lasts of a data folder to PostgreSQL, compares it, and marks the folder so that its files are never used again: what is forgotten later would
 * live on in them. Continues one that was interrupted; after the end of one, changes nothing. Throws `misconfigured` or `not_found` for what cannot be moved.
 */
export async function moveFolder({ dataDir, ...to }: MoveRequest, deps: MoveDeps): Promise<MoveReceipt> {
  if (isEmptyFile(join(dataDir, DATABASE)))
    throw new EarshotError("not_found", `Nothing has been kept in ${resolve(dataDir)} that could be moved.`);
  if (isMoved(dataDir) && isEmptyFile(join(dataDir, KEYS)))
    throw new EarshotError("invalid", "The folder was moved already, and its keys were destroyed.");
  const closers: (() => Promise<void>)[] = [];
  const closing = <Opened extends { close(): Promise<void> }>(opened: Opened): Opened => {
    closers.push(() => opened.close());
    return opened;
  };
  try {
    const database = closing(await openDurableDatabase(join(dataDir, DATABASE)));
    const keys = closing(await openKeyStore(await openKeyDatabase(join(dataDir, KEYS)), mintId));
    const auditKey = await loadAuditKey(dataDir);
    const audited = await requireWhole({ database, keys, auditKey });
    const target = await openPostgresToFill(to.url);
    closing(target.database);
    const keysTarget = await openPostgresKeysToFill(to.keysUrl);
    // Facts are sealed for the store of this name.
    const named = { ...chance, id: () => keys.storeId };
    const secret = toWrappingSecret(to.keysSecret);
    const toKeys = closing(await openWrappedKeys(keysTarget.database, { secret, chance: named }));
    const isOver = target.isComplete && isMoved(dataDir);
    if (toKeys.storeId !== keys.storeId || (target.isComplete && !isOver)) throw notEmpty();
    const rows = await countRows(database);
    if (!isOver) {
      markMoved(dataDir, describeAddress(to.url));
      await copyKeys(keys, toKeys);
      await copyRows(database, target.database, progressOf("Copied", rows, deps));
      await compareRows(database, target.database, progressOf("Compared", rows, deps));
      await requireWhole({ database: target.database, keys: toKeys, auditKey });
      await keysTarget.complete();
      await target.complete();
    }
    return { rows, audited };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

interface Content {
  readonly database: Database;
  readonly keys: KeyStore;
  readonly auditKey: Uint8Array;
}

/** The number of rows of the audit. Throws `misconfigured` where something is missing or altered. */
async function requireWhole({ database, keys, auditKey }: Content): Promise<number> {
  await inspectStores({ facts: createFactStore(database), optOuts: createOptOutStore(database), keys });
  const verified = await verifyAudit(createAuditStore(database), { key: auditKey });
  if (verified.ok) return verified.rows;
  const problem = `The audit is not whole (row ${verified.at}: ${verified.problem})`;
  throw new EarshotError("misconfigured", `${problem} Put the files back from a backup: earshot restore --help`);
}

function progressOf(what: string, rows: number, { note, signal }: MoveDeps): (count: number) => void {
  let done = 0;
  return (count) => {
    if (signal.aborted) throw new EarshotError("cancelled", "Stopped. Run the same again to go on.");
    done += count;
    note(`${what} ${done.toLocaleString("en")} of ${rows.toLocaleString("en")} rows`);
  };
}

function notEmpty(): EarshotError {
  return new EarshotError("misconfigured", "The database holds data of Earshot already. Name an empty one.");
}

/** Without a name, a password or options. */
function describeAddress(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** Overwrites the old keys of a folder that was moved, and deletes them. */
export function destroyKeys(dataDir: string): void {
  eraseIndexFile(join(dataDir, KEYS));
}
