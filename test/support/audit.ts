import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Audit, openAudit } from "../../src/policy/audit.ts";
import type { AuditEntry } from "../../src/ports/audit-store.ts";
import { createAuditStore } from "../../src/stores/sqlite/audit-store.ts";
import { openTestDatabase } from "./test-database.ts";

/** A real one, in a file that goes with the test. Remembers what was noted. */
export async function openTestAudit(): Promise<{ audit: Audit; entries: AuditEntry[] }> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-audit-"));
  const database = await openTestDatabase(join(folder, "earshot.db"));
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const clock = { now: () => Date.now() };
  const audit = await openAudit(createAuditStore(database), { key: randomBytes(32), clock, log, mintId: randomUUID });
  onTestFinished(async () => {
    await audit.close();
    database.close();
    await rm(folder, { recursive: true, force: true });
  });
  const entries: AuditEntry[] = [];
  const note = (entry: AuditEntry) => {
    entries.push(entry);
    audit.note(entry);
  };
  return { audit: { ...bound(audit), note }, entries };
}

function bound(audit: Audit): Audit {
  return {
    note: (entry) => audit.note(entry),
    settled: () => audit.settled(),
    hash: (text) => audit.hash(text),
    prune: (before) => audit.prune(before),
    thin: (bound) => audit.thin(bound),
    close: () => audit.close(),
  };
}

/** Keeps everything in a list, for tests that make thousands of worlds. */
export function listAudit(before: readonly AuditEntry[] = []): Audit & { readonly entries: AuditEntry[] } {
  const entries = [...before];
  return {
    entries,
    note: (entry) => void entries.push(entry),
    settled: async () => {},
    hash: (text) => createHash("sha256").update(text).digest("hex"),
    prune: async () => 0,
    thin: async () => ({ rows: 0, clients: [], bytes: 0 }),
    close: async () => {},
  };
}
