import { expect, it, onTestFinished } from "vitest";
import { createOlderDatabase } from "../../../test/support/older-database.ts";
import { openDurableDatabase } from "./durable-database.ts";
import { createFactStore } from "./fact-store.ts";

it("facts from before keep what they rest on, in order, and are found by it", async () => {
  const { file, raw, addFact } = await createOlderDatabase("0013-sources-of-facts");
  for (const id of ["one", "none"]) addFact(id);
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
