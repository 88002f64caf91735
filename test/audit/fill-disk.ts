import { onTestFinished } from "vitest";
import type { Database } from "../../src/stores/database.ts";
import { PostgresDatabase } from "../../src/stores/postgres/postgres-database.ts";

/** As when the disk is full: SQLite refuses to let the file grow, and PostgreSQL every new row. Returns what gives the room back. */
export async function fillDisk(database: Database): Promise<() => Promise<void>> {
  if (database instanceof PostgresDatabase) return fillServer(database);
  const setMaxPages = async (pages: number) => void (await database.query(`PRAGMA max_page_count = ${pages}`));
  const [row] = await database.query<{ page_count: number }>("PRAGMA page_count");
  await setMaxPages(row?.page_count ?? 0);
  return () => setMaxPages(1_000_000);
}

async function fillServer(database: Database): Promise<() => Promise<void>> {
  const forEachTable = (sql: string) =>
    database.query(`DO $all$ DECLARE each record; BEGIN
      CREATE OR REPLACE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full'; END $$;
      FOR each IN SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() LOOP
        EXECUTE format('${sql}', each.name);
      END LOOP;
    END $all$`);
  const makeRoom = async () => void (await forEachTable("DROP TRIGGER IF EXISTS full_disk ON %I"));
  await forEachTable("CREATE TRIGGER full_disk BEFORE INSERT ON %I EXECUTE FUNCTION refuse_row()");
  // Other tests get the same tables.
  onTestFinished(makeRoom);
  return makeRoom;
}
