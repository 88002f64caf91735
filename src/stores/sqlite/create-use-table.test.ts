import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { openDurableDatabase } from "./durable-database.ts";
import { createFactStore } from "./fact-store.ts";

it("facts about people that are older than the notes of uses count as used when the database was last", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-uses-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "earshot.db");
  (await openDurableDatabase(file)).close();
  const raw = new DatabaseSync(file);
  raw.exec(
    "DROP TABLE memory_fact_uses; DROP TABLE fact_removal_requests; DROP INDEX memory_facts_by_superseded_by; DROP INDEX memory_facts_by_audience_ref; ALTER TABLE memory_facts DROP COLUMN sources_json; ALTER TABLE memory_fact_sources ADD COLUMN source_hash TEXT NOT NULL DEFAULT ''; ALTER TABLE memory_fact_sources ADD COLUMN is_own INTEGER NOT NULL DEFAULT 0; DELETE FROM kysely_migration WHERE name >= '0009'",
  );
  const add = (id: string, subject: string, at: number) =>
    raw.exec(`INSERT INTO memory_facts (id, scope_type, scope_id, subject_id, key, value_json, visibility, source_type, source_ref,
      source_excerpt_hash, created_by, verification_status, confidence, created_at, updated_at, version)
      VALUES ('${id}', 'user', '11', ${subject}, 'k', 'v', 'private', 'typed', '', '', '11', 'user_confirmed', 1, ${at}, ${at}, 1)`);
  add("old", "'11'", 100);
  add("new", "'11'", 200);
  add("of a project", "NULL", 150);
  raw.close();
  const database = await openDurableDatabase(file);
  onTestFinished(() => database.close());
  const uses = await createFactStore(database).lastUses(["old", "new", "of a project"]);
  expect(uses).toEqual(
    new Map([
      ["old", { usedAt: 200, keptAt: 0 }],
      ["new", { usedAt: 200, keptAt: 0 }],
    ]),
  );
});
