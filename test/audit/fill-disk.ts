import type { Database } from "../../src/stores/database.ts";
import { PostgresDatabase } from "../../src/stores/postgres/postgres-database.ts";
import { refuseWrites } from "../support/refuse-writes.ts";

/** As when the disk is full: SQLite refuses to let the file grow. Returns what gives the room back. */
export async function fillDisk(database: Database): Promise<() => Promise<void>> {
  if (database instanceof PostgresDatabase) return refuseWrites((sql) => database.query(sql), "disk_full");
  const setMaxPages = async (pages: number) => void (await database.query(`PRAGMA max_page_count = ${pages}`));
  const [row] = await database.query<{ page_count: number }>("PRAGMA page_count");
  await setMaxPages(row?.page_count ?? 0);
  return () => setMaxPages(1_000_000);
}
