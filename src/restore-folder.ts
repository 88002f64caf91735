import { chmodSync, copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { lockFolder } from "./back-up-folder.ts";
import { DAY_MS, describeTime, listBackups, MAX_KEY_COPY_DAYS, requireApart } from "./backup-names.ts";
import { EarshotError } from "./domain/errors.ts";
import type { UserId } from "./domain/ids.ts";
import { chance, DATABASE, KEYS, mintId, RESTORING } from "./durable-parts.ts";
import { inspectCopies } from "./inspect-folder.ts";
import { withHistory } from "./memory/fact-history.ts";
import { openFactVault } from "./memory/fact-vault.ts";
import { openAudit } from "./policy/audit.ts";
import type { EventRow } from "./ports/audit-store.ts";
import type { Clock } from "./ports/clock.ts";
import type { FactStore } from "./ports/fact-store.ts";
import type { Log } from "./ports/log.ts";
import { isOlderDatabase, type RestoreSpan } from "./ports/restore-store.ts";
import { createAnswerStore } from "./stores/answer-store.ts";
import { createAuditStore } from "./stores/audit-store.ts";
import type { Database } from "./stores/database.ts";
import { createFactStore } from "./stores/fact-store.ts";
import { AUDIT_KEY, loadAuditKey } from "./stores/file/audit-key.ts";
import { openKeyStore } from "./stores/key-store.ts";
import { createOptOutStore } from "./stores/opt-out-store.ts";
import { createRestoreStore } from "./stores/restore-store.ts";
import { readKeyCopyTime } from "./stores/sqlite/copy-database.ts";
import {
  openDurableDatabase,
  openDurableDatabaseToInspect,
  openKeyDatabase,
  openKeyDatabaseToInspect,
} from "./stores/sqlite/open-sqlite.ts";
import { isEmptyFile, lockFile, makeFolder } from "./stores/sqlite/own-file.ts";

export interface RestoreRequest {
  readonly dataDir: string;
  /** Where backups of earshot.db are. */
  readonly folder: string;
  /** Where copies of keys.db are. */
  readonly keysFolder: string;
}

export interface RestoreReceipt extends RestoreSpan {
  /** Facts that can be read. */
  readonly facts: number;
  /** Facts that have no key: forgotten since the backup, or added after it. */
  readonly erased: number;
}

export interface RestoreDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Asked when nobody knows what was forgotten since this time. False stops it. */
  confirm(since: number): Promise<boolean>;
}

const ALL = Number.MAX_SAFE_INTEGER;
/** Events of the audit after which a fact is gone; without its id, all of the person's are. */
const ENDED = ["memory_forgotten", "memory_erased", "memory_admin_forgotten", "memory_mention_removed"];
const endedSchema = z.object({
  actor_id: z
    .string()
    .transform((id) => id as UserId)
    .optional(),
  fact_id: z.string().optional(),
});

interface Plan {
  readonly note: RestoreSpan;
  /** The backups that are put back; null for a file that survived. */
  readonly database: string | null;
  readonly keys: string | null;
}

/**
 * Puts back what is missing of a data folder. A file that is there stays: keys.db decides what was forgotten, or else earshot.db does. A file that cannot be
 * opened refuses the restore, because it may be the only one that knows. Throws `invalid` or `misconfigured`, and then nothing has changed.
 */
export async function restoreFolder(request: RestoreRequest, deps: RestoreDeps): Promise<RestoreReceipt> {
  const { dataDir } = request;
  requireApart([resolve(dataDir), request.folder, request.keysFolder]);
  const plan = await planRestore(request, deps);
  if (plan.note.replaced === "both" && !(await deps.confirm(plan.note.backup_at))) throw stopped();
  const staged = join(dataDir, RESTORING);
  const missing = [plan.database === null ? [] : DATABASE, plan.keys === null ? [] : KEYS].flat();
  // Files that are there are locked where they are opened.
  const locks = missing.map((name) => lockFile(join(dataDir, name), 0));
  try {
    rmSync(staged, { recursive: true, force: true });
    makeFolder(staged);
    if (plan.database) copyOwn(plan.database, staged, DATABASE);
    if (plan.database && !existsSync(join(dataDir, AUDIT_KEY))) copyOwn(plan.database, staged, AUDIT_KEY);
    if (plan.keys) copyOwn(plan.keys, staged, KEYS);
    const counted = await prepare(plan, { dataDir, staged }, deps);
    // The keys come last: a restore that is interrupted before that does not count them as a survivor.
    for (const name of [AUDIT_KEY, ...missing]) publish(name, { dataDir, staged });
    return { ...plan.note, ...counted };
  } finally {
    rmSync(staged, { recursive: true, force: true });
    for (const lock of locks) lock.close();
  }
}

async function planRestore(
  { dataDir, folder, keysFolder }: RestoreRequest,
  { clock, log }: Pick<RestoreDeps, "clock" | "log">,
): Promise<Plan> {
  const now = clock.now();
  if (existsSync(dataDir)) requireStopped(dataDir);
  const hasDatabase = await survives(join(dataDir, DATABASE), openDurableDatabaseToInspect);
  const hasKeys = await survives(join(dataDir, KEYS), openKeys);
  if (hasDatabase && hasKeys) {
    await inspectCopies({ folder: dataDir, keysFile: join(dataDir, KEYS) }, log);
    throw new EarshotError(
      "invalid",
      "Nothing is missing: earshot.db and keys.db are in the data folder and can be used.",
    );
  }
  const database = hasDatabase ? null : newest(folder, DATABASE, now);
  const keys = hasKeys ? null : newest(keysFolder, KEYS, now, readKeyCopyTime);
  if (keys && now - keys.time > MAX_KEY_COPY_DAYS * DAY_MS)
    throw new EarshotError(
      "invalid",
      `The newest keys.db in ${keysFolder} is from ${describeTime(keys.time)}. Copies older than ${MAX_KEY_COPY_DAYS} days are not restored: too much that was forgotten would come back.`,
    );
  const replaced = database && keys ? "both" : database ? "database" : "keys";
  // Of two times the earlier one: from then on something may be missing.
  const backup_at = Math.min(database?.time ?? now, keys?.time ?? now);
  const note = { restored_at: now, backup_at, replaced } as const;
  return { note, database: database?.path ?? null, keys: keys?.path ?? null };
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

/** `readTime`: of a copy that says itself when it was made. A folder can be renamed. */
function newest(folder: string, file: string, now: number, readTime?: (file: string) => number | null) {
  const [named] = listBackups(folder, file);
  if (!named) throw new EarshotError("invalid", `There is no backup of ${file} in ${folder}.`);
  const time = readTime ? readTime(join(named.path, file)) : named.time;
  if (time === null)
    throw new EarshotError(
      "invalid",
      `${join(named.path, file)} does not say when it was made: it is damaged, or not a copy by earshot backup. Remove it to use an older one.`,
    );
  const backup = { path: named.path, time };
  if (backup.time <= now) return backup;
  const problem = `The newest ${file} in ${folder} is from ${describeTime(backup.time)}, which is in the future.`;
  throw new EarshotError("invalid", `${problem} Check the clock of this machine, or remove that copy.`);
}

function copyOwn(from: string, to: string, name: string): void {
  copyFileSync(join(from, name), join(to, name));
  chmodSync(join(to, name), 0o600);
}

interface Folders {
  readonly dataDir: string;
  readonly staged: string;
}

/** Brings the files that are put back and those that are there to one state, and notes what happened. */
async function prepare({ note, database, keys: keyCopy }: Plan, { dataDir, staged }: Folders, deps: RestoreDeps) {
  const { clock, log, signal } = deps;
  const durable = await openDurableDatabase(join(database ? staged : dataDir, DATABASE));
  try {
    const keys = await openKeyStore(await openKeyDatabase(join(keyCopy ? staged : dataDir, KEYS)), mintId);
    try {
      const facts = createFactStore(durable);
      const stores = { facts, keys, optOuts: createOptOutStore(durable) };
      const store = createAuditStore(durable);
      const audit = await openAudit(store, {
        key: await loadAuditKey(existsSync(join(staged, AUDIT_KEY)) ? staged : dataDir),
        ...{ clock, log, mintId },
      });
      if (signal.aborted) throw stopped();
      const history = (await Promise.all(ENDED.map((name) => store.eventsNamed(name)))).flat();
      await endByAudit(facts, { history, now: note.restored_at });
      const before = await facts.count({ withSuperseded: true });
      const vault = await openFactVault({ ...stores, chance, clock, log, erasesLostFacts: true });
      const left = await facts.count({ withSuperseded: true });
      const counted = { facts: left, erased: before - left };
      if (isOlderDatabase(note)) await finishClaims(durable);
      // Facts may be newer than the clock says, if it was set back.
      const facts_until = Math.max(note.restored_at, vault.newestAt);
      await createRestoreStore(durable).add({ ...note, facts_until: isOlderDatabase(note) ? facts_until : 0 });
      const { restored_at: happened_at, ...detail } = { ...note, ...counted };
      const row = { operation_id: "", name: "restored", detail_json: JSON.stringify(detail), happened_at };
      audit.note({ kind: "event", row });
      await audit.settled();
      await audit.close();
      return counted;
    } finally {
      await keys.close();
    }
  } finally {
    await durable.close();
  }
}

/**
 * Ends facts that the audit says were forgotten: a repair of earshot.db may bring back rows that were deleted. With their mark, the vault deletes their keys
 * and then them.
 */
async function endByAudit(
  facts: FactStore,
  { history, now }: { readonly history: readonly EventRow[]; readonly now: number },
): Promise<void> {
  const ended = new Set<string>();
  for (const { detail_json, happened_at } of history) {
    const { fact_id: factId, actor_id: subjectId } = endedSchema.parse(JSON.parse(detail_json));
    if (factId !== undefined) ended.add(factId);
    else if (subjectId !== undefined)
      for (const { row } of await facts.find({ subjectId, withSuperseded: true }, { limit: ALL }))
        if (row.created_at <= happened_at) ended.add(row.id);
  }
  const ids = await withHistory([...ended], facts);
  if (ids.length > 0) await facts.change({ beginToEnd: { ids, at: now } });
}

/** Questions that were being answered then have been answered since, or nobody waits any more. */
async function finishClaims(durable: Database): Promise<void> {
  const store = createAnswerStore(durable);
  for (const { questionId } of await store.unfinished()) await store.finish(questionId);
}

function publish(name: string, { dataDir, staged }: Folders): void {
  if (!existsSync(join(staged, name))) return;
  // The log of the lost file would be taken for this one's.
  for (const end of ["-wal", "-shm"]) rmSync(join(dataDir, name + end), { force: true });
  renameSync(join(staged, name), join(dataDir, name));
}

function stopped(): EarshotError {
  return new EarshotError("cancelled", "Nothing was restored.");
}
