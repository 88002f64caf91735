import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Audit, openAudit } from "../../src/policy/audit.ts";
import type { AuditEntry, AuditStore } from "../../src/ports/audit-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Log } from "../../src/ports/log.ts";
import { createAuditStore } from "../../src/stores/audit-store.ts";
import type { Database } from "../../src/stores/database.ts";
import { openTestDatabase } from "../support/test-database.ts";

export const KEY = Buffer.alloc(32, 7);
export const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "earshot-audit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

export interface TestAudit {
  readonly audit: Audit;
  readonly store: AuditStore;
  readonly database: Database;
  /** Notes these, and waits until they are kept. */
  keep(entries: readonly AuditEntry[]): Promise<void>;
  close(): Promise<void>;
}

/** The audit over a real file. The caller closes it where it is opened more than a few times. */
export async function openTestAudit(
  file: string,
  more: { key?: Uint8Array; mostWaiting?: number; log?: Log; clock?: Clock } = {},
): Promise<TestAudit> {
  const database = await openTestDatabase(file);
  const store = createAuditStore(database);
  const deps = { key: KEY, clock: { now: () => 50_000 }, log: quiet, mintId: () => randomBytes(18).toString("hex") };
  const audit = await openAudit(store, { ...deps, ...more }).catch((error: unknown) => {
    database.close();
    throw error;
  });
  const close = async () => {
    await audit.close();
    database.close();
  };
  const keep = (entries: readonly AuditEntry[]) => {
    for (const entry of entries) audit.note(entry);
    return audit.settled();
  };
  return { audit, store, database, keep, close };
}
