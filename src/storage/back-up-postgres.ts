import { chmodSync, copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { PostgresAddress } from "../config/database-settings.ts";
import { tidyStores } from "../memory/start-vault.ts";
import type { Log } from "../ports/log.ts";
import { compareRows, copyKeys, copyRows } from "../stores/copy-stores.ts";
import { createFactStore } from "../stores/fact-store.ts";
import { AUDIT_KEY } from "../stores/file/audit-key.ts";
import { openKeyStore } from "../stores/key-store.ts";
import { createOptOutStore } from "../stores/opt-out-store.ts";
import { openPostgresKeysToRead, openPostgresToRead } from "../stores/postgres/open-postgres.ts";
import { openWrappedKeys, toWrappingSecret } from "../stores/postgres/wrap-keys.ts";
import { markKeyCopy } from "../stores/sqlite/copy-database.ts";
import { openDurableDatabase, openKeyDatabase } from "../stores/sqlite/open-sqlite.ts";
import { makeFolder } from "../stores/sqlite/own-file.ts";
import { chance, DATABASE, KEYS } from "./durable-parts.ts";

interface CopyTarget {
  /** Created if something is to be copied. */
  readonly folder: string;
  readonly keysFolder: string;
  readonly time: number;
}

/** Copies what lasts from PostgreSQL into the files of a data folder, also while a program uses it. The keys are as in any keys.db: not wrapped. */
export async function copyPostgres(
  { dataDir, ...from }: PostgresAddress & { readonly dataDir: string },
  { folder, keysFolder, time }: CopyTarget,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  const [file, keysFile] = [join(folder, DATABASE), join(keysFolder, KEYS)];
  const closers: (() => Promise<void>)[] = [];
  const closing = <Opened extends { close(): Promise<void> }>(opened: Opened): Opened => {
    closers.push(() => opened.close());
    return opened;
  };
  try {
    const wrapped = await openPostgresKeysToRead(from.keysUrl);
    const keys = closing(await openWrappedKeys(wrapped, { secret: toWrappingSecret(from.keysSecret), chance }));
    const database = closing(await openPostgresToRead(from.url));
    for (const each of [folder, keysFolder]) makeFolder(each);
    const toKeys = closing(await openKeyStore(await openKeyDatabase(keysFile), () => keys.storeId));
    const to = closing(await openDurableDatabase(file));
    // The keys are copied first: what is forgotten meanwhile is no row of the snapshot any more, and what is added meanwhile is newer than the backup, and left out.
    await copyKeys(keys, toKeys);
    const snapshot = closing(await database.openSnapshot());
    const onRows = () => signal.throwIfAborted();
    await copyRows(snapshot, to, onRows);
    await compareRows(snapshot, to, onRows);
    const stores = { facts: createFactStore(to), keys: toKeys, optOuts: createOptOutStore(to) };
    await tidyStores(stores, { log, erasesLostSince: time });
  } finally {
    for (const close of closers.reverse()) await close();
  }
  for (const each of [file, keysFile]) rmSync(`${each}.lock`);
  markKeyCopy(keysFile, time);
  copyFileSync(join(dataDir, AUDIT_KEY), join(folder, AUDIT_KEY));
  chmodSync(join(folder, AUDIT_KEY), 0o600);
}
