import { join, resolve } from "node:path";
import { z } from "zod";
import type { PostgresAddress } from "../config/database-settings.ts";
import { EarshotError } from "../domain/errors.ts";
import type { UserId } from "../domain/ids.ts";
import { toFactId } from "../domain/memory/fact.ts";
import { withReplaced } from "../memory/fact-history.ts";
import { openFactVault } from "../memory/fact-vault.ts";
import { openAudit } from "../policy/audit.ts";
import { isClientQuestion } from "../ports/answer-store.ts";
import type { EventRow } from "../ports/audit-store.ts";
import type { Clock } from "../ports/clock.ts";
import type { FactStore } from "../ports/fact-store.ts";
import type { Log } from "../ports/log.ts";
import { isOlderDatabase, type RestoreSpan } from "../ports/restore-store.ts";
import { createAnswerStore } from "../stores/answer-store.ts";
import { createAuditStore } from "../stores/audit-store.ts";
import type { Database } from "../stores/database.ts";
import { createFactStore } from "../stores/fact-store.ts";
import { requireNotMoved } from "../stores/file/moved-mark.ts";
import { createOptOutStore } from "../stores/opt-out-store.ts";
import { createRestoreStore } from "../stores/restore-store.ts";
import { createSignInStore } from "../stores/sign-in-store.ts";
import { readKeyCopyTime } from "../stores/sqlite/copy-database.ts";
import { DAY_MS, describeTime, listBackups, MAX_KEY_COPY_DAYS, requireApart } from "./backup-names.ts";
import { chance, DATABASE, KEYS, mintId } from "./durable-parts.ts";
import { filesTarget, type Missing, type OpenedTarget, type RestoreTarget } from "./restore-target.ts";

export interface RestoreRequest {
  readonly dataDir: string;
  /** The databases to restore into; null for the files of the data folder. */
  readonly postgres: PostgresAddress | null;
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
  fact_ref: z.string().optional(),
});

interface Plan extends Missing {
  readonly note: RestoreSpan;
}

/**
 * Puts back what is missing of a data folder, or of the databases in PostgreSQL. A part that is there stays: the keys decide what was forgotten, or else the database
 * does. A part that cannot be opened refuses the restore, because it may be the only one that knows. Throws `invalid` or `misconfigured`, and then nothing has changed.
 */
export async function restoreFolder(request: RestoreRequest, deps: RestoreDeps): Promise<RestoreReceipt> {
  const { dataDir, postgres } = request;
  if (!postgres) requireNotMoved(dataDir);
  requireApart([resolve(dataDir), request.folder, request.keysFolder]);
  const target = postgres
    ? (await import("./restore-postgres.ts")).postgresTarget({ ...postgres, dataDir })
    : filesTarget(dataDir);
  const plan = await planRestore(request, target, deps);
  if (plan.note.replaced === "both" && !(await deps.confirm(plan.note.backup_at))) throw stopped();
  const opened = await target.open(plan);
  try {
    const counted = await prepare(plan.note, opened, deps);
    await opened.publish();
    return { ...plan.note, ...counted };
  } finally {
    await opened.close();
  }
}

async function planRestore(
  { folder, keysFolder }: RestoreRequest,
  target: RestoreTarget,
  { clock, log }: Pick<RestoreDeps, "clock" | "log">,
): Promise<Plan> {
  const now = clock.now();
  const there = await target.survivors(log);
  if (there.database && there.keys)
    throw new EarshotError("invalid", "Nothing is missing: the database and its keys are there and can be used.");
  const database = there.database ? null : newest(folder, DATABASE, now);
  const keys = there.keys ? null : newest(keysFolder, KEYS, now, readKeyCopyTime);
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

/** Brings the parts that are put back and those that are there to one state, and notes what happened. */
async function prepare(note: RestoreSpan, { durable, keys, auditKey }: OpenedTarget, deps: RestoreDeps) {
  const { clock, log, signal } = deps;
  const facts = createFactStore(durable);
  const store = createAuditStore(durable);
  const audit = await openAudit(store, { key: auditKey, clock, log, mintId });
  if (signal.aborted) throw stopped();
  const history = (await Promise.all(ENDED.map((name) => store.eventsNamed(name)))).flat();
  await endByAudit(facts, { history, now: note.restored_at });
  const before = await facts.count({});
  const stores = { facts, keys, optOuts: createOptOutStore(durable) };
  const vault = await openFactVault({ ...stores, chance, clock, log, erasesLostFacts: true });
  const left = await facts.count({});
  const counted = { facts: left, erased: before - left };
  if (isOlderDatabase(note)) await finishClaims(durable);
  // A backup would bring back what has been revoked since.
  await createSignInStore(durable).endAll();
  // Facts may be newer than the clock says, if it was set back.
  const facts_until = Math.max(note.restored_at, vault.newestAt);
  await createRestoreStore(durable).add({ ...note, facts_until: isOlderDatabase(note) ? facts_until : 0 });
  const { restored_at: happened_at, ...detail } = { ...note, ...counted };
  const row = { operation_id: "", name: "restored", detail_json: JSON.stringify(detail), happened_at };
  audit.note({ kind: "event", row });
  await audit.settled();
  await audit.close();
  return counted;
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
    const { fact_ref: factRef, actor_id: subjectId } = endedSchema.parse(JSON.parse(detail_json));
    if (factRef !== undefined) ended.add(toFactId(factRef));
    else if (subjectId !== undefined)
      for (const { row } of await facts.find({ subjectId }, { limit: ALL }))
        if (row.created_at <= happened_at) ended.add(row.id);
  }
  const ids = [...withReplaced([...ended], await facts.recordsOf([...ended]))];
  if (ids.length > 0) await facts.change({ beginToEnd: { ids, at: now } });
}

/** Questions that were being answered then have been answered since, or nobody waits any more. What a client said then may still stand. */
async function finishClaims(durable: Database): Promise<void> {
  const store = createAnswerStore(durable);
  for (const { questionId } of await store.unfinished())
    if (!isClientQuestion(questionId)) await store.finish(questionId);
}

function stopped(): EarshotError {
  return new EarshotError("cancelled", "Nothing was restored.");
}
