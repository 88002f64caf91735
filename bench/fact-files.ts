import { sql } from "kysely";
import { closeStores, openStores } from "./fact-stores.ts";
import { fillStores } from "./million-facts.ts";

/** A process of its own for the benchmark of facts, in a folder: `fill` writes facts of so many people and tells how many; `start` tells how long it takes to open them. */
const [, , work, folder = "", people] = process.argv;
const start = performance.now();
const stores = await openStores(folder);
if (work === "start") process.send?.(performance.now() - start);
else {
  // Rows come in no order: with the usual cache, most of the time would go into writing the same pages again and again.
  stores.database.execute(sql`PRAGMA cache_size = -1000000`.compile(stores.database.kysely));
  process.send?.(await fillStores(Number(people), stores));
}
closeStores(stores);
