import { type Kysely, sql } from "kysely";

/**
 * A step of the migrations: once released, it is never changed. What a fact rests on stands in its row: to look that up in another table took as long as
 * to read the fact.
 */
export async function moveSources(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("memory_facts")
    .addColumn("sources_json", "text", (column) => column.notNull().defaultTo("[]"))
    .execute();
  await sql`update memory_facts set sources_json = (
    select json_group_array(json_array(source_type, source_ref, source_hash, is_own) order by position)
    from memory_fact_sources where fact_id = memory_facts.id
  )`.execute(database);
  for (const name of ["source_hash", "is_own"])
    await database.schema.alterTable("memory_fact_sources").dropColumn(name).execute();
}
