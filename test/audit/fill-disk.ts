import type { Database } from "../../src/stores/database.ts";

/** As when the disk is full: SQLite refuses to let the file grow. Returns what gives the room back. */
export async function fillDisk(database: Database): Promise<() => Promise<void>> {
  const setMaxPages = async (pages: number) => void (await database.query(`PRAGMA max_page_count = ${pages}`));
  const [row] = await database.query<{ page_count: number }>("PRAGMA page_count");
  await setMaxPages(row?.page_count ?? 0);
  return () => setMaxPages(1_000_000);
}
