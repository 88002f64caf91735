import { type Kysely, sql } from "kysely";
import type { ChannelId } from "../../domain/ids.ts";
import type { FactUses } from "../../ports/fact-uses.ts";
import { compileQuery, type DurableDatabase, type Slot } from "./durable-database.ts";
import type { DurableTables } from "./durable-tables.ts";
import { isInJsonList } from "./sqlite-expressions.ts";
import { translateErrors } from "./translate-errors.ts";

const UNREADABLE = "How often facts were used cannot be read";

/** Counted in the audit, which has one row for each fact and operation. @see FactUses */
export function createFactUses(database: DurableDatabase): FactUses {
  const queries = compileQueries(database.kysely);
  const isMinimum = (from: number) => database.execute(queries.thinned({ from })).length > 0;
  return {
    count: (facts, time) =>
      translateErrors(UNREADABLE, () => {
        const refs = JSON.stringify(facts.map(({ ref }) => ref));
        const scopes = JSON.stringify([...new Set(facts.map(({ scopeId }) => scopeId))]);
        const times = new Map<string, Map<ChannelId | null, number>>();
        for (const row of database.execute(queries.count({ refs, scopes, ...time }))) {
          const places = times.get(row.source_ref) ?? new Map<ChannelId | null, number>();
          times.set(row.source_ref, places.set(row.place, row.times));
        }
        return { times, isMinimum: isMinimum(time.from) };
      }),
  };
}

/** Null where one person alone read the answer: from the start, since it was narrowed, or in direct messages. */
const placeOf = sql<ChannelId | null>`case
  when operation.destination = 'actor' or operation.guild_id is null then null
  when exists (
    select 1 from audit_events where audit_events.operation_id = operation.id and audit_events.name = 'narrowed'
  ) then null
  else operation.destination end`;

function compileQueries(kysely: Kysely<DurableTables>) {
  return {
    count: compileQuery((slot: Slot<{ refs: string; scopes: string; from: number; until: number }>) =>
      kysely
        .selectFrom("agent_context_sources as source")
        .innerJoin("operations as operation", "operation.id", "source.operation_id")
        .select(({ fn }) => ["source.source_ref", placeOf.as("place"), fn.countAll<number>().as("times")])
        // A literal: SQLite uses the index of facts alone only where it can see that nothing else is wanted.
        .where("source.source_type", "=", sql.lit("memory_fact"))
        .where(isInJsonList("source.scope_id", slot("scopes")))
        .where(isInJsonList("source.source_ref", slot("refs")))
        .where("source.loaded_at", ">=", slot("from"))
        .where("source.loaded_at", "<", slot("until"))
        .groupBy(["source.source_ref", "place"]),
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
