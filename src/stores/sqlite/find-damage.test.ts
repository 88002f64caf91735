import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { openDurableDatabase } from "./durable-database.ts";
import { findDamage } from "./find-damage.ts";

it("damage in a table that no start looks at is found while the database is in use", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-damage-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "earshot.db");
  (await openDurableDatabase(file)).close();
  const raw = new DatabaseSync(file);
  const page = Number(raw.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'episodes'").get()?.["rootpage"]);
  raw.close();
  const sound = await openDurableDatabase(file);
  expect(await findDamage(file).isDamaged).toBe(false);
  sound.close();
  const bytes = readFileSync(file);
  bytes.fill(0x5a, (page - 1) * 4_096, page * 4_096);
  writeFileSync(file, bytes);
  const damaged = await openDurableDatabase(file);
  expect(await findDamage(file).isDamaged).toBe(true);
  const stopped = findDamage(file);
  await stopped.stop();
  await stopped.isDamaged;
  damaged.close();
});
