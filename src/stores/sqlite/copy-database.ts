import { closeSync, fsyncSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { connectToInspect, createOwnFile } from "./own-file.ts";

export interface DatabaseCopy {
  readonly from: string;
  readonly to: string;
  mark?(file: string): void;
}

/**
 * Copies several databases at one moment, each into a single file that only its owner may read. Synchronous, so this process writes nothing
 * in between; the caller ensures that no other process does. Throws the errors of SQLite or the file system.
 */
export function copyDatabases(copies: readonly DatabaseCopy[]): void {
  for (const { from, to } of copies) {
    createOwnFile(to);
    const database = connectToInspect(from);
    try {
      database.prepare("VACUUM INTO ?").run(to);
    } finally {
      database.close();
    }
  }
  for (const { to, mark } of copies) {
    mark?.(to);
    const file = openSync(to, "r+");
    fsyncSync(file);
    closeSync(file);
  }
}

/** Writes the time of the copy into it. */
export function markKeyCopy(file: string, time: number): void {
  const database = new DatabaseSync(file);
  try {
    // Keys must not be written to any other file.
    database.exec("PRAGMA journal_mode = MEMORY; CREATE TABLE copied (at INTEGER NOT NULL) STRICT");
    database.prepare("INSERT INTO copied (at) VALUES (?)").run(time);
  } finally {
    database.close();
  }
}

/** The time that a copy contains; null if there is none, or the file cannot be read. */
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
