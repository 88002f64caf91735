import type { ChannelId } from "../domain/ids.ts";
import type { FactUses } from "../ports/fact-uses.ts";
import type { Statements } from "./database.ts";

interface CountRow {
  readonly source_ref: string;
  /** Null where one person alone read the answer: from the start, since it was narrowed, or in direct messages. */
  readonly place: ChannelId | null;
  readonly times: number;
}

// 'memory_fact' stands in the text: SQLite uses the index of facts alone only where it can see that nothing else is wanted.
const COUNT = `SELECT source_ref, CASE
    WHEN operation.destination = 'actor' OR operation.guild_id IS NULL THEN NULL
    WHEN EXISTS (SELECT 1 FROM audit_events WHERE operation_id = operation.id AND name = 'narrowed') THEN NULL
    ELSE operation.destination END AS place, count(*) AS times
  FROM agent_context_sources AS source JOIN operations AS operation ON operation.id = source.operation_id
  WHERE source_type = 'memory_fact' AND scope_id = ANY(:scopes) AND source_ref = ANY(:refs)
    AND loaded_at >= :from AND loaded_at < :until
  GROUP BY source_ref, place`;
const THINNED = `SELECT seq FROM audit_events
  WHERE operation_id = '' AND name = 'thinned' AND happened_at >= :from LIMIT 1`;

/** Counted in the audit, which has one row for each fact and operation. @see FactUses */
export function createFactUses(database: Statements): FactUses {
  return {
    async count(facts, { from, until }) {
      const refs = facts.map(({ ref }) => ref);
      const scopes = [...new Set(facts.map(({ scopeId }) => scopeId))];
      const [rows, thinned] = await Promise.all([
        database.query<CountRow>(COUNT, { refs, scopes, from, until }),
        database.query(THINNED, { from }),
      ]);
      const times = new Map<string, Map<ChannelId | null, number>>();
      for (const row of rows) {
        const places = times.get(row.source_ref) ?? new Map<ChannelId | null, number>();
        times.set(row.source_ref, places.set(row.place, row.times));
      }
      return { times, isMinimum: thinned.length > 0 };
    },
  };
}
