import { closeStores, openStores, type Stores } from "./fact-stores.ts";
import { fillStores } from "./many-facts.ts";

/** A process of its own for the benchmark of facts, in a folder: `fill` writes facts of so many people and tells how many; `start` tells how long it takes to open them. */
const [, , work, folder = "", people] = process.argv;

async function fill(stores: Stores): Promise<number> {
  // Rows come in no order: with the usual cache, most of the time would go into writing the same pages again and again.
  await stores.database.query("PRAGMA cache_size = -1000000");
  return fillStores(Number(people), stores);
}

const start = performance.now();
const stores = await openStores(folder);
const told = work === "start" ? performance.now() - start : await fill(stores);
closeStores(stores);
process.send?.(told);
