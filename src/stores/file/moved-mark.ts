import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EarshotError } from "../../domain/errors.ts";

/** Marks a data folder whose files are no longer used. Contains the address of the database with their content. */
const MARK = "moved-to-postgresql";

export function isMoved(folder: string): boolean {
  return existsSync(join(folder, MARK));
}

/** Durable when it returns. */
export function markMoved(folder: string, to: string): void {
  writeFileSync(join(folder, MARK), `${to}\n`, { mode: 0o600, flush: true });
}

/** Throws `misconfigured` for a folder that was or is being moved. */
export function requireNotMoved(folder: string): void {
  if (!isMoved(folder)) return;
  const to = readFileSync(join(folder, MARK), "utf8").trim();
  const hint = `Set EARSHOT_DATABASE_URL to it. If the migration never ended, run it again, or delete ${join(folder, MARK)} to go on with these files.`;
  throw new EarshotError("misconfigured", `The data folder was moved to PostgreSQL (${to}). ${hint}`);
}
