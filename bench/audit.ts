import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Audit, openAudit } from "../src/policy/audit.ts";
import { toValues } from "../src/policy/audit-chain.ts";
import { verifyAudit } from "../src/policy/verify-audit.ts";
import { AUDIT_COLUMNS, AUDIT_KINDS } from "../src/ports/audit-columns.ts";
import type { AuditEntry } from "../src/ports/audit-store.ts";
import { packReads } from "../src/ports/packed-reads.ts";
import { createAuditStore, TABLES } from "../src/stores/audit-store.ts";
import type { Database } from "../src/stores/database.ts";
import { openDurableDatabase } from "../src/stores/sqlite/open-sqlite.ts";
import { perSecond, printTable, type Row } from "../test/support/table.ts";

const ROWS = 200_000;
const CHANNEL = "912345678901234567";
const KEY = Buffer.alloc(32, 7);
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const folder = mkdtempSync(join(tmpdir(), "earshot-bench-"));

/** As in life: an operation, a few calls that read, a search and a send. */
function entryAt(index: number): AuditEntry {
  const operation_id = `opLk3vQx9ZbT5mRw2yHc${Math.floor(index / 10)}`;
  const time = 1_760_000_000_000 + index;
  if (index % 10 === 0)
    return {
      kind: "operation",
      row: {
        ...{ id: operation_id, client: "brain", actor_id: "812345678901234567", guild_id: "712345678901234567" },
        ...{ channel_id: CHANNEL, thread_id: null, message_id: "1012345678901234567" },
        ...{ parent_message_id: null, purpose: "answer", destination: CHANNEL },
        ...{ opened_at: time, expires_at: time + 900_000 },
      },
    };
  if (index % 10 > 6)
    return { kind: "event", row: { operation_id, name: "send_done", detail_json: "{}", happened_at: time } };
  const source = {
    type: "discord_message",
    tokens: 23,
    scope: { type: "channel" as const, id: CHANNEL },
    decisionId: "d1",
  };
  const sources = Array.from({ length: 15 }, (_, each) => {
    return { ...source, ref: `${CHANNEL}/${10n ** 18n + BigInt(index * 15 + each)}` };
  });
  const reads_json = packReads([{ id: "d1", target: `channel:${CHANNEL}`, inputs: { roles: [CHANNEL] } }], sources);
  const texts_hash = "9f86d081884c7d659a2feaa0c55ad015";
  return { kind: "reads", row: { operation_id, tool: "search_messages", read_at: time, texts_hash, reads_json } };
}

async function open(name: string): Promise<{ database: Database; audit: Audit }> {
  const database = await openDurableDatabase(join(folder, name));
  const deps = { key: KEY, clock: { now: () => Date.now() }, log: quiet, mintId: () => "origin" };
  return { database, audit: await openAudit(createAuditStore(database), deps) };
}

async function append(audit: Audit, count: number, batch: number): Promise<number> {
  const start = performance.now();
  for (let index = 0; index < count; index += batch) {
    for (let each = 0; each < batch; each += 1) audit.note(entryAt(index + each));
    await audit.settled();
  }
  return performance.now() - start;
}

/** The same rows into the same tables and indexes, without a chain, by SQLite alone. */
function insert(file: string, count: number, batch: number): number {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON");
  const inserts = Object.fromEntries(
    AUDIT_KINDS.map((kind) => {
      const marks = ["?", ...Object.keys(AUDIT_COLUMNS[kind]).map(() => "?"), "?"];
      const names = ["seq", ...Object.keys(AUDIT_COLUMNS[kind]), "hash"];
      return [kind, database.prepare(`INSERT INTO ${TABLES[kind].name} (${names}) VALUES (${marks})`)];
    }),
  );
  const start = performance.now();
  for (let index = 0; index < count; index += batch) {
    database.exec("BEGIN IMMEDIATE");
    for (let each = index; each < index + batch; each += 1) {
      const entry = entryAt(each);
      inserts[entry.kind]?.run(each + 1, ...toValues(entry), "");
    }
    database.exec("COMMIT");
  }
  const taken = performance.now() - start;
  database.close();
  return taken;
}

async function measureAppend(batch: number): Promise<Row> {
  const count = batch * Math.min(2_000, 100_000 / batch);
  const chained = await open(`chained-${batch}.db`);
  const plain = await open(`plain-${batch}.db`);
  await append(chained.audit, batch * 20, batch);
  const ours = await append(chained.audit, count, batch);
  plain.database.close();
  const limit = insert(join(folder, `plain-${batch}.db`), count, batch);
  chained.database.close();
  return {
    what: `kept, ${batch} rows at a time`,
    figure: perSecond(count, ours),
    note: `${((ours * 1000) / (count / batch)).toFixed(0)} µs until settled; plain INSERTs ${perSecond(count, limit)}`,
  };
}

async function measureVerify(): Promise<Row[]> {
  const { database, audit } = await open("large.db");
  for (let index = 0; index < ROWS; index += 1_000) {
    for (let each = index; each < index + 1_000; each += 1) audit.note(entryAt(each));
    await audit.settled();
  }
  const store = createAuditStore(database);
  await verifyAudit(store, { key: KEY });
  const start = performance.now();
  const result = await verifyAudit(store, { key: KEY });
  const verified = performance.now() - start;
  if (!result.ok || result.rows !== ROWS) throw new Error("the chain should be whole");
  const snapshot = await store.openSnapshot();
  const walkStart = performance.now();
  for (let from = 1; from <= ROWS; from += 2_000) {
    for (const kind of AUDIT_KINDS) await snapshot.rows(kind, from, from + 1_999);
  }
  const walked = performance.now() - walkStart;
  await snapshot.close();
  const pruneStart = performance.now();
  const erased = await audit.prune(1_760_000_900_000 + ROWS / 2);
  const pruned = performance.now() - pruneStart;
  database.close();
  const { size } = statSync(join(folder, "large.db"));
  return [
    { what: "verified", figure: perSecond(ROWS, verified), note: "15 messages per read" },
    { what: "the same rows, only read", figure: perSecond(ROWS, walked), note: "the limit of SQLite here" },
    { what: "pruned", figure: perSecond(erased, pruned), note: `of ${Math.round(size / 1024)} KiB` },
  ];
}

try {
  const appended: Row[] = [];
  for (const batch of [1, 10, 50, 500]) appended.push(await measureAppend(batch));
  printTable("The audit", [...appended, ...(await measureVerify())]);
} finally {
  rmSync(folder, { recursive: true });
}
