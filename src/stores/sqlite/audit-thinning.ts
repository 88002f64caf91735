import { type Expression, type Kysely, sql } from "kysely";
import type {
  ErasedOperations,
  ErasedReads,
  ReadUsage,
  ThinBatch,
  ThinCandidate,
  ThinRequest,
  ThinTarget,
} from "../../ports/audit-store.ts";
import { toEnds } from "./audit-snapshot.ts";
import type { AuditTables } from "./audit-tables.ts";
import { compileQuery, type DurableDatabase, type Slot } from "./durable-database.ts";
import { detail, erasedRows, tellsErasedReads } from "./erased-reads.ts";
import { greatest } from "./sqlite-expressions.ts";

interface Span {
  readonly from: number;
  readonly to: number;
}

type ThinnedDatabase = Pick<DurableDatabase, "kysely" | "execute">;

const endedAt = greatest(["opened_at", "expires_at"]);
/** Operations that are looked at for one batch. */
const MAX_OPERATIONS = 500;

/** Finds rows that can be erased to save room, and what the chain needs to go on without them. */
export class AuditThinning {
  readonly #database: ThinnedDatabase;
  readonly #queries: ReturnType<typeof compileQueries>;

  constructor(database: ThinnedDatabase) {
    this.#database = database;
    this.#queries = compileQueries(database.kysely);
  }

  usage(request: { after: number; limit: number }): readonly ReadUsage[] {
    return this.#database.execute(this.#queries.usage(request));
  }

  find({ target, client, endedBy, after, maxRows }: ThinRequest): ThinBatch | null {
    const places = new Set<number>();
    const erased: Record<string, number> = {};
    let first: number | null = null;
    let last = after;
    for (const { seq, id } of this.#database.execute(this.#queries.operations({ client, after, endedBy }))) {
      first ??= seq;
      last = seq;
      const found = this.#placesOf(target, seq, id);
      if (target === "reads" && found.length > 0) erased[seq] = found.length;
      for (const place of found) places.add(place);
      if (places.size >= maxRows) break;
    }
    if (first === null) return null;
    const intervals: ThinCandidate[] = [];
    for (const span of this.#withNeighbours(toSpans(places))) intervals.push(this.#toCandidate(span));
    return { intervals, rows: places.size, operations: { first, last }, erased };
  }

  erasedReads(id: string): ErasedReads | null {
    const [row] = this.#database.execute(this.#queries.erasedReads({ id }));
    if (typeof row?.erasedAt !== "number") return null;
    return { rows: row.unknown === 0 ? Number(row.rows) : null, erasedAt: row.erasedAt };
  }

  erasedOperations(): ErasedOperations {
    const [row] = this.#database.execute(this.#queries.erasedOperations({}));
    const prunedBefore = typeof row?.prunedBefore === "number" ? row.prunedBefore : null;
    return { prunedBefore, thinned: Number(row?.thinned ?? 0) };
  }

  #placesOf(target: ThinTarget, seq: number, id: string): readonly number[] {
    const { reads, others } = this.#queries;
    if (target === "operations") return this.#database.execute(others({ id })).length === 0 ? [seq] : [];
    return this.#database.execute(reads({ id })).map((row) => row.seq);
  }

  /** Joined with what was thinned right beside them. */
  #withNeighbours(spans: readonly Span[]): Span[] {
    const all = new Map(spans.map((span) => [span.from, span]));
    for (const { from, to } of spans) {
      const neighbours = this.#database.execute(this.#queries.neighbours({ before: from - 1, after: to + 1 }));
      for (const neighbour of neighbours) all.set(neighbour.from, neighbour);
    }
    return joinSpans([...all.values()].sort((a, b) => a.from - b.from));
  }

  #toCandidate({ from, to }: Span): ThinCandidate {
    return { from, to, before: this.#hashAt(from - 1), hash: this.#hashAt(to) };
  }

  #hashAt(seq: number): string {
    const [found] = this.#database.execute(this.#queries.hashAt({ seq }));
    if (found) return found.hash;
    const base = toEnds(this.#database.execute(this.#queries.ends({})))?.base;
    if (base?.seq === seq) return base.hash;
    throw new Error("the chain has no link there");
  }
}

function toSpans(places: ReadonlySet<number>): Span[] {
  return joinSpans([...places].sort((a, b) => a - b).map((seq) => ({ from: seq, to: seq })));
}

/** Joins those that touch; they come in order. */
function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last && span.from === last.to + 1) joined[joined.length - 1] = { from: last.from, to: span.to };
    else joined.push(span);
  }
  return joined;
}

function compileQueries(kysely: Kysely<AuditTables>) {
  const sources = (id: Expression<string>) => kysely.selectFrom("agent_context_sources").where("operation_id", "=", id);
  const decisions = (id: Expression<string>) => kysely.selectFrom("policy_decisions").where("operation_id", "=", id);
  const allowedReads = (id: Expression<string>) => decisions(id).where("effect", "=", "read").where("allowed", "=", 1);
  const confirmations = (id: Expression<string>) => kysely.selectFrom("confirmations").where("operation_id", "=", id);
  const events = (id: Expression<string>) => kysely.selectFrom("audit_events").where("operation_id", "=", id);
  const count = sql<number>`count(*)`.as("count");
  return {
    ends: compileQuery(() => kysely.selectFrom("audit_ends").selectAll()),
    usage: compileQuery((slot: Slot<{ after: number; limit: number }>) =>
      kysely
        .selectFrom("operations")
        .select((eb) => [
          "seq",
          "client",
          endedAt.as("endedAt"),
          eb(sources(eb.ref("operations.id")).select(count), "+", allowedReads(eb.ref("operations.id")).select(count))
            .$castTo<number>()
            .as("rows"),
        ])
        .where("seq", ">", slot("after"))
        .orderBy("seq")
        .limit(slot("limit")),
    ),
    operations: compileQuery((slot: Slot<{ client: string; after: number; endedBy: number }>) =>
      kysely
        .selectFrom("operations")
        .select(["seq", "id"])
        .where("client", "=", slot("client"))
        .where("seq", ">", slot("after"))
        .where(endedAt, "<=", slot("endedBy"))
        .orderBy("seq")
        .limit(MAX_OPERATIONS),
    ),
    reads: compileQuery((slot: Slot<{ id: string }>) =>
      sources(slot("id"))
        .select("seq")
        .unionAll(allowedReads(slot("id")).select("seq"))
        .unionAll(events(slot("id")).where("name", "=", "searched").select("seq")),
    ),
    others: compileQuery((slot: Slot<{ id: string }>) =>
      sources(slot("id"))
        .select("seq")
        .unionAll(decisions(slot("id")).select("seq"))
        .unionAll(confirmations(slot("id")).select("seq"))
        .unionAll(events(slot("id")).select("seq"))
        .limit(1),
    ),
    neighbours: compileQuery((slot: Slot<{ before: number; after: number }>) =>
      kysely
        .selectFrom("audit_thinned")
        .select(["seq as from", "last_seq as to"])
        .where((eb) => eb.or([eb("last_seq", "=", slot("before")), eb("seq", "=", slot("after"))])),
    ),
    erasedReads: compileQuery((slot: Slot<{ id: string }>) =>
      kysely
        .selectFrom(["operations", "audit_events"])
        .select(({ fn }) => [
          fn.max("happened_at").as("erasedAt"),
          fn.sum<number | null>(erasedRows).as("rows"),
          fn.sum<number | null>(sql`${detail("$.erased")} is null`).as("unknown"),
        ])
        .where(tellsErasedReads)
        .where("operations.id", "=", slot("id")),
    ),
    erasedOperations: compileQuery(() =>
      kysely
        .selectFrom("audit_events")
        .select(({ fn }) => [
          fn.max(detail<number>("$.before")).filterWhere("name", "=", "pruned").as("prunedBefore"),
          fn
            .sum<number | null>(detail<number>("$.rows"))
            .filterWhere("name", "=", "thinned")
            .filterWhere(detail<string>("$.target"), "=", "operations")
            .as("thinned"),
        ])
        .where("operation_id", "=", ""),
    ),
    hashAt: compileQuery((slot: Slot<{ seq: number }>) =>
      kysely
        .selectFrom("audit_chain")
        .select("hash")
        .where("seq", "=", slot("seq"))
        .unionAll(kysely.selectFrom("audit_thinned").select("hash").where("last_seq", "=", slot("seq"))),
    ),
  };
}
