import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { postgresOf } from "../config/database-settings.ts";
import { EarshotError } from "../domain/errors.ts";
import type { GuildId, UserId } from "../domain/ids.ts";
import { type MarkedConsent, type OperatorConsent, openConsent } from "../memory/consent.ts";
import { openFactVault } from "../memory/fact-vault.ts";
import { FactWatch } from "../memory/fact-watch.ts";
import { deriveMark, toFactKeyName } from "../memory/key-ring.ts";
import type { MemoryDeps } from "../memory/memory.ts";
import { requireNothingSealed } from "../memory/start-vault.ts";
import { type Audit, type AuditHealth, openAudit } from "../policy/audit.ts";
import { startAuditHousekeeping } from "../policy/audit-housekeeping.ts";
import { ConfinedLabels } from "../policy/confined-labels.ts";
import { openSpending, type Spending } from "../policy/spending.ts";
import { verifyAudit } from "../policy/verify-audit.ts";
import type { AuditReader } from "../ports/audit-reader.ts";
import type { Clock } from "../ports/clock.ts";
import type { OwnConsent } from "../ports/consent.ts";
import type { FactStore } from "../ports/fact-store.ts";
import type { KeyStore } from "../ports/key-store.ts";
import type { Log } from "../ports/log.ts";
import { factsRestoredUntil, type RestoreNote } from "../ports/restore-store.ts";
import { createAuditStore } from "../stores/audit-store.ts";
import type { Database } from "../stores/database.ts";
import { createFactStore } from "../stores/fact-store.ts";
import { hasAuditKey, keepAuditKey, loadAuditKey, lostDatabase, prepareAuditKey } from "../stores/file/audit-key.ts";
import { isMoved, requireNotMoved } from "../stores/file/moved-mark.ts";
import { cannotBeUsed, orMisconfigured, probeFolder, probeNearestFolder } from "../stores/file/probe-folder.ts";
import { openKeyStore } from "../stores/key-store.ts";
import { createOptOutStore } from "../stores/opt-out-store.ts";
import { openWrappedKeys, toWrappingSecret } from "../stores/postgres/wrap-keys.ts";
import { createRestoreStore } from "../stores/restore-store.ts";
import { createSpendStore } from "../stores/spend-store.ts";
import { noteFiles } from "../stores/sqlite/new-files.ts";
import {
  findDamage,
  openDurableDatabase,
  openDurableDatabaseToRead,
  openKeyDatabase,
} from "../stores/sqlite/open-sqlite.ts";
import { isEmptyFile } from "../stores/sqlite/own-file.ts";
import { DAMAGED } from "../stores/sqlite/translate-errors.ts";
import { StorageHealth } from "./storage-health.ts";

/** Of the program; everybody else is given it. */
export const systemClock: Clock = { now: () => Date.now() };
export const mintId = () => randomBytes(18).toString("hex");
export const chance = { bytes: (count: number): Uint8Array => randomBytes(count), id: mintId };
export const DATABASE = "earshot.db";
export const KEYS = "keys.db";
/** The folder in which files are prepared that are put back from a backup. */
export const RESTORING = "restore.partial";
const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;

/** Throws `misconfigured` for a data folder that cannot be used, or is in use. */
export async function openStorageOf(config: Config, log: Log, closers: (() => Promise<void>)[]) {
  const storage = new StorageHealth({ clock: systemClock, log });
  const { dataDir } = config;
  const options = {
    watch: { clock: systemClock, log },
    onOutcome: storage.noting(storeNames(config).database),
  };
  const probe = () =>
    probeFolder(resolve(dataDir)).catch((cause: unknown) => {
      throw cannotBeUsed(resolve(dataDir), "unavailable", cause);
    });
  await orMisconfigured(resolve(dataDir), () => probeNearestFolder(resolve(dataDir)));
  if (config.database.url !== undefined) {
    if (!isEmptyFile(join(dataDir, DATABASE)) && !isMoved(dataDir)) throw inBothPlaces(dataDir);
    const database = await (await loadPostgres()).openPostgres(config.database.url, options);
    closers.push(() => database.close(), storage.probeWith("the data folder", probe));
    if (!(await createAuditStore(database).ends(0)) && (await hasAuditKey(dataDir)))
      throw lostDatabase("in PostgreSQL");
    return { storage, database, checkRest: async () => {}, keep: () => database.transaction(async () => {}) };
  }
  requireNotMoved(dataDir);
  // Nothing is made in a folder that is refused.
  if (isEmptyFile(join(dataDir, DATABASE)) && (await hasAuditKey(dataDir))) throw lostDatabase(DATABASE);
  const made = noteFiles(dataDir);
  const database = await openDurableDatabase(join(dataDir, DATABASE), options);
  made.noteOpened();
  let isStarted = false;
  closers.push(async () => {
    if (!isStarted) made.remove();
  });
  closers.push(() => database.close());
  // Of a restore that was killed: keys may be in it.
  rmSync(join(dataDir, RESTORING), { recursive: true, force: true });
  closers.push(storage.probeWith("the data folder", probe));
  /** The start succeeded. Throws when the data folder was moved or deleted while Discord was waited for: then nothing would be kept. */
  const keep = async () => {
    await database.transaction(async () => {});
    isStarted = true;
  };
  /** What the start did not look at. */
  const checkRest = async () => {
    const { isDamaged, stop } = findDamage(join(dataDir, DATABASE));
    closers.push(stop);
    if (await isDamaged) storage.note(`a table of ${DATABASE}`, new EarshotError("unavailable", `Found: ${DAMAGED}`));
  };
  return { storage, database, checkRest, keep };
}

/** As failures name them. */
function storeNames({ database: { url } }: Pick<Config, "database">) {
  return url === undefined ? { database: DATABASE, keys: KEYS } : { database: "PostgreSQL", keys: "the keys" };
}

/** What people forgot, or who opted out, may be in one of the two alone. */
function inBothPlaces(dataDir: string): EarshotError {
  const problem = `EARSHOT_DATABASE_URL is set, and ${resolve(dataDir)} holds ${DATABASE} from before.`;
  const hint = "Move it (earshot migrate), unset the one, or name another folder by EARSHOT_DATA_DIR.";
  return new EarshotError("misconfigured", `${problem} ${hint}`);
}

interface Remembered {
  readonly audit: Audit & AuditHealth;
  readonly confined: ConfinedLabels;
}

/** The audit, and what confined clients had read before a restart. */
export async function openAuditOf(
  config: Config,
  database: Database,
  log: Log,
  closers: (() => Promise<void>)[],
): Promise<Remembered> {
  const store = createAuditStore(database);
  const { dataDir } = config;
  const key = (await store.ends(0)) ? await loadAuditKey(dataDir) : await prepareAuditKey(dataDir, randomBytes(32));
  const audit = await openAudit(store, { key, clock: systemClock, log, mintId });
  await keepAuditKey(dataDir);
  const keptMs = config.policy.confinedMinutes * 60_000;
  const clients = config.clients.filter(({ grant }) => grant.confined).map(({ name }) => name);
  const { retentionDays, megabytes } = config.audit;
  const bounds = { retentionMs: retentionDays * DAY_MS, maxBytes: megabytes * MIB, confined: { clients, keptMs } };
  const housekeeping = startAuditHousekeeping(audit, bounds, { clock: systemClock, log });
  closers.push(async () => {
    housekeeping.close();
    await audit.close();
  });
  await housekeeping.run();
  const confined = new ConfinedLabels({ keptMs }, systemClock);
  await confined.restore(store, clients, (await createRestoreStore(database).list()).at(-1)?.restored_at);
  return { audit, confined };
}

type KeptMemory = Omit<MemoryDeps, "clock"> & {
  readonly consent: OwnConsent & MarkedConsent & OperatorConsent;
  /** When files of the data folder were put back from a backup. */
  readonly restores: readonly RestoreNote[];
};

/** Facts and who is left out. */
export async function openMemoryOf(
  { erasesLostFacts, storage, ...config }: Config & { erasesLostFacts: boolean; storage: StorageHealth },
  database: Database,
  log: Log,
  closers: (() => Promise<void>)[],
): Promise<KeptMemory> {
  const optOuts = createOptOutStore(database);
  const facts = createFactStore(database);
  const names = storeNames(config);
  const keys = await openKeysOf(config, {
    ...{ facts, optOuts, onOutcome: storage.noting(names.keys) },
    onAltered: (key) => log.error({ key }, "a key in the database was altered, and opens nothing any more"),
  });
  closers.push(() => keys.close());
  storage.retryWith(names.database, () => rewriteNothing(facts));
  storage.retryWith(names.keys, () => rewriteNoKey(keys));
  const vault = await openFactVault({ facts, keys, optOuts, chance, clock: systemClock, log, erasesLostFacts });
  const { policy } = config;
  const consentKey = await vault.consentKey();
  const markOf = (userId: UserId) => deriveMark(consentKey, userId);
  const consent = await openConsent({ store: optOuts, markOf, byOperator: policy.optOut.people, clock: systemClock });
  const watch = new FactWatch({ clock: systemClock, consent, keptMs: policy.confinedMinutes * 60_000 });
  const restores = await createRestoreStore(database).list();
  return { vault, facts, watch, consent, markOf, restores, restoredUntil: factsRestoredUntil(restores) };
}

async function openKeysOf(
  { dataDir, database }: Config,
  {
    onOutcome,
    onAltered,
    ...sealed
  }: Parameters<typeof requireNothingSealed>[0] & {
    onOutcome(error: unknown): void;
    onAltered(name: string): void;
  },
): Promise<KeyStore> {
  const postgres = postgresOf(database);
  if (postgres)
    return openWrappedKeys(await (await loadPostgres()).openPostgresKeys(postgres.keysUrl, { onOutcome }), {
      ...{ secret: toWrappingSecret(postgres.keysSecret), chance, onAltered },
    });
  if (isEmptyFile(join(dataDir, KEYS))) await requireNothingSealed(sealed);
  return openKeyStore(await openKeyDatabase(join(dataDir, KEYS), { onOutcome }), mintId);
}

/** Bot ids and servers are no such number. */
const NOBODY = "0" as GuildId;

async function rewriteNothing(facts: Pick<FactStore, "noteLeft">): Promise<void> {
  await facts.noteLeft(NOBODY, 0);
  await facts.noteLeft(NOBODY, null);
}

/** Without a fact of this name: should the program end in between, the next start deletes the key. */
async function rewriteNoKey(keys: KeyStore): Promise<void> {
  const name = toFactKeyName(NOBODY);
  await keys.delete([name]);
  await keys.add(new Map([[name, new Uint8Array(32)]]));
  await keys.delete([name]);
}

/** What calls of a model have used, and may use; null where no model is configured. */
export async function openSpendingOf(
  { model: { name, cheapName }, agent, timeZone }: Config,
  database: Database,
  log: Log,
  closers: (() => Promise<void>)[],
): Promise<Spending | null> {
  if (name === undefined && cheapName === undefined) return null;
  const spending = await openSpending(agent, { store: createSpendStore(database), timeZone, clock: systemClock, log });
  closers.push(() => spending.close());
  return spending;
}

/**
 * For commands that look at the audit beside the running program. Throws `not_found` where nothing has been kept, `misconfigured` where the
 * database has been lost.
 */
export async function openAuditReader(config: Config): Promise<AuditReader> {
  const database = await openToRead(config);
  const store = createAuditStore(database);
  return {
    latest: (limit, filter) => store.latest(limit, filter),
    operation: (id) => store.operation(id),
    housekeeping: (limit) => store.housekeeping(limit),
    erasedReads: (id) => store.erasedReads(id),
    erasedOperations: () => store.erasedOperations(),
    restores: () => createRestoreStore(database).list(),
    verify: async (head) =>
      verifyAudit(store, { key: await loadAuditKey(config.dataDir), ...(head === undefined ? {} : { head }) }),
    close: () => database.close(),
  };
}

async function openToRead({ dataDir, database: { url } }: Config): Promise<Database> {
  if (url !== undefined) return (await loadPostgres()).openPostgresToRead(url);
  const isMissing = await isAbsent(join(dataDir, DATABASE));
  if (isMissing && (await hasAuditKey(dataDir))) throw lostDatabase(DATABASE);
  if (isMissing) throw new EarshotError("not_found", `Nothing has been kept in ${resolve(dataDir)} yet.`);
  return openDurableDatabaseToRead(join(dataDir, DATABASE));
}

/** Throws `misconfigured` where nobody can say, because the folder cannot be read. */
async function isAbsent(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK);
    return false;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return true;
    const why = code === "ENOTDIR" ? "it is not a folder" : "check its permissions, and as whom Earshot runs";
    const problem = `The data folder ${resolve(path, "..")} cannot be read: ${why}. EARSHOT_DATA_DIR sets another one.`;
    throw new EarshotError("misconfigured", problem, { cause });
  }
}

/** Only where it is used: a start on files need not wait for it. */
function loadPostgres() {
  return import("../stores/postgres/open-postgres.ts");
}
