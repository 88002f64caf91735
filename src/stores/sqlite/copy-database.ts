import { closeSync, fsyncSync, openSync } from "node:fs";
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
