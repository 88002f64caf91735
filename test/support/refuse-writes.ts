import { onTestFinished } from "vitest";

/**
 * Makes PostgreSQL refuse all changes to the tables of a schema, as with a full disk or on a read-only server; only this schema is concerned. Returns what ends that.
 * `query`: runs a statement in the schema.
 */
export async function refuseWrites(
  query: (sql: string) => Promise<unknown>,
  condition: "disk_full" | "read_only_sql_transaction",
): Promise<() => Promise<void>> {
  const forEachTable = (sql: string) =>
    query(`DO $all$ DECLARE each record; BEGIN
      CREATE OR REPLACE FUNCTION refuse_${condition}() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${condition}'; END $$;
      FOR each IN SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() LOOP
        EXECUTE format('${sql}', each.name);
      END LOOP;
    END $all$`);
  const allow = async () => void (await forEachTable("DROP TRIGGER IF EXISTS refuse_writes ON %I"));
  await forEachTable(
    `CREATE TRIGGER refuse_writes BEFORE INSERT OR UPDATE OR DELETE ON %I EXECUTE FUNCTION refuse_${condition}()`,
  );
  // Other tests get the same tables.
  onTestFinished(allow);
  return allow;
}
