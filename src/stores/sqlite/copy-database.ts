import { closeSync, fsyncSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { connectToInspect, createOwnFile } from "./own-file.ts";

export interface DatabaseCopy {
  readonly from: string;
  readonly to: string;
  /** Writes something into the copy. */
  mark?(file: string): void;
}

/**
 * Copies several databases as of one moment, each into a single file that only its owner may read. Everything happens without a pause, so this process
 * writes nothing in between; the caller sees to it that no other process does. Throws whatever SQLite or the file system says.
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
