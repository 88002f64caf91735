import type {
  ErasedOperations,
  ErasedReads,
  ReadUsage,
  ThinBatch,
  ThinCandidate,
  ThinRequest,
  ThinTarget,
} from "../../ports/audit-store.ts";
import { readEnds } from "./audit-snapshot.ts";
import type { DurableDatabase } from "./durable-database.ts";

interface Span {
  readonly from: number;
  readonly to: number;
}

const ENDED = "max(opened_at, expires_at)";
/** Operations that are looked at for one batch. */
const MAX_OPERATIONS = 500;
const READS = [
  "SELECT seq FROM agent_context_sources WHERE operation_id = :id",
  "SELECT seq FROM policy_decisions WHERE operation_id = :id AND effect = 'read' AND allowed = 1",
  "SELECT seq FROM audit_events WHERE operation_id = :id AND name = 'searched'",
].join(" UNION ALL ");
const OTHERS = ["agent_context_sources", "policy_decisions", "confirmations", "audit_events"]
  .map((table) => `SELECT 1 FROM ${table} WHERE operation_id = :id`)
  .join(" UNION ALL ");

/** Whether an event tells that rows of an operation's reads were erased. Earlier versions noted only the first and the last operation of a batch. */
export const ERASED_READS = `audit_events.operation_id = '' AND audit_events.name = 'thinned'
  AND detail_json ->> '$.client' = operations.client
  AND operations.seq BETWEEN detail_json ->> '$.first' AND detail_json ->> '$.last'
  AND (detail_json -> '$.erased' IS NULL OR detail_json -> ('$.erased."' || operations.seq || '"') IS NOT NULL)`;

/** Finds rows that can be erased to save room, and what the chain needs to go on without them. */
export class AuditThinning {
  readonly #statements: ReturnType<typeof prepareAll>;

  constructor(database: DurableDatabase) {
    this.#statements = prepareAll(database);
  }

  usage({ after, limit }: { after: number; limit: number }): readonly ReadUsage[] {
    return this.#statements.usage.all(after, limit) as unknown as ReadUsage[];
  }

  find({ target, client, endedBy, after, maxRows }: ThinRequest): ThinBatch | null {
    const places = new Set<number>();
    const erased: Record<string, number> = {};
    let first: number | null = null;
    let last = after;
    for (const row of this.#statements.operations.all(client, after, endedBy, MAX_OPERATIONS)) {
      const { seq, id } = row as { seq: number; id: string };
      first ??= seq;
      last = seq;
      const found = this.#placesOf(target, seq, id);
      if (target === "reads" && found.length > 0) erased[seq] = found.length;
      for (const place of found) places.add(place);
      if (places.size >= maxRows) break;
    }
    if (first === null) return null;
    const intervals = this.#withNeighbours(toSpans(places)).map((span) => this.#toCandidate(span));
    return { intervals, rows: places.size, operations: { first, last }, erased };
  }

  erasedReads(id: string): ErasedReads | null {
    const { erasedAt, rows, unknown } = this.#statements.erasedReads.get(id) ?? {};
    if (typeof erasedAt !== "number") return null;
    return { rows: unknown === 0 ? Number(rows) : null, erasedAt };
  }

  erasedOperations(): ErasedOperations {
    const { prunedBefore, thinned } = this.#statements.erasedOperations.get() ?? {};
    return { prunedBefore: typeof prunedBefore === "number" ? prunedBefore : null, thinned: Number(thinned ?? 0) };
  }

  #placesOf(target: ThinTarget, seq: number, id: string): readonly number[] {
    const { reads, others } = this.#statements;
    if (target === "operations") return others.get({ id }) === undefined ? [seq] : [];
    return reads.all({ id }).map((row) => Number(row["seq"]));
  }

  /** Joined with what was thinned right beside them. */
  #withNeighbours(spans: readonly Span[]): Span[] {
    const all = new Map(spans.map((span) => [span.from, span]));
    for (const { from, to } of spans)
      for (const row of this.#statements.neighbours.all(from - 1, to + 1)) {
        const neighbour = row as unknown as Span;
        all.set(neighbour.from, neighbour);
      }
    return joinSpans([...all.values()].sort((a, b) => a.from - b.from));
  }

  #toCandidate({ from, to }: Span): ThinCandidate {
    return { from, to, before: this.#hashAt(from - 1), hash: this.#hashAt(to) };
  }

  #hashAt(seq: number): string {
    const { link, thinnedTo, ends } = this.#statements;
    const found = link.get(seq)?.["hash"] ?? thinnedTo.get(seq)?.["hash"];
    if (typeof found === "string") return found;
    const base = readEnds(ends)?.base;
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

function prepareAll(database: DurableDatabase) {
  return {
    usage: database.prepare(`SELECT seq, client, ${ENDED} AS endedAt,
      (SELECT count(*) FROM agent_context_sources WHERE operation_id = operations.id) +
      (SELECT count(*) FROM policy_decisions WHERE operation_id = operations.id AND effect = 'read' AND allowed = 1) AS rows
      FROM operations WHERE seq > ? ORDER BY seq LIMIT ?`),
    operations: database.prepare(`SELECT seq, id FROM operations
      WHERE client = ? AND seq > ? AND ${ENDED} <= ? ORDER BY seq LIMIT ?`),
    reads: database.prepare(READS),
    others: database.prepare(OTHERS),
    neighbours: database.prepare(
      'SELECT seq AS "from", last_seq AS "to" FROM audit_thinned WHERE last_seq = ? OR seq = ?',
    ),
    erasedReads: database.prepare(`SELECT max(happened_at) AS erasedAt,
      sum(detail_json ->> ('$.erased."' || operations.seq || '"')) AS rows,
      sum(detail_json -> '$.erased' IS NULL) AS unknown
      FROM operations JOIN audit_events ON ${ERASED_READS} WHERE operations.id = ?`),
    erasedOperations:
      database.prepare(`SELECT max(detail_json ->> '$.before') FILTER (WHERE name = 'pruned') AS prunedBefore,
      sum(detail_json ->> '$.rows') FILTER (WHERE name = 'thinned' AND detail_json ->> '$.target' = 'operations') AS thinned
      FROM audit_events WHERE operation_id = ''`),
    link: database.prepare("SELECT hash FROM audit_chain WHERE seq = ?"),
    thinnedTo: database.prepare("SELECT hash FROM audit_thinned WHERE last_seq = ?"),
    ends: database.prepare("SELECT * FROM audit_ends"),
  };
}
