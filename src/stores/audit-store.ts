import { EarshotError } from "../domain/errors.ts";
import { AUDIT_COLUMNS, AUDIT_KINDS, toEntry } from "../ports/audit-columns.ts";
import {
  type AuditKind,
  type AuditSnapshot,
  type AuditStore,
  CHAIN_PLACES,
  type ChainChange,
  type ChainEnds,
  chainOf,
  type EventRow,
  type OperationRow,
  type ThinnedInterval,
} from "../ports/audit-store.ts";
import { toShown } from "../ports/packed-reads.ts";
import { createAuditThinning, HASH_AT, TELLS_ERASED_READS } from "./audit-thinning.ts";
import type { Database, DatabaseSnapshot, Statements, Transaction, Values } from "./database.ts";

/** Table of each kind of row, its column for the operation, and the time until which a row matters. */
export const TABLES = {
  operation: { name: "operations", operation: "id", time: later("opened_at", "expires_at") },
  decision: { name: "policy_decisions", operation: "operation_id", time: "decided_at" },
  reads: { name: "context_reads", operation: "operation_id", time: "read_at" },
  confirmation: { name: "confirmations", operation: "operation_id", time: later("created_at", "expires_at") },
  event: { name: "audit_events", operation: "operation_id", time: "happened_at" },
} as const satisfies Record<AuditKind, { name: string; operation: string; time: string }>;

const ALL = Object.values(TABLES);
/** All tables with a position in the chain. */
const PLACED = [...ALL.map(({ name }) => name), "audit_thinned"];
/** Rows per read when searching for a cut. */
const CUT_PAGE_ROWS = 1_000;

function later(one: string, other: string): string {
  return `CASE WHEN ${one} > ${other} THEN ${one} ELSE ${other} END`;
}

interface EndsRow {
  readonly seq: number;
  readonly base_seq: number;
  readonly base_hash: string;
  readonly head_seq: number;
  readonly head_hash: string;
  readonly seal: string;
}

type Counts = { readonly sources: number; readonly refusals: number; readonly thinnings: number };

/** @see AuditStore */
export function createAuditStore(database: Database): AuditStore {
  const thinning = createAuditThinning(database, (chain) => readEnds(database, chain));

  async function events(which: string, values: Values): Promise<readonly EventRow[]> {
    const rows = await database.query<Record<string, unknown>>(`SELECT * FROM audit_events WHERE ${which}`, values);
    return rows.map((row) => toEntry("event", row).row as EventRow);
  }

  return {
    ...thinning,
    ends: (chain) => readEnds(database, chain),
    allEnds: () => readAllEnds(database),
    async write(change) {
      const { after } = change;
      if (after) await database.send((all) => Promise.all([moveEnds(all, after, change), ...writeRows(all, change)]));
      else await database.transaction((transaction) => begin(transaction, change));
      // The rows are already deleted, as the chain says; if the scrub fails, the next one overwrites their bytes.
      if (hasMoved(change) || change.thinned?.length) await database.scrub().catch(() => {});
    },
    size: () => database.usedBytes(),
    housekeeping: (limit) => events("operation_id = '' ORDER BY seq DESC LIMIT :limit", { limit }),
    eventsNamed: (name) => events("name = :name", { name }),
    async findCut({ before, last, most }) {
      const base = (await readEnds(database, chainOf(last)))?.base.seq ?? 0;
      const lasts = new Map<string, number>();
      let reach = 0;
      let cut = 0;
      for await (const { seq, operation, time } of rowsUpTo(database, last, base)) {
        if (time >= before || (cut > 0 && seq - base > most)) break;
        if (operation !== "" && !lasts.has(operation)) lasts.set(operation, await findLast(database, operation));
        reach = Math.max(reach, seq, lasts.get(operation) ?? 0);
        if (reach === seq) cut = seq;
      }
      if (cut === 0) return null;
      const [row] = await database.query<{ hash: string }>(HASH_AT, { seq: cut });
      return { seq: cut, hash: String(row?.hash) };
    },
    async operation(id) {
      const found = await Promise.all(
        AUDIT_KINDS.map(async (kind) => {
          const sql = `SELECT * FROM ${TABLES[kind].name} WHERE ${TABLES[kind].operation} = :id`;
          const rows = await database.query<Record<string, unknown>>(sql, { id });
          return rows.map((row) => ({ seq: Number(row["seq"]), entry: toEntry(kind, row) }));
        }),
      );
      const inOrder = found.flat().sort((a, b) => a.seq - b.seq);
      return inOrder.flatMap(({ entry }) => toShown(entry));
    },
    async latest(limit, { actorId, tool, since, isRefused = false } = {}) {
      const has = (table: string) => `EXISTS (SELECT 1 FROM ${table} WHERE operation_id = operations.id AND`;
      const which = [
        ...(actorId === undefined ? [] : ["actor_id = :actorId"]),
        ...(since === undefined ? [] : ["opened_at >= :since"]),
        ...(tool === undefined
          ? []
          : [`(${has("policy_decisions")} tool = :tool) OR ${has("context_reads")} tool = :tool))`]),
        ...(isRefused ? [`${has("policy_decisions")} allowed = 0)`] : []),
      ];
      const rows = await database.query<Record<string, unknown> & Counts>(
        `SELECT *, (SELECT count(*) FROM agent_context_sources WHERE operation_id = operations.id) AS sources,
            (SELECT count(*) FROM policy_decisions WHERE operation_id = operations.id AND allowed = 0) AS refusals,
            (SELECT count(*) FROM audit_events WHERE ${TELLS_ERASED_READS}) AS thinnings
          FROM operations ${which.length > 0 ? `WHERE ${which.join(" AND ")}` : ""} ORDER BY seq DESC LIMIT :limit`,
        { limit, actorId, tool, since },
      );
      return rows.map(({ sources, refusals, thinnings, ...row }) => {
        return { operation: toOperation(row), sources, refusals, isThinned: thinnings > 0 };
      });
    },
    async operationsSince({ since, clients }) {
      const rows = await database.query<Record<string, unknown>>(
        "SELECT * FROM operations WHERE client = ANY(:clients) AND expires_at > :since ORDER BY seq",
        { clients, since },
      );
      return rows.map(toOperation);
    },
    async sent(messageId) {
      const rows = await database.query<{ client: string; actor_id: string; detail_json: string }>(
        // Spelled exactly as in the index, which is used only then.
        `SELECT client, actor_id, detail_json FROM audit_events JOIN operations ON operations.id = operation_id
          WHERE detail_json ->> 'message_id' = :messageId AND name in ('send_done', 'send_found')
          ORDER BY audit_events.seq`,
        { messageId },
      );
      return rows.map(({ client, actor_id: actorId, detail_json }) => {
        const { channel_id, answer } = JSON.parse(detail_json) as Readonly<Record<string, unknown>>;
        return { client, actorId, channelId: String(channel_id), isAnswer: answer === true };
      });
    },
    async openSnapshot() {
      return openAuditSnapshot(await database.openSnapshot(), (columns) => database.jsonRow(columns));
    },
  };
}

function toOperation(row: Readonly<Record<string, unknown>>): OperationRow {
  return toEntry("operation", row).row as OperationRow;
}

async function readEnds(statements: Statements, chain: number): Promise<ChainEnds | null> {
  const all = await readAllEnds(statements);
  return all.find(({ base }) => chainOf(base.seq) === chain) ?? null;
}

async function readAllEnds(statements: Statements): Promise<readonly ChainEnds[]> {
  const rows = await statements.query<EndsRow>("SELECT * FROM audit_ends ORDER BY seq");
  const isInPlace = ({ seq, base_seq, head_seq }: EndsRow) =>
    [base_seq, head_seq].every((each) => chainOf(each) === seq - 1);
  if (!rows.every(isInPlace)) return [];
  return rows.map(({ base_seq, base_hash, head_seq, head_hash, seal }) => {
    return { base: { seq: base_seq, hash: base_hash }, head: { seq: head_seq, hash: head_hash }, seal };
  });
}

/** Throws `misconfigured` unless the stored ends are the expected ones. */
function moveEnds(transaction: Transaction, after: ChainEnds, { ends }: ChainChange): Promise<void> {
  return transaction.runOne(
    `UPDATE audit_ends SET base_seq = :base_seq, base_hash = :base_hash, head_seq = :head_seq, head_hash = :head_hash,
        seal = :seal WHERE seq = :seq AND seal = :after`,
    { ...toEndsRow(ends), after: after.seal },
    writtenByAnother,
  );
}

async function begin(transaction: Transaction, change: ChainChange): Promise<void> {
  const from = change.ends.base.seq;
  if (await readEnds(transaction, chainOf(from))) throw writtenByAnother();
  const which = "WHERE seq >= :from AND seq < :until";
  const anyRow = PLACED.map((name) => `SELECT seq FROM ${name} ${which}`).join(" UNION ALL ");
  if ((await transaction.query(`${anyRow} LIMIT 1`, { from, until: from + CHAIN_PLACES })).length > 0)
    throw new EarshotError(
      "misconfigured",
      "The audit has rows, but the ends of its chain are missing; restore its database from a backup.",
    );
  await transaction.insert("audit_ends", [toEndsRow(change.ends)]);
  await Promise.all(writeRows(transaction, change));
}

function toEndsRow({ base, head, seal }: ChainEnds) {
  const seq = chainOf(base.seq) + 1;
  return { seq, base_seq: base.seq, base_hash: base.hash, head_seq: head.seq, head_hash: head.hash, seal };
}

function writtenByAnother(): EarshotError {
  const hint = "Is another Earshot running on the same data folder? Stop one of them and restart the other.";
  return new EarshotError("misconfigured", `Another program has written to the audit. ${hint}`);
}

/** Everything of a change except the ends: inserts rows, and deletes thinned or pruned ones. The statements are pipelined. */
function writeRows(transaction: Transaction, change: ChainChange): Promise<void>[] {
  const { rows, thinned = [], ends } = change;
  const erase = (which: string, values: Values) =>
    PLACED.map((name) => transaction.run(`DELETE FROM ${name} WHERE ${which}`, values));
  return [
    ...[...Map.groupBy(rows, (each) => each.kind)].map(([kind, some]) =>
      transaction.insertRows(
        TABLES[kind].name,
        [...columnsOf(kind), "hash"],
        some.map(({ row, hash }) => [...row, hash]),
      ),
    ),
    ...countUses(transaction, rows),
    // A base is the position of an existing row, so it lies within no interval.
    ...thinned.flatMap(({ from, to, hash, seal }) => [
      ...erase("seq >= :from AND seq <= :to", { from, to }),
      transaction.insert("audit_thinned", [{ seq: from, last_seq: to, hash, seal }]),
    ]),
    ...(hasMoved(change) ? erase("seq >= :from AND seq <= :to", { from: firstOf(ends), to: ends.base.seq }) : []),
  ];
}

/** Counts one use for each fact about a person that an operation received, by month and channel of the answer. */
function countUses(transaction: Transaction, rows: ChainChange["rows"]): Promise<void>[] {
  const counted = `WITH fact AS (SELECT id, version, subject_id FROM memory_facts WHERE id = ANY(:ids) FOR KEY SHARE)
    INSERT INTO memory_fact_uses AS used (fact_id, version, month, place, times)
    SELECT fact.id, fact.version, :month, CASE
        WHEN operation.destination = 'actor' OR operation.guild_id IS NULL THEN ''
        WHEN EXISTS (SELECT 1 FROM audit_events WHERE operation_id = operation.id AND name = 'narrowed') THEN ''
        ELSE operation.destination END AS place, 1
      FROM fact, operations AS operation
      WHERE operation.id = :operation AND fact.id || '@' || fact.version = ANY(:refs) AND fact.subject_id IS NOT NULL
    ON CONFLICT (fact_id, version, month, place) DO UPDATE SET times = used.times + excluded.times`;
  return rows.flatMap(({ kind, row }) => {
    // Most rows are without facts.
    if (kind !== "reads" || !String(row.at(-1)).includes("memory_fact")) return [];
    const entry = toEntry(kind, Object.fromEntries(columnsOf(kind).map((name, index) => [name, row[index]])));
    const facts = toShown(entry).flatMap(({ row }) =>
      "source_ref" in row && row.source_type === "memory_fact" ? [row] : [],
    );
    const refs = facts.map(({ source_ref }) => source_ref);
    const month = new Date(facts[0]?.loaded_at ?? 0).toISOString().slice(0, 7);
    const ids = refs.map((ref) => ref.replace(/@.*/, ""));
    return [transaction.run(counted, { operation: facts[0]?.operation_id ?? "", ids, refs, month })];
  });
}

/** The first position of the chain, which never has a row. */
function firstOf({ base }: ChainEnds): number {
  return chainOf(base.seq) * CHAIN_PLACES;
}

/** Whether the base moved: then everything up to it is erased. */
function hasMoved({ after, ends }: ChainChange): boolean {
  return after !== null && ends.base.seq > after.base.seq;
}

/** In the order of a stored row. */
function columnsOf(kind: AuditKind): readonly string[] {
  return ["seq", ...Object.keys(AUDIT_COLUMNS[kind])];
}

/** In order, page by page. The bounds are repeated in each part: only then does SQLite merge the parts without sorting them. */
async function* rowsUpTo(database: Statements, last: number, base: number) {
  const parts = ALL.map(
    ({ name, operation, time }) =>
      `SELECT seq, ${operation} AS operation, ${time} AS time FROM ${name} WHERE seq > :after AND seq <= :last`,
  );
  const sql = `${parts.join(" UNION ALL ")} ORDER BY seq LIMIT ${CUT_PAGE_ROWS}`;
  for (let after = base; ; ) {
    const page = await database.query<{ seq: number; operation: string; time: number }>(sql, { after, last });
    yield* page;
    const end = page.at(-1);
    if (!end || page.length < CUT_PAGE_ROWS) return;
    after = end.seq;
  }
}

/** The last position of any row of an operation. */
async function findLast(database: Statements, operation: string): Promise<number> {
  const parts = ALL.map((table) => `SELECT max(seq) AS last FROM ${table.name} WHERE ${table.operation} = :operation`);
  const sql = `SELECT max(last) AS last FROM (${parts.join(" UNION ALL ")}) AS lasts`;
  return Number((await database.query<{ last: number | null }>(sql, { operation }))[0]?.last);
}

/** Takes ownership of the snapshot, and closes it. */
async function openAuditSnapshot(snapshot: DatabaseSnapshot, jsonRow: Database["jsonRow"]): Promise<AuditSnapshot> {
  const between = "WHERE seq >= :from AND seq <= :to ORDER BY seq";
  return {
    allEnds: await readAllEnds(snapshot),
    thinned: () =>
      snapshot.query<ThinnedInterval>(
        'SELECT seq AS "from", last_seq AS "to", hash, seal FROM audit_thinned ORDER BY seq',
      ),
    async rows(kind, from, to) {
      // The database writes the same JSON as JavaScript, in less than half the time of reading single columns.
      const sql = `SELECT seq, ${jsonRow(columnsOf(kind))} AS text, hash FROM ${TABLES[kind].name} ${between}`;
      return snapshot.queryArrays(sql, { from, to });
    },
    close: () => snapshot.close(),
  };
}
