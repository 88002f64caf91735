import { randomBytes, randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { openFactVault } from "../../src/memory/fact-vault.ts";
import { createFactStore } from "../../src/stores/fact-store.ts";
import { createOptOutStore } from "../../src/stores/opt-out-store.ts";
import { toNewFact } from "./new-fact.ts";
import { openTestDatabase, openTestKeys } from "./test-database.ts";

// A program that is killed writes no compile cache at its end.
flushCompileCache();

/** Adds and ends facts in the folder that is given until somebody kills it, and writes what it has done. */
const folder = process.argv[2] ?? "";
const database = await openTestDatabase(join(folder, "earshot.db"));
const ignore = () => {};
const vault = await openFactVault({
  facts: createFactStore(database),
  keys: await openTestKeys(join(folder, "keys.db"), randomUUID),
  optOuts: createOptOutStore(database),
  chance: { bytes: (count) => randomBytes(count), id: randomUUID },
  clock: { now: () => Date.now() },
  log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
});
const say = (...words: readonly string[]) => writeSync(1, `${words.join(" ")}\n`);
const ids: string[] = [];
for (let count = 0; ; count += 1) {
  const { row } = await vault.add(toNewFact(String(count), { user: String(count % 4) }));
  say("added", row.id, String(count));
  ids.push(row.id);
  const oldest = ids.length > 5 ? ids.splice(0, 2) : [];
  for (const id of oldest) say("ending", id);
  await vault.end(oldest);
  for (const id of oldest) say("ended", id);
}
