import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { EarshotError } from "../../src/domain/errors.ts";
import type { GuildId, UserId } from "../../src/domain/ids.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { openSpending, type Spending, type SpendingLimits } from "../../src/policy/spending.ts";
import type { SpendStore } from "../../src/ports/spend-store.ts";
import { createSpendStore } from "../../src/stores/spend-store.ts";
import { openTestDatabase } from "./test-database.ts";

export interface TestSpending {
  /** The one that is open now. */
  readonly spending: Spending;
  readonly store: SpendStore;
  readonly clock: { now(): number; time: number };
  /** What was logged as an error. */
  readonly errors: string[];
  /** Ends the program and starts it again. */
  restart(): Promise<void>;
}

/** 2026-01-01T12:00Z. */
export const NOON = Date.UTC(2026, 0, 1, 12);
const LIMITS = {
  ...{ tokensPerAnswer: 50, tokensPerPersonHour: 100, tokensPerServerDay: 1_500 },
  tokensPerClientDay: 150,
};

/** Spending with a real file, until the test ends. */
export async function openTestSpending(
  limits: Partial<SpendingLimits> = {},
  wrap: (store: SpendStore) => SpendStore = (store) => store,
): Promise<TestSpending> {
  const folder = mkdtempSync(join(tmpdir(), "earshot-spending-"));
  const clock = { time: NOON, now: () => clock.time };
  const errors: string[] = [];
  const log = { debug() {}, info() {}, warn() {}, error: (_: object, message: string) => void errors.push(message) };
  const open = async () => {
    const database = await openTestDatabase(join(folder, "earshot.db"));
    const store = wrap(createSpendStore(database));
    const deps = { store, timeZone: "UTC", clock, log };
    return { database, store, spending: await openSpending({ ...LIMITS, ...limits }, deps) };
  };
  const close = async () => {
    await opened.spending.close();
    opened.database.close();
  };
  let opened = await open();
  onTestFinished(async () => {
    await close();
    rmSync(folder, { recursive: true });
  });
  return {
    get spending() {
      return opened.spending;
    },
    get store() {
      return opened.store;
    },
    clock,
    errors,
    async restart() {
      await close();
      opened = await open();
    },
  };
}

/** An operation of which only the person, the server and the client matter; null for direct messages. */
export function operationOf(actor: string, guildId: string | null = "g", client = "agent"): Operation {
  return {
    client: { name: client },
    actor: actor as UserId,
    origin: { guildId: guildId as GuildId | null },
  } as Operation;
}

/** Undefined when nothing was thrown. */
export function refusalOf(work: () => unknown): EarshotError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error as EarshotError;
  }
}
