import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PostgresAddress } from "../config/database-settings.ts";
import { inspectStores } from "../memory/start-vault.ts";
import { createAuditStore } from "../stores/audit-store.ts";
import { compareRows, copyKeys, copyRows } from "../stores/copy-stores.ts";
import type { Database } from "../stores/database.ts";
import { createFactStore } from "../stores/fact-store.ts";
import { AUDIT_KEY, loadAuditKey } from "../stores/file/audit-key.ts";
import { openKeyStore } from "../stores/key-store.ts";
import { createOptOutStore } from "../stores/opt-out-store.ts";
import {
  openPostgresKeysToFill,
  openPostgresKeysToRead,
  openPostgresToFill,
  openPostgresToRead,
} from "../stores/postgres/open-postgres.ts";
import { openWrappedKeys, toWrappingSecret } from "../stores/postgres/wrap-keys.ts";
import { openDurableDatabaseToInspect, openKeyDatabaseToInspect } from "../stores/sqlite/open-sqlite.ts";
import { makeFolder } from "../stores/sqlite/own-file.ts";
import { chance, DATABASE, KEYS } from "./durable-parts.ts";
import { orNull } from "./inspect-folder.ts";
import { copyOwn, type Missing, type OpenedTarget, type RestoreTarget, type Survivors } from "./restore-target.ts";

type From = PostgresAddress & { readonly dataDir: string };

/** Databases of PostgreSQL: missing where there are no tables, or nothing in them that a start would have written. */
export function postgresTarget(to: From): RestoreTarget {
  return { survivors: () => findSurvivors(to), open: (missing) => open(to, missing) };
}

async function findSurvivors({ url, keysUrl, keysSecret }: From): Promise<Survivors> {
  const databases: Database[] = [];
  const openOrNull = async (opening: Promise<Database>) => {
    const database = await orNull(opening);
    if (database) databases.push(database);
    return database;
  };
  try {
    const durable = await openOrNull(openPostgresToRead(url));
    const wrapped = await openOrNull(openPostgresKeysToRead(keysUrl));
    const database = !!durable && (await createAuditStore(durable).ends(0)) !== null;
    const keys =
      !!wrapped && (await wrapped.query("SELECT 1 AS one FROM keys WHERE rtrim(name) <> '' LIMIT 1")).length > 0;
    if (wrapped && keys) {
      const opened = await openWrappedKeys(wrapped, { secret: toWrappingSecret(keysSecret), chance });
      if (durable && database)
        await inspectStores({ facts: createFactStore(durable), optOuts: createOptOutStore(durable), keys: opened });
    }
    return { database, keys };
  } finally {
    for (const database of databases) await database.close();
  }
}

async function open({ dataDir, ...to }: From, missing: Missing): Promise<OpenedTarget> {
  const opened: { close(): Promise<void> }[] = [];
  const opening = <Opened extends { close(): Promise<void> }>(each: Opened): Opened => {
    opened.push(each);
    return each;
  };
  const close = async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  };
  try {
    const target = await openPostgresToFill(to.url);
    const durable = opening(target.database);
    const keysTarget = await openPostgresKeysToFill(to.keysUrl);
    opening(keysTarget.database);
    if (missing.database) {
      const from = opening(await openDurableDatabaseToInspect(join(missing.database, DATABASE)));
      await target.empty();
      await copyRows(from, durable, () => {});
      await compareRows(from, durable, () => {});
    }
    const source = missing.keys
      ? opening(await openKeyStore(await openKeyDatabaseToInspect(join(missing.keys, KEYS))))
      : null;
    if (source) await keysTarget.empty();
    const named = source ? { ...chance, id: () => source.storeId } : chance;
    const keys = opening(
      await openWrappedKeys(keysTarget.database, { secret: toWrappingSecret(to.keysSecret), chance: named }),
    );
    if (source) await copyKeys(source, keys);
    const hasAuditKey = existsSync(join(dataDir, AUDIT_KEY));
    const auditKey = await loadAuditKey(missing.database && !hasAuditKey ? missing.database : dataDir);
    const publish = async () => {
      makeFolder(dataDir);
      if (missing.database && !hasAuditKey) copyOwn(missing.database, dataDir, AUDIT_KEY);
      // Interrupted in between, the keys that are whole count as survivors.
      if (missing.keys) await keysTarget.complete();
      if (missing.database) await target.complete();
      await close();
    };
    return { durable, keys, auditKey, publish, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}
