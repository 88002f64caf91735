import { type Kysely, sql } from "kysely";

/** A step of the migrations: once released, it is never changed. */
export async function createSpendTables(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("spend_windows")
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("ends_at", "integer", (column) => column.notNull())
    .addColumn("tokens", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("spend_windows_key", ["kind", "id"] as never)
    .modifyEnd(sql`strict`)
    .execute();
  await database.schema.createIndex("spend_windows_by_ends_at").on("spend_windows").column("ends_at").execute();
  await database.schema
    .createTable("spend_day")
    .addColumn("started_at", "integer", (column) => column.primaryKey().notNull())
    .addColumn("input_tokens", "integer", (column) => column.notNull())
    .addColumn("output_tokens", "integer", (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
}
