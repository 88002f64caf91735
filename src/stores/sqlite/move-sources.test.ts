import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { openDurableDatabase } from "./durable-database.ts";
import { createFactStore } from "./fact-store.ts";

it("facts from before keep what they rest on, in order, and are found by it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-sources-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "earshot.db");
  (await openDurableDatabase(file)).close();
  const raw = new DatabaseSync(file);
  raw.exec(
    `ALTER TABLE memory_facts DROP COLUMN sources_json;
    ALTER TABLE memory_fact_sources ADD COLUMN source_hash TEXT NOT NULL DEFAULT '';
    ALTER TABLE memory_fact_sources ADD COLUMN is_own INTEGER NOT NULL DEFAULT 0;
    DELETE FROM kysely_migration WHERE name >= '0013'`,
  );
  for (const id of ["one", "none"])
    raw.exec(`INSERT INTO memory_facts (id, scope_type, scope_id, subject_id, key, value_json, visibility, source_type, source_ref,
      source_excerpt_hash, created_by, verification_status, confidence, created_at, updated_at, version)
      VALUES ('${id}', 'user', '11', '11', 'k', 'v', 'private', 'typed', '', '', '11', 'user_confirmed', 1, 5, 5, 1)`);
  const add = raw.prepare("INSERT INTO memory_fact_sources VALUES ('one', ?, ?, ?, ?, ?)");
  add.run(1, "discord_message", "7/70", 'a "hash"', 0);
  add.run(0, "typed", "1", "b", 1);
  add.run(10, "discord_channel", "7", "", 0);
  add.run(2, "typed", "ü", "c", 1);
  raw.close();
  const database = await openDurableDatabase(file);
  onTestFinished(() => database.close());
  const store = createFactStore(database);
  const [one, none] = await store.findByIds(["one", "none"]);
  expect(one?.sources).toEqual([
    { source_type: "typed", source_ref: "1", source_hash: "b", is_own: true },
    { source_type: "discord_message", source_ref: "7/70", source_hash: 'a "hash"', is_own: false },
    { source_type: "typed", source_ref: "ü", source_hash: "c", is_own: true },
    { source_type: "discord_channel", source_ref: "7", source_hash: "", is_own: false },
  ]);
  expect(none?.sources).toEqual([]);
  const found = await store.find({ source: { type: "discord_message", ref: "7/70" } }, { limit: 9 });
  expect(found).toEqual([one]);
});
