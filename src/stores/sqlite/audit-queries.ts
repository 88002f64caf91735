import { type CompiledQuery, type Kysely, type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import { AUDIT_KINDS } from "../../ports/audit-columns.ts";
import type { AuditKind, ChainChange, StoredRow } from "../../ports/audit-store.ts";
import { type AnyTables, type AuditTables, columnsOf, TABLES } from "./audit-tables.ts";
import { compileQuery, type DurableTransaction, type Slot } from "./durable-database.ts";
import type { DurableTables } from "./durable-tables.ts";
import { tellsErasedReads } from "./erased-reads.ts";
import { greatest } from "./sqlite-expressions.ts";

type EndsRow = Omit<AuditTables["audit_ends"], "seq">;

/** How many rows one INSERT writes; the largest that fits is taken. What most calls write takes one. */
const INSERT_SIZES = [64, 16, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1];

/** Null: whatever it is. */
interface LatestRequest {
  readonly limit: number;
  readonly actorId: string | null;
  readonly tool: string | null;
  readonly since: number | null;
  readonly isRefused: number | null;
}

/** What the store asks again and again, compiled once. */
export function compileAuditQueries(kysely: Kysely<DurableTables>) {
  const untyped = kysely as unknown as Kysely<AnyTables>;
  const tables = Object.values(TABLES);
  const everything = [...tables.map(({ name }) => name), "audit_chain", "audit_thinned"];
  return {
    ends: compileQuery(() => kysely.selectFrom("audit_ends").selectAll()),
    beginEnds: compileQuery((slot: Slot<EndsRow>) =>
      kysely.insertInto("audit_ends").values({ seq: 1, ...toEndsRow(slot) }),
    ),
    /** Changes one row, or none where the ends are not those under the seal `after`. */
    moveEnds: compileQuery((slot: Slot<EndsRow & { readonly after: string }>) =>
      kysely
        .updateTable("audit_ends")
        .set(toEndsRow(slot))
        .where("seq", "=", 1)
        .where("seal", "=", slot("after"))
        .where(({ selectFrom, fn }) => selectFrom("audit_ends").select(fn.countAll<number>().as("count")), "=", 1),
    ),
    insert: byKind((kind) => compileInsert(untyped, TABLES[kind].name, columnsOf(kind))),
    insertLinks: compileInsert(untyped, "audit_chain", ["seq", "kind", "hash"]),
    // A base is the place of a row that stands, so it lies within no interval.
    eraseUpTo: everything.map((name) =>
      compileQuery((slot: Slot<{ seq: number }>) => untyped.deleteFrom(name).where("seq", "<=", slot("seq"))),
    ),
    eraseBetween: everything.map((name) =>
      compileQuery((slot: Slot<{ from: number; to: number }>) =>
        untyped.deleteFrom(name).where("seq", ">=", slot("from")).where("seq", "<=", slot("to")),
      ),
    ),
    addInterval: compileQuery((slot: Slot<AuditTables["audit_thinned"]>) =>
      kysely
        .insertInto("audit_thinned")
        .values({ seq: slot("seq"), last_seq: slot("last_seq"), hash: slot("hash"), seal: slot("seal") }),
    ),
    anyRow: compileQuery(() => unionAll(everything.map((name) => untyped.selectFrom(name).select("seq"))).limit(1)),
    housekeeping: compileQuery((slot: Slot<{ limit: number }>) =>
      kysely
        .selectFrom("audit_events")
        .selectAll()
        .where("operation_id", "=", "")
        .orderBy("seq", "desc")
        .limit(slot("limit")),
    ),
    named: compileQuery((slot: Slot<{ name: string }>) =>
      kysely.selectFrom("audit_events").selectAll().where("name", "=", slot("name")),
    ),
    latest: compileQuery((slot: Slot<LatestRequest>) =>
      kysely
        .selectFrom("operations")
        .selectAll()
        .select(({ selectFrom }) => [
          selectFrom("agent_context_sources")
            .whereRef("operation_id", "=", "operations.id")
            .select(({ fn }) => fn.countAll<number>().as("count"))
            .as("sources"),
          selectFrom("policy_decisions")
            .whereRef("operation_id", "=", "operations.id")
            .where("allowed", "=", 0)
            .select(({ fn }) => fn.countAll<number>().as("count"))
            .as("refusals"),
          selectFrom("audit_events")
            .where(tellsErasedReads)
            .select(({ fn }) => fn.countAll<number>().as("count"))
            .as("thinnings"),
        ])
        // A filter that is null wants everything.
        .where(({ or, eb }) => or([eb(slot("actorId"), "is", null), eb("actor_id", "=", slot("actorId"))]))
        .where(({ or, eb }) => or([eb(slot("since"), "is", null), eb("opened_at", ">=", slot("since"))]))
        .where(({ or, eb, exists, selectFrom }) =>
          or([
            eb(slot("tool"), "is", null),
            exists(
              selectFrom("policy_decisions")
                .whereRef("operation_id", "=", "operations.id")
                .where("tool", "=", slot("tool"))
                .select("seq"),
            ),
          ]),
        )
        .where(({ or, eb, exists, selectFrom }) =>
          or([
            eb(slot("isRefused"), "is", null),
            exists(
              selectFrom("policy_decisions")
                .whereRef("operation_id", "=", "operations.id")
                .where("allowed", "=", 0)
                .select("seq"),
            ),
          ]),
        )
        .orderBy("seq", "desc")
        .limit(slot("limit")),
    ),
    ofOperation: byKind((kind) =>
      compileQuery((slot: Slot<{ id: string }>) =>
        untyped
          .selectFrom(TABLES[kind].name)
          .select([...columnsOf(kind)])
          .where(TABLES[kind].operation, "=", slot("id"))
          .orderBy("seq"),
      ),
    ),
    // The bounds stand in each part: only then does SQLite merge them as they are, instead of sorting them all.
    inOrder: compileQuery((slot: Slot<{ after: number; last: number; limit: number }>) =>
      unionAll(
        tables.map(({ name, operation, times }) =>
          untyped
            .selectFrom(name)
            .select(["seq", sql.ref<string>(operation).as("operation"), greatest(times).as("time")])
            .where("seq", ">", slot("after"))
            .where("seq", "<=", slot("last")),
        ),
      )
        .orderBy("seq")
        .limit(slot("limit"))
        .$castTo<{ seq: number; operation: string; time: number }>(),
    ),
    lastOf: compileQuery((slot: Slot<{ operation: string }>) =>
      untyped
        .selectFrom(
          unionAll(
            tables.map(({ name, operation }) =>
              untyped
                .selectFrom(name)
                .select(({ fn }) => fn.max<number>("seq").as("last"))
                .where(operation, "=", slot("operation")),
            ),
          ).as("lasts"),
        )
        .select(({ fn }) => fn.max<number>("last").as("last")),
    ),
    sent: compileQuery((slot: Slot<{ messageId: string }>) =>
      kysely
        .selectFrom("audit_events")
        .innerJoin("operations", "operations.id", "audit_events.operation_id")
        // Written as in the index: only then does SQLite use it.
        .where(sql<string | null>`detail_json ->> '$.message_id'`, "=", slot("messageId"))
        .where(sql<SqlBool>`name in ('send_done', 'send_found')`)
        .select(["operations.client", "operations.actor_id", "audit_events.detail_json"])
        .orderBy("audit_events.seq"),
    ),
    hashAt: compileQuery((slot: Slot<{ seq: number }>) =>
      kysely.selectFrom("audit_chain").select("hash").where("seq", "=", slot("seq")),
    ),
  };
}

export type AuditQueries = ReturnType<typeof compileAuditQueries>;

/** Writes rows, whose values come in the order of the columns, with the fewest statements. */
type InsertRows = (rows: readonly (readonly unknown[])[], transaction: DurableTransaction) => void;

function compileInsert(kysely: Kysely<AnyTables>, table: string, columns: readonly string[]): InsertRows {
  const anyRow = Object.fromEntries(columns.map((column) => [column, 0]));
  const compile = (size: number) => kysely.insertInto(table).values(Array(size).fill(anyRow)).compile();
  const compiled = new Map<number, CompiledQuery>();
  return (rows, transaction) => {
    let done = 0;
    for (const size of INSERT_SIZES)
      for (; rows.length - done >= size; done += size) {
        const query = compiled.get(size) ?? compile(size);
        compiled.set(size, query);
        transaction.execute({ ...query, parameters: toParameters(rows, done, done + size) });
      }
  };
}

/** A loop: `flat` takes about as long as SQLite does to insert them. */
function toParameters(rows: readonly (readonly unknown[])[], from: number, to: number): unknown[] {
  const parameters: unknown[] = [];
  for (let index = from; index < to; index += 1) for (const value of rows[index] ?? []) parameters.push(value);
  return parameters;
}

/** Everything of a change but the ends: rows go into their tables, links into theirs, and what was thinned or pruned goes. */
export function writeRows(queries: AuditQueries, change: ChainChange, transaction: DurableTransaction): void {
  const { rows, thinned = [], ends } = change;
  const byTable: Partial<Record<AuditKind, StoredRow[]>> = {};
  for (const { kind, row } of rows) {
    byTable[kind] ??= [];
    byTable[kind].push(row);
  }
  for (const kind of AUDIT_KINDS) queries.insert[kind](byTable[kind] ?? [], transaction);
  queries.insertLinks(
    rows.map(({ row, kind, hash }) => [row[0], kind, hash]),
    transaction,
  );
  for (const { from, to, hash, seal } of thinned) {
    for (const erase of queries.eraseBetween) transaction.execute(erase({ from, to }));
    transaction.execute(queries.addInterval({ seq: from, last_seq: to, hash, seal }));
  }
  if (hasMoved(change)) for (const erase of queries.eraseUpTo) transaction.execute(erase(ends.base));
}

/** Whether the base is another than before: then everything up to it is erased. */
export function hasMoved({ after, ends }: ChainChange): boolean {
  return after !== null && ends.base.seq > after.base.seq;
}

function toEndsRow(slot: Slot<EndsRow>) {
  return {
    base_seq: slot("base_seq"),
    base_hash: slot("base_hash"),
    head_seq: slot("head_seq"),
    head_hash: slot("head_hash"),
    seal: slot("seal"),
  };
}

type Select<Row> = SelectQueryBuilder<AnyTables, string, Row>;

function unionAll<Row>(queries: readonly Select<Row>[]): Select<Row> {
  return queries.reduce((all, query) => all.unionAll(query));
}

function byKind<Value>(make: (kind: AuditKind) => Value): Readonly<Record<AuditKind, Value>> {
  return Object.fromEntries(AUDIT_KINDS.map((kind) => [kind, make(kind)])) as Record<AuditKind, Value>;
}
