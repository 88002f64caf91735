import { DatabaseSync } from "node:sqlite";
import { connectToInspect } from "./own-file.ts";

/** Writes into a copy when it was made. */
export function markKeyCopy(file: string, time: number): void {
  const database = new DatabaseSync(file);
  try {
    // Keys are written to no other file.
    database.exec("PRAGMA journal_mode = MEMORY; CREATE TABLE copied (at INTEGER NOT NULL) STRICT");
    database.prepare("INSERT INTO copied (at) VALUES (?)").run(time);
  } finally {
    database.close();
  }
}

/** When a copy was made, as it says itself; null for a file that does not say it, or cannot be read. */
export function readKeyCopyTime(file: string): number | null {
  let database: DatabaseSync | null = null;
  try {
    database = connectToInspect(file);
    const at = database.prepare("SELECT at FROM copied").get()?.["at"];
    return typeof at === "number" ? at : null;
  } catch {
    return null;
  } finally {
    database?.close();
  }
}
