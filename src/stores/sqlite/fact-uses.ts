import { type Kysely, sql } from "kysely";
import type { FactUses } from "../../ports/fact-uses.ts";
import { compileQuery, type DurableDatabase, type Slot } from "./durable-database.ts";
import type { DurableTables } from "./durable-tables.ts";
import { isInJsonList } from "./sqlite-expressions.ts";
import { translateErrors } from "./translate-errors.ts";

/** Counted in the audit, which has one row for each fact and operation. @see FactUses */
export function createFactUses(database: DurableDatabase): FactUses {
  const queries = compileQueries(database.kysely);
  return {
    count: (refs, time) =>
      translateErrors("How often facts were used cannot be read", () => {
        const rows = database.execute(queries.count({ refs: JSON.stringify(refs), ...time }));
        const isMinimum = database.execute(queries.thinned({ from: time.from })).length > 0;
        return { times: new Map(rows.map(({ source_ref, times }) => [source_ref, times])), isMinimum };
      }),
  };
}

function compileQueries(kysely: Kysely<DurableTables>) {
  return {
    count: compileQuery((slot: Slot<{ refs: string; from: number; until: number }>) =>
      kysely
        .selectFrom("agent_context_sources")
        .select(({ fn }) => ["source_ref", fn.countAll<number>().as("times")])
        // A literal: SQLite uses the index of facts alone only where it can see that nothing else is wanted.
        .where("source_type", "=", sql.lit("memory_fact"))
        .where(isInJsonList("source_ref", slot("refs")))
        .where("loaded_at", ">=", slot("from"))
        .where("loaded_at", "<", slot("until"))
        .groupBy("source_ref"),
    ),
    thinned: compileQuery((slot: Slot<{ from: number }>) =>
      kysely
        .selectFrom("audit_events")
        .select("seq")
        .where("operation_id", "=", "")
        .where("name", "=", "thinned")
        .where("happened_at", ">=", slot("from"))
        .limit(1),
    ),
  };
}
