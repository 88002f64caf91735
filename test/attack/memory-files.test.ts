import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFactVault } from "../../src/memory/fact-vault.ts";
import { FactWatch } from "../../src/memory/fact-watch.ts";
import { Memory } from "../../src/memory/memory.ts";
import { openDurableDatabase } from "../../src/stores/sqlite/durable-database.ts";
import { createFactStore } from "../../src/stores/sqlite/fact-store.ts";
import { openKeyStore } from "../../src/stores/sqlite/key-store.ts";
import { failure, override } from "../support/failing-stores.ts";
import { toNewFact } from "../support/new-fact.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const mintId = () => randomBytes(12).toString("hex");
const chance = { bytes: (count: number) => randomBytes(count), id: mintId };

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "earshot-attack-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe("sweeping expired facts", () => {
  it("gives up, and lets the program go on, while their rows cannot be deleted", async () => {
    const folder = openFolder();
    const database = await openDurableDatabase(join(folder, "earshot.db"));
    const keys = openKeyStore(join(folder, "keys.db"), { mintStoreId: mintId });
    onTestFinished(() => {
      database.close();
      keys.close();
    });
    const clock = { time: 1_000, now: () => clock.time };
    const real = createFactStore(database);
    let isBroken = false;
    let asked = 0;
    const facts = override(real, {
      // As while another program holds a lock on earshot.db.
      change: async (change) => (isBroken ? Promise.reject(failure()) : real.change(change)),
      // So that this test ends.
      expired: async (by, limit) => {
        asked += 1;
        return asked > 100 ? [] : real.expired(by, limit);
      },
    });
    const vault = await openFactVault({ facts, keys, optOuts: { load: async () => [] }, chance, clock, log: quiet });
    const consent = { isLeftOut: () => false, isMarkLeftOut: () => false };
    const watch = new FactWatch({ clock, consent, keptMs: 1_000 });
    const memory = new Memory({ vault, facts, watch, consent, markOf: (id) => id, clock });
    const fact = toNewFact("blue");
    await vault.add({ ...fact, row: { ...fact.row, expires_at: 1_500 } });
    clock.time = 2_000;
    isBroken = true;
    await memory.sweep().catch(() => null);
    expect(asked).toBeLessThan(10);
  });
});

describe("a keys.db that has lost its own name", () => {
  it("is refused instead of being called 'undefined'", () => {
    const file = join(openFolder(), "keys.db");
    openKeyStore(file, { mintStoreId: mintId }).close();
    const database = new DatabaseSync(file);
    database.exec("DELETE FROM store");
    database.close();
    expect(() => openKeyStore(file, { mintStoreId: mintId }).close()).toThrow(/keys\.db/);
  });
});
