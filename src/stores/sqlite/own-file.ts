import { chmodSync, closeSync, openSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/** Created here, so that nobody else can read it at any time; what SQLite puts beside it gets the same mode. */
export function createOwnFile(file: string): void {
  closeSync(openSync(file, "a", 0o600));
  chmodSync(file, 0o600);
}

/** Whether the file carries this application id, or is empty. Changes nothing. */
export function isOwnDatabase(database: DatabaseSync, applicationId: number): boolean {
  const owner = database.prepare("PRAGMA application_id").get()?.["application_id"];
  return owner === applicationId || (owner === 0 && isEmptyDatabase(database));
}

export function isEmptyDatabase(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}

/** Writes the log into the file and empties it: it may hold bytes of deleted rows. False while another connection reads. */
export function truncateLog(database: DatabaseSync): boolean {
  return database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
}
