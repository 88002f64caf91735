import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Audit, openAudit } from "../../src/policy/audit.ts";
import type { AuditEntry, AuditStore, SentMessage, ShownEntry } from "../../src/ports/audit-store.ts";
import { toShown } from "../../src/ports/packed-reads.ts";
import { createAuditStore } from "../../src/stores/audit-store.ts";
import type { Database } from "../../src/stores/database.ts";
import { openTestDatabase } from "./test-database.ts";

/** Where the audit goes on after a restart, the key is the same. */
const KEY = randomBytes(32);

/** A real one, in a file that goes with the test unless a database is given. Remembers what was noted. */
export async function openTestAudit(
  given?: Database,
): Promise<{ audit: Audit; entries: ShownEntry[]; store: AuditStore }> {
  const folder = given ? null : await mkdtemp(join(tmpdir(), "earshot-audit-"));
  const database = given ?? (await openTestDatabase(join(folder ?? "", "earshot.db")));
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const clock = { now: () => Date.now() };
  const store = createAuditStore(database);
  const audit = await openAudit(store, { key: KEY, clock, log, mintId: randomUUID });
  onTestFinished(async () => {
    await audit.close();
    if (folder === null) return;
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });
  const entries: ShownEntry[] = [];
  const note = (entry: AuditEntry) => {
    entries.push(...toShown(entry));
    audit.note(entry);
  };
  return { audit: { ...bound(audit), note }, entries, store };
}

function bound(audit: Audit): Audit {
  return {
    note: (entry) => audit.note(entry),
    settled: () => audit.settled(),
    hash: (text) => audit.hash(text),
    sent: (messageId) => audit.sent(messageId),
    prune: (before) => audit.prune(before),
    thin: (bound) => audit.thin(bound),
    noteOthers: () => audit.noteOthers(),
    close: () => audit.close(),
  };
}

/** Keeps everything in a list, for tests that make thousands of worlds. */
export function listAudit(before: readonly ShownEntry[] = []): Audit & { readonly entries: ShownEntry[] } {
  const entries = [...before];
  return {
    entries,
    note: (entry) => void entries.push(...toShown(entry)),
    settled: async () => {},
    hash: (text) => createHash("sha256").update(text).digest("hex"),
    sent: async (messageId) => sentIn(entries, messageId),
    prune: async () => 0,
    thin: async () => ({ rows: 0, clients: [], bytes: 0 }),
    noteOthers: async () => {},
    close: async () => {},
  };
}

function sentIn(entries: readonly ShownEntry[], messageId: string): SentMessage[] {
  const operations = new Map(
    entries.flatMap(({ kind, row }) => (kind === "operation" ? [[row.id, row] as const] : [])),
  );
  return entries.flatMap(({ kind, row }) => {
    if (kind !== "event" || !/^send_(?:done|found)$/.test(row.name)) return [];
    const { message_id, channel_id, answer } = JSON.parse(row.detail_json) as Readonly<Record<string, unknown>>;
    const operation = operations.get(row.operation_id);
    if (!operation || message_id !== messageId) return [];
    const { client, actor_id } = operation;
    return [{ client, actorId: actor_id, channelId: String(channel_id), isAnswer: answer === true }];
  });
}
