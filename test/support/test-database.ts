import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../../src/stores/database.ts";
import { openDurableDatabase } from "../../src/stores/sqlite/open-sqlite.ts";

const PRIVATE = 0o600;
let emptyFile: Promise<Buffer> | null = null;

/** The database in a file; a new one begins as a copy of an empty one, since to create all tables takes ten times as long as to open them. */
export async function openTestDatabase(file: string): Promise<Database> {
  emptyFile ??= createEmptyFile();
  const bytes = await emptyFile;
  if (!existsSync(file)) writeFileSync(file, bytes, { mode: PRIVATE });
  return openDurableDatabase(file);
}

async function createEmptyFile(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "earshot-empty-"));
  try {
    const file = join(folder, "earshot.db");
    (await openDurableDatabase(file)).close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
