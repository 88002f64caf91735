import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { openFactVault, type VaultDeps } from "../../src/memory/fact-vault.ts";
import { FactWatch } from "../../src/memory/fact-watch.ts";
import { deriveMark } from "../../src/memory/key-ring.ts";
import { Memory } from "../../src/memory/memory.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { createFactStore } from "../../src/stores/fact-store.ts";
import type { TestConsent } from "./consent.ts";
import { IS_ON_POSTGRES, openTestDatabase, openTestKeys } from "./test-database.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const mintId = () => randomBytes(18).toString("hex");
const MARK_KEY = new Uint8Array(32).fill(5);

/** Words about a fact that was forgotten. */
export const GONE = IS_ON_POSTGRES
  ? "It cannot be read again; traces of its key may be left on the disk until the table of keys was rewritten and its log recycled (pending)."
  : "It cannot be read again, not from backups of earshot.db either.";

interface TestMemoryDeps {
  readonly consent: TestConsent;
  readonly clock: Clock;
}

interface OpenMemory {
  readonly memory: Memory;
  /** Another one on the same files, which has looked nothing up yet. */
  openAgain(): Memory;
  close(): void;
}

/** Real files in a folder of their own, until the test ends. */
export async function openTestMemory(deps: TestMemoryDeps): Promise<Memory> {
  const { memory } = await openMemoryForTest(deps);
  return memory;
}

/** The same, for tests that open many: `close` gives the files back before the test ends. */
export async function openMemoryForTest(deps: TestMemoryDeps): Promise<OpenMemory> {
  const folder = mkdtempSync(join(tmpdir(), "earshot-memory-"));
  const { close, ...opened } = await openMemoryIn(folder, deps);
  let isOpen = true;
  const closeOnce = () => {
    if (isOpen) close();
    isOpen = false;
    rmSync(folder, { recursive: true, force: true });
  };
  onTestFinished(closeOnce);
  return { ...opened, close: closeOnce };
}

/** What was remembered in a folder, or a new memory. `wrap` may make the stores fail. */
export async function openMemoryIn(
  folder: string,
  deps: TestMemoryDeps,
  wrap: <Store extends object>(store: Store) => Store = (store) => store,
): Promise<OpenMemory> {
  const database = await openTestDatabase(join(folder, "earshot.db"));
  const keyFile = await openTestKeys(join(folder, "keys.db"), mintId);
  const close = () => {
    database.close();
    keyFile.close();
  };
  try {
    const stores = { facts: wrap(createFactStore(database)), keys: wrap(keyFile) };
    return { ...(await openMemoryOn(stores, deps)), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The same on open stores. */
export async function openMemoryOn({ facts, keys }: Pick<VaultDeps, "facts" | "keys">, deps: TestMemoryDeps) {
  const optOuts = { load: async () => [] };
  const chance = { bytes: (count: number) => randomBytes(count), id: mintId };
  const vault = await openFactVault({ facts, keys, optOuts, chance, clock: deps.clock, log: quiet });
  const markOf = (userId: UserId) => deriveMark(MARK_KEY, userId);
  const consent = {
    isLeftOut: (userId: UserId) => deps.consent.isLeftOut(userId),
    isMarkLeftOut: (mark: string) => deps.consent.leftOut().some((id) => markOf(id) === mark),
  };
  const watch = new FactWatch({ clock: deps.clock, consent, keptMs: 3_600_000 });
  const openAgain = () => new Memory({ vault, facts, watch, consent, markOf, clock: deps.clock });
  return { memory: openAgain(), openAgain, vault };
}
