import { type Kysely, sql } from "kysely";

/** A step of the migrations: once released, it is never changed. */
export async function createMemoryTables(database: Kysely<unknown>): Promise<void> {
  let facts = database.schema
    .createTable("memory_facts")
    .addColumn("id", "text", (column) => column.primaryKey().notNull());
  for (const name of [
    ...["scope_type", "scope_id", "key", "value_json", "visibility", "source_type", "source_ref"],
    ...["source_excerpt_hash", "created_by", "verification_status"],
  ])
    facts = facts.addColumn(name, "text", (column) => column.notNull());
  for (const name of ["subject_id", "guild_id", "audience_ref", "superseded_by"]) facts = facts.addColumn(name, "text");
  for (const name of ["created_at", "updated_at", "version"])
    facts = facts.addColumn(name, "integer", (column) => column.notNull());
  for (const name of ["expires_at", "deleted_at"]) facts = facts.addColumn(name, "integer");
  await facts
    .addColumn("confidence", "real", (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();

  await database.schema
    .createTable("memory_fact_sources")
    .addColumn("fact_id", "text", (column) => column.notNull())
    .addColumn("position", "integer", (column) => column.notNull())
    .addColumn("source_type", "text", (column) => column.notNull())
    .addColumn("source_ref", "text", (column) => column.notNull())
    .addColumn("source_hash", "text", (column) => column.notNull())
    .addColumn("is_own", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("memory_fact_sources_key", ["fact_id", "position"])
    .modifyEnd(sql`strict`)
    .execute();
  await database.schema
    .createTable("memory_store")
    .addColumn("seq", "integer", (column) => column.primaryKey())
    .addColumn("store_id", "text", (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
  await database.schema
    .createTable("opt_outs")
    .addColumn("hash", "text", (column) => column.primaryKey().notNull())
    .addColumn("opted_out_at", "integer", (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();

  const index = (name: string) => database.schema.createIndex(`memory_facts_by_${name}`).on("memory_facts");
  // The order of `find` is in each index, so that a page is read without sorting all that matches.
  await index("scope").columns(["scope_type", "scope_id", "created_at", "id"]).execute();
  await index("key").columns(["scope_type", "scope_id", "key", "created_at", "id"]).execute();
  for (const name of ["subject_id", "guild_id", "created_by"])
    await index(name).columns([name, "created_at", "id"]).execute();
  await index("age").columns(["created_at", "id"]).execute();
  await index("expires_at").column("expires_at").where(sql.ref("expires_at"), "is not", null).execute();
  await index("deleted_at").column("deleted_at").where(sql.ref("deleted_at"), "is not", null).execute();
  await database.schema
    .createIndex("memory_fact_sources_by_source")
    .on("memory_fact_sources")
    .columns(["source_type", "source_ref"])
    .execute();
}
