import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type FactVault, openFactVault } from "../src/memory/fact-vault.ts";
import type { FactStore } from "../src/ports/fact-store.ts";
import type { KeyStore } from "../src/ports/key-store.ts";
import type { Database } from "../src/stores/database.ts";
import { createFactStore } from "../src/stores/fact-store.ts";
import { openKeyStore } from "../src/stores/key-store.ts";
import { openDurableDatabase, openKeyDatabase } from "../src/stores/sqlite/open-sqlite.ts";
import { NOW } from "../test/support/plain-discord.ts";
import { mintId } from "./many-facts.ts";

export const clock = { now: () => NOW };
export const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export interface Stores {
  readonly database: Database;
  readonly facts: FactStore;
  readonly keys: KeyStore;
  readonly vault: FactVault;
}

/** What is remembered, in a folder that is there. */
export async function openStores(folder: string): Promise<Stores> {
  const database = await openDurableDatabase(join(folder, "earshot.db"));
  const keys = await openKeyStore(await openKeyDatabase(join(folder, "keys.db")), mintId);
  const facts = createFactStore(database);
  const chance = { bytes: (count: number) => randomBytes(count), id: mintId };
  const vault = await openFactVault({ facts, keys, optOuts: { load: async () => [] }, chance, clock, log: quiet });
  return { database, facts, keys, vault };
}

export function closeStores({ database, keys }: Stores): void {
  database.close();
  keys.close();
}
