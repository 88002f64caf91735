import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type FactVault, openFactVault, type VaultDeps } from "../../src/memory/fact-vault.ts";
import type { FactStore } from "../../src/ports/fact-store.ts";
import type { KeyStore } from "../../src/ports/key-store.ts";
import type { OptOutStore } from "../../src/ports/opt-out-store.ts";
import type { Database } from "../../src/stores/database.ts";
import { createFactStore } from "../../src/stores/fact-store.ts";
import { openKeyStore } from "../../src/stores/key-store.ts";
import { createOptOutStore } from "../../src/stores/opt-out-store.ts";
import { openKeyDatabase } from "../../src/stores/sqlite/open-sqlite.ts";
import type { Connect } from "../../src/stores/sqlite/own-file.ts";
import { openTestDatabase, openTestKeys } from "./test-database.ts";

export interface OpenStores {
  readonly database: Database;
  readonly facts: FactStore;
  readonly keys: KeyStore;
  readonly optOuts: OptOutStore;
  close(): Promise<void>;
}

/** A data folder with the real files, and chance that can be repeated. */
export class VaultFolder {
  readonly path = mkdtempSync(join(tmpdir(), "earshot-vault-"));
  readonly warnings: { readonly fields: Record<string, unknown>; readonly message: string }[] = [];
  /** Ids are `fact 1`, `fact 2`, and on. */
  #ids = 0;
  #bytes = 0;
  #stores = 0;
  #now = 1_000;

  constructor() {
    onTestFinished(() => rmSync(this.path, { recursive: true, force: true }));
  }

  async openStores(connect?: Connect): Promise<OpenStores> {
    const database = await openTestDatabase(join(this.path, "earshot.db"));
    const [file, mintStoreId] = [join(this.path, "keys.db"), () => `${this.path} ${++this.#stores}`];
    const keys = connect
      ? await openKeyStore(await openKeyDatabase(file, { connect }), mintStoreId)
      : await openTestKeys(file, mintStoreId);
    const close = async () => {
      await Promise.all([database.close(), keys.close()]);
    };
    onTestFinished(close);
    return { database, facts: createFactStore(database), keys, optOuts: createOptOutStore(database), close };
  }

  toDeps(stores: Pick<VaultDeps, "facts" | "keys" | "optOuts">): VaultDeps {
    const ignore = () => {};
    return {
      facts: stores.facts,
      keys: stores.keys,
      optOuts: stores.optOuts,
      chance: {
        bytes: (count) => {
          this.#bytes += 1;
          const seed = this.#bytes;
          return Uint8Array.from({ length: count }, (_, index) => (seed * 131 + index * (seed + 17) * 29 + 5) % 251);
        },
        id: () => `fact ${++this.#ids}`,
      },
      clock: { now: () => ++this.#now },
      log: {
        debug: ignore,
        info: ignore,
        error: ignore,
        warn: (fields, message) => this.warnings.push({ fields, message }),
      },
    };
  }

  async open(connect?: Connect): Promise<OpenStores & { readonly vault: FactVault }> {
    const stores = await this.openStores(connect);
    return { ...stores, vault: await openFactVault(this.toDeps(stores)) };
  }

  /** As an operator starts who gives up facts whose keys are lost. */
  async openWithoutLost(): Promise<OpenStores & { readonly vault: FactVault }> {
    const stores = await this.openStores();
    return { ...stores, vault: await openFactVault({ ...this.toDeps(stores), erasesLostFacts: true }) };
  }

  /** Of all files, one after the other. */
  bytes(): Buffer {
    return Buffer.concat(readdirSync(this.path).map((name) => readFileSync(join(this.path, name))));
  }
}

/** The content of everything that can be read, by id. */
export async function readAll({ facts, vault }: { facts: FactStore; vault: FactVault }): Promise<Map<string, unknown>> {
  const opened = await vault.open(await facts.find({}, { limit: 1_000 }));
  return new Map(opened.map(({ fact, content }) => [fact.row.id, content.value]));
}

/** Every fact can be read, and has a key; every key belongs to a fact or to the subject of one. */
export async function expectInStep({ vault, facts, keys }: OpenStores & { vault: FactVault }): Promise<void> {
  const ids = await facts.ids({ limit: 1_000 });
  expect([...(await readAll({ vault, facts })).keys()].sort()).toEqual(ids);
  expect(await keys.names("fact:", { limit: 1_000 })).toEqual(ids.map((id) => `fact:${id}`));
  const subjects = (await facts.findByIds(ids)).map(({ row }) => `subject:${row.scope_type}:${row.scope_id}`);
  expect(await keys.names("subject:", { limit: 1_000 })).toEqual([...new Set(subjects)].sort());
  expect(vault.damagedCount).toBe(0);
}
