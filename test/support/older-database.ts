import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import { onTestFinished } from "vitest";
import { MIGRATIONS } from "../../src/stores/sqlite/migrations.ts";
import { createNodeSqliteDialect, NodeSqliteConnection } from "../../src/stores/sqlite/node-sqlite-dialect.ts";

export interface OlderDatabase {
  readonly file: string;
  /** To be closed before the file is opened again. */
  readonly raw: DatabaseSync;
  /** A fact without sources, about a person unless it is of a project. */
  addFact(id: string, options?: { readonly at?: number; readonly isOfProject?: boolean }): void;
}

/** The durable database as it was before a step of its migrations. It goes after the test. */
export async function createOlderDatabase(step: keyof typeof MIGRATIONS): Promise<OlderDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "earshot-older-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "earshot.db");
  const raw = new DatabaseSync(file);
  // "Ears".
  raw.exec(`PRAGMA application_id = ${0x45617273}`);
  const db = new Kysely<unknown>({ dialect: createNodeSqliteDialect(new NodeSqliteConnection(raw)) });
  const before = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < step));
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => before } }).migrateToLatest();
  if (error) throw error;
  return {
    file,
    raw,
    addFact(id, { at = 5, isOfProject = false } = {}) {
      raw.exec(`INSERT INTO memory_facts (id, scope_type, scope_id, subject_id, key, value_json, visibility, source_type, source_ref,
        source_excerpt_hash, created_by, verification_status, confidence, created_at, updated_at, version)
        VALUES ('${id}', 'user', '11', ${isOfProject ? "NULL" : "'11'"}, 'k', 'v', 'private', 'typed', '', '', '11', 'user_confirmed', 1, ${at}, ${at}, 1)`);
    },
  };
}
