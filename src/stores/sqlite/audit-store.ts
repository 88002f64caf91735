import type { StatementSync } from "node:sqlite";
import { sql } from "kysely";
import { EarshotError } from "../../domain/errors.ts";
import { AUDIT_COLUMNS, AUDIT_KINDS, toEntry } from "../../ports/audit-columns.ts";
import type {
  AuditEntry,
  AuditKind,
  AuditStore,
  ChainChange,
  ChainEnds,
  ChainPoint,
  CutRequest,
  ErasedOperations,
  ErasedReads,
  EventRow,
  OperationRow,
  OperationSummary,
  ReadUsage,
  StoredRow,
  ThinBatch,
  ThinRequest,
} from "../../ports/audit-store.ts";
import { openAuditSnapshot, readEnds } from "./audit-snapshot.ts";
import { columnsOf, TABLES } from "./audit-tables.ts";
import { AuditThinning, ERASED_READS } from "./audit-thinning.ts";
import type { DurableDatabase } from "./durable-database.ts";

/** @see AuditStore */
export function createAuditStore(database: DurableDatabase): AuditStore {
  return new SqliteAuditStore(database);
}

class SqliteAuditStore implements AuditStore {
  readonly #database: DurableDatabase;
  readonly #statements: ReturnType<typeof prepareAll>;
  readonly #thinning: AuditThinning;

  constructor(database: DurableDatabase) {
    this.#database = database;
    this.#thinning = new AuditThinning(database);
    this.#statements = prepareAll(database);
  }

  async ends(): Promise<ChainEnds | null> {
    return orUnavailable(() => readEnds(this.#statements.ends));
  }

  async write({ after, rows, ends, thinned = [] }: ChainChange): Promise<void> {
    const { insert, addLink, beginEnds, setEnds, erase, eraseBetween, addInterval } = this.#statements;
    const { base, head } = ends;
    const hasMoved = after !== null && base.seq > after.base.seq;
    this.#database.atomically(() => {
      this.#expect(after);
      for (const { kind, row, hash } of rows) {
        insert[kind].run(...row);
        addLink.run(row[0], kind, hash);
      }
      for (const { from, to, hash, seal } of thinned) {
        for (const each of eraseBetween) each.run(from, to);
        addInterval.run(from, to, hash, seal);
      }
      if (hasMoved) for (const each of erase) each.run(base.seq);
      (after ? setEnds : beginEnds).run(base.seq, base.hash, head.seq, head.hash, ends.seal);
    });
    if (hasMoved || thinned.length > 0) this.#scrub();
  }

  async size(): Promise<number> {
    return orUnavailable(() => this.#database.usedBytes());
  }

  async readUsage(request: { after: number; limit: number }): Promise<readonly ReadUsage[]> {
    return orUnavailable(() => this.#thinning.usage(request));
  }

  async findThinnable(request: ThinRequest): Promise<ThinBatch | null> {
    return orUnavailable(() => this.#thinning.find(request));
  }

  async housekeeping(limit: number): Promise<readonly EventRow[]> {
    return orUnavailable(() => {
      const rows = this.#statements.housekeeping.all(limit) as unknown as StoredRow[];
      return rows.map((row) => toEntry("event", row).row as EventRow);
    });
  }

  async findCut({ before, last, most }: CutRequest): Promise<ChainPoint | null> {
    return orUnavailable(() => {
      const reaches = new Map<string, number>();
      const base = readEnds(this.#statements.ends)?.base.seq ?? 0;
      let reach = 0;
      let cut = 0;
      for (const row of this.#statements.inOrder.iterate({ last })) {
        const { seq, operation, time } = row as { seq: number; operation: string; time: number };
        if (time >= before || (cut > 0 && seq - base > most)) break;
        reach = Math.max(reach, seq, this.#lastOf(operation, reaches));
        if (reach === seq) cut = seq;
      }
      return cut === 0 ? null : { seq: cut, hash: String(this.#statements.hashAt.get(cut)?.["hash"]) };
    });
  }

  async operation(id: string): Promise<readonly AuditEntry[]> {
    return orUnavailable(() =>
      AUDIT_KINDS.flatMap((kind) => {
        const rows = this.#statements.ofOperation[kind].all(id) as unknown as StoredRow[];
        return rows.map((row) => ({ seq: row[0], entry: toEntry(kind, row) }));
      })
        .sort((a, b) => a.seq - b.seq)
        .map(({ entry }) => entry),
    );
  }

  async erasedReads(operationId: string): Promise<ErasedReads | null> {
    return orUnavailable(() => this.#thinning.erasedReads(operationId));
  }

  async erasedOperations(): Promise<ErasedOperations> {
    return orUnavailable(() => this.#thinning.erasedOperations());
  }

  async latest(limit: number): Promise<readonly OperationSummary[]> {
    const { kysely } = this.#database;
    try {
      const rows = await kysely
        .selectFrom("operations")
        .selectAll()
        .select(({ selectFrom }) => [
          selectFrom("agent_context_sources")
            .whereRef("operation_id", "=", "operations.id")
            .select(sql<number>`count(*)`.as("count"))
            .as("sources"),
          selectFrom("policy_decisions")
            .whereRef("operation_id", "=", "operations.id")
            .where("allowed", "=", 0)
            .select(sql<number>`count(*)`.as("count"))
            .as("refusals"),
          selectFrom("audit_events")
            .where(sql<boolean>`${sql.raw(ERASED_READS)}`)
            .select(sql<number>`count(*)`.as("count"))
            .as("thinnings"),
        ])
        .orderBy("seq", "desc")
        .limit(limit)
        .execute();
      return rows.map(({ seq: _, sources, refusals, thinnings, ...operation }) => ({
        operation,
        sources: sources ?? 0,
        refusals: refusals ?? 0,
        isThinned: (thinnings ?? 0) > 0,
      }));
    } catch (cause) {
      throw toUnavailable(cause);
    }
  }

  async operationsSince({
    since,
    clients,
  }: {
    since: number;
    clients: readonly string[];
  }): Promise<readonly OperationRow[]> {
    if (clients.length === 0) return [];
    try {
      const rows = await this.#database.kysely
        .selectFrom("operations")
        .selectAll()
        .where("client", "in", clients)
        .where("expires_at", ">", since)
        .orderBy("seq")
        .execute();
      return rows.map(({ seq: _, ...operation }) => operation);
    } catch (cause) {
      throw toUnavailable(cause);
    }
  }

  async openSnapshot() {
    return orUnavailable(() => openAuditSnapshot(this.#database.openSnapshot()));
  }

  #expect(after: ChainEnds | null): void {
    const found = readEnds(this.#statements.ends);
    if (after === null && found === null && this.#statements.any.get() !== undefined)
      throw new EarshotError("misconfigured", "The audit holds rows, but the ends of its chain are missing.");
    if (found?.seal === after?.seal) return;
    const hint = "Is another Earshot running on the same data folder? Stop one of them and restart the other.";
    throw new EarshotError("misconfigured", `Another program has written to the audit. ${hint}`);
  }

  /** The last place of anything about an operation. What belongs to none stands alone. */
  #lastOf(operation: string, known: Map<string, number>): number {
    if (operation === "") return 0;
    const last = known.get(operation) ?? Number(this.#statements.lastOf.get({ operation })?.["last"]);
    known.set(operation, last);
    return last;
  }

  #scrub(): void {
    try {
      this.#database.scrub();
    } catch {
      // The rows are gone, which is what the chain says; their bytes go with the next time.
    }
  }
}

function prepareAll(database: DurableDatabase) {
  const asArrays = (text: string): StatementSync => {
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    return statement;
  };
  const marks = (kind: AuditKind) => ["?", ...Object.keys(AUDIT_COLUMNS[kind]).map(() => "?")].join(", ");
  const tables = Object.values(TABLES);
  const everything = [...tables.map(({ name }) => name), "audit_chain", "audit_thinned"];
  return {
    ends: database.prepare("SELECT * FROM audit_ends"),
    beginEnds: database.prepare(`INSERT INTO audit_ends (base_seq, base_hash, head_seq, head_hash, seal, seq)
      VALUES (?, ?, ?, ?, ?, 1)`),
    setEnds: database.prepare(
      "UPDATE audit_ends SET base_seq = ?, base_hash = ?, head_seq = ?, head_hash = ?, seal = ?",
    ),
    addLink: database.prepare("INSERT INTO audit_chain (seq, kind, hash) VALUES (?, ?, ?)"),
    insert: byKind((kind) =>
      database.prepare(`INSERT INTO ${TABLES[kind].name} (${columnsOf(kind)}) VALUES (${marks(kind)})`),
    ),
    ofOperation: byKind((kind) =>
      asArrays(`SELECT ${columnsOf(kind)} FROM ${TABLES[kind].name} WHERE ${TABLES[kind].operation} = ? ORDER BY seq`),
    ),
    // A base is the place of a row that stands, so it lies within no interval.
    erase: everything.map((name) => database.prepare(`DELETE FROM ${name} WHERE seq <= ?`)),
    eraseBetween: everything.map((name) => database.prepare(`DELETE FROM ${name} WHERE seq BETWEEN ? AND ?`)),
    addInterval: database.prepare("INSERT INTO audit_thinned (seq, last_seq, hash, seal) VALUES (?, ?, ?, ?)"),
    any: database.prepare(everything.map((name) => `SELECT 1 FROM ${name}`).join(" UNION ALL ")),
    housekeeping: asArrays(
      `SELECT ${columnsOf("event")} FROM audit_events WHERE operation_id = '' ORDER BY seq DESC LIMIT ?`,
    ),
    // The bound stands in each part: only then does SQLite merge them as they are, instead of sorting them all.
    inOrder: database.prepare(
      `${tables
        .map(
          ({ name, operation, time }) =>
            `SELECT seq, ${operation} AS operation, ${time} AS time FROM ${name} WHERE seq <= :last`,
        )
        .join(" UNION ALL ")} ORDER BY seq`,
    ),
    lastOf: database.prepare(
      `SELECT max(last) AS last FROM (${tables
        .map(({ name, operation }) => `SELECT max(seq) AS last FROM ${name} WHERE ${operation} = :operation`)
        .join(" UNION ALL ")})`,
    ),
    hashAt: database.prepare("SELECT hash FROM audit_chain WHERE seq = ?"),
  };
}

function byKind<Value>(make: (kind: AuditKind) => Value): Readonly<Record<AuditKind, Value>> {
  return Object.fromEntries(AUDIT_KINDS.map((kind) => [kind, make(kind)])) as Record<AuditKind, Value>;
}

function orUnavailable<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw toUnavailable(cause);
  }
}

function toUnavailable(cause: unknown): EarshotError {
  return cause instanceof EarshotError
    ? cause
    : new EarshotError("unavailable", "The audit cannot be read; is its file damaged?", { cause });
}
