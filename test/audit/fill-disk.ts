import { sql } from "kysely";
import type { DurableDatabase } from "../../src/stores/sqlite/durable-database.ts";

/** As when the disk is full: SQLite refuses to let the file grow. Returns what gives the room back. */
export async function fillDisk({ kysely }: DurableDatabase): Promise<() => Promise<void>> {
  const setMaxPages = async (pages: number) => void (await sql.raw(`PRAGMA max_page_count = ${pages}`).execute(kysely));
  const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(kysely);
  await setMaxPages(rows[0]?.page_count ?? 0);
  return () => setMaxPages(1_000_000);
}
