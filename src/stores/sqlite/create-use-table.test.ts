import { expect, it, onTestFinished } from "vitest";
import { createOlderDatabase } from "../../../test/support/older-database.ts";
import { openDurableDatabase } from "./durable-database.ts";
import { createFactStore } from "./fact-store.ts";

it("facts about people that are older than the notes of uses count as used when the database was last", async () => {
  const { file, raw, addFact } = await createOlderDatabase("0009-last-uses");
  addFact("old", { at: 100 });
  addFact("new", { at: 200 });
  addFact("of a project", { at: 150, isOfProject: true });
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
