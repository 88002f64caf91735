import { EarshotError } from "../domain/errors.ts";
import {
  type AuditStore,
  CHAIN_PLACES,
  type ChainEnds,
  chainOf,
  type ReadUsage,
  type ThinCandidate,
  type ThinTarget,
} from "../ports/audit-store.ts";
import type { Database } from "./database.ts";

type Thinning = Pick<AuditStore, "readUsage" | "findThinnable" | "erasedReads" | "erasedOperations">;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Maximum operations per batch. */
const MAX_OPERATIONS = 500;
const ENDED_AT = "CASE WHEN opened_at > expires_at THEN opened_at ELSE expires_at END";

/** SQL for the number of an operation's read rows that an event reports as erased; null if it does not list the operation. */
const ERASED_ROWS = "CAST(detail_json -> 'erased' ->> CAST(operations.seq AS TEXT) AS BIGINT)";
/** SQL for whether an event reports erased reads of an operation. */
export const TELLS_ERASED_READS = `operation_id = '' AND name = 'thinned'
  AND ${ERASED_ROWS} IS NOT NULL`;

const READS = `SELECT seq FROM context_reads WHERE operation_id = :id
  UNION ALL SELECT seq FROM audit_events WHERE operation_id = :id AND name = 'searched'`;
const TABLES = ["context_reads", "policy_decisions", "confirmations", "audit_events"];
const OTHERS = TABLES.map((table) => `SELECT seq FROM ${table} WHERE operation_id = :id`).join(" UNION ALL ");
/** SQL for the hash of the row at a position. */
export const HASH_AT = ["operations", ...TABLES]
  .map((table) => `SELECT hash FROM ${table} WHERE seq = :seq`)
  .join(" UNION ALL ");

/** Finds rows that can be erased to save space, and the hashes that the chain needs without them. */
export function createAuditThinning(
  database: Database,
  readEnds: (chain: number) => Promise<ChainEnds | null>,
): Thinning {
  const findPlaces = async (sql: string, values: object) =>
    (await database.query<{ readonly seq: number }>(sql, { ...values })).map(({ seq }) => seq);

  async function placesOf(target: ThinTarget, { seq, id }: { readonly seq: number; readonly id: string }) {
    if (target === "reads") return findPlaces(READS, { id });
    return (await findPlaces(`${OTHERS} LIMIT 1`, { id })).length === 0 ? [seq] : [];
  }

  /** Merges spans with adjacent thinned intervals. */
  async function withNeighbours(spans: readonly Span[]): Promise<Span[]> {
    const all = new Map(spans.map((span) => [span.from, span]));
    for (const { from, to } of spans) {
      const neighbours = await database.query<Span>(
        'SELECT seq AS "from", last_seq AS "to" FROM audit_thinned WHERE last_seq = :before OR seq = :after',
        { before: from - 1, after: to + 1 },
      );
      for (const neighbour of neighbours) all.set(neighbour.from, neighbour);
    }
    return joinSpans([...all.values()].sort((a, b) => a.from - b.from));
  }

  async function hashAt(seq: number): Promise<string> {
    const [found] = await database.query<{ readonly hash: string }>(
      `${HASH_AT} UNION ALL SELECT hash FROM audit_thinned WHERE last_seq = :seq`,
      { seq },
    );
    if (found) return found.hash;
    const base = (await readEnds(chainOf(seq)))?.base;
    if (base?.seq === seq) return base.hash;
    throw new EarshotError("unavailable", "The audit cannot be read: its chain lacks a row. See earshot audit verify.");
  }

  return {
    readUsage: ({ after, limit }) =>
      database.query<ReadUsage>(
        `SELECT seq, client, ${ENDED_AT} AS "endedAt",
            (SELECT count(*) FROM context_reads WHERE operation_id = operations.id) AS rows
          FROM operations WHERE seq > :after AND seq < :until ORDER BY seq LIMIT :limit`,
        { after, until: endOf(after), limit },
      ),
    async findThinnable({ target, client, endedBy, after, maxRows }) {
      const operations = await database.query<{ readonly seq: number; readonly id: string }>(
        `SELECT seq, id FROM operations WHERE client = :client AND seq > :after AND seq < :until AND ${ENDED_AT} <= :endedBy
          ORDER BY seq LIMIT ${MAX_OPERATIONS}`,
        { client, after, until: endOf(after), endedBy },
      );
      const [first] = operations;
      if (!first) return null;
      const places = new Set<number>();
      const erased: Record<string, number> = {};
      let last = first.seq;
      for (const operation of operations) {
        last = operation.seq;
        const found = await placesOf(target, operation);
        if (target === "reads" && found.length > 0) erased[last] = found.length;
        for (const place of found) places.add(place);
        if (places.size >= maxRows) break;
      }
      const spans = joinSpans([...places].sort((a, b) => a - b).map((seq) => ({ from: seq, to: seq })));
      const intervals: ThinCandidate[] = [];
      for (const { from, to } of await withNeighbours(spans))
        intervals.push({ from, to, before: await hashAt(from - 1), hash: await hashAt(to) });
      return { intervals, rows: places.size, operations: { first: first.seq, last }, erased };
    },
    async erasedReads(id) {
      const [row] = await database.query<{ erased_at: number | null; rows: number }>(
        `SELECT max(happened_at) AS erased_at, sum(${ERASED_ROWS}) AS rows
          FROM operations JOIN audit_events ON ${TELLS_ERASED_READS} WHERE operations.id = :id`,
        { id },
      );
      return typeof row?.erased_at === "number" ? { rows: row.rows, erasedAt: row.erased_at } : null;
    },
    async erasedOperations() {
      const [row] = await database.query<{ pruned_before: number | null; thinned: number | null }>(
        `SELECT max(CASE WHEN name = 'pruned' THEN CAST(detail_json ->> 'before' AS BIGINT) END) AS pruned_before,
            sum(CASE WHEN name = 'thinned' AND detail_json ->> 'target' = 'operations'
              THEN CAST(detail_json ->> 'rows' AS BIGINT) END) AS thinned
          FROM audit_events WHERE operation_id = ''`,
      );
      return { prunedBefore: row?.pruned_before ?? null, thinned: row?.thinned ?? 0 };
    },
  };
}

/** The upper limit of positions in the chain. */
function endOf(seq: number): number {
  return (chainOf(seq) + 1) * CHAIN_PLACES;
}

/** Merges adjacent spans, given in order. */
function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last && span.from === last.to + 1) joined[joined.length - 1] = { from: last.from, to: span.to };
    else joined.push(span);
  }
  return joined;
}
