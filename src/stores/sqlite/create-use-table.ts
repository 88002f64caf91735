import { type Kysely, sql } from "kysely";

/** A step of the migrations: once released, it is never changed. */
export async function createUseTable(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("memory_fact_uses")
    .addColumn("fact_id", "text", (column) => column.primaryKey().notNull())
    .addColumn("used_at", "integer", (column) => column.notNull())
    .addColumn("kept_at", "integer", (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
  // Of the facts that there are it is not known. They count as used at the last moment that the database knows of.
  await sql`insert into memory_fact_uses (fact_id, used_at, kept_at)
    select id, max(
      (select max(created_at) from memory_facts),
      coalesce((select max(opened_at) from operations), 0)
    ), 0 from memory_facts where subject_id is not null`.execute(database);
}
