import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ChannelId, GuildId, UserId } from "../src/domain/ids.ts";
import type { RememberRequest } from "../src/domain/memory/remember-request.ts";
import { type FactVault, openFactVault } from "../src/memory/fact-vault.ts";
import { FactWatch } from "../src/memory/fact-watch.ts";
import { toFactKeyName, toSubjectKeyName } from "../src/memory/key-names.ts";
import { hashKeyName } from "../src/memory/keyed-hashes.ts";
import { Memory } from "../src/memory/memory.ts";
import { KEY_BYTES, NONCE_BYTES } from "../src/memory/seal.ts";
import { hashSources, toStoredFact } from "../src/memory/to-stored-fact.ts";
import { OPERATOR_GRANT, SCOPES } from "../src/policy/grant.ts";
import type { FactStore, StoredFact } from "../src/ports/fact-store.ts";
import type { KeyStore } from "../src/ports/key-store.ts";
import { type DurableDatabase, openDurableDatabase } from "../src/stores/sqlite/durable-database.ts";
import { createFactStore } from "../src/stores/sqlite/fact-store.ts";
import { openKeyStore } from "../src/stores/sqlite/key-store.ts";
import { openInProcess } from "../test/support/in-process.ts";
import { openFolders } from "../test/support/plain-documents.ts";
import { ADA, BO, CEM, GUILD, PLACE, smallWorld } from "../test/support/small-world.ts";
import { perSecond, printTable } from "../test/support/table.ts";

/** What the promise costs: facts that are sealed and limited, beside the same on a plain table. */
const PEOPLE = 5_000;
const FACTS_EACH = 20;
const BATCH_PEOPLE = 100;

const folder = mkdtempSync(join(tmpdir(), "earshot-bench-"));
const clock = { now: () => Date.now() };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const mintId = () => randomBytes(18).toString("hex");
const consent = { isLeftOut: () => false, isMarkLeftOut: () => false };
const idOf = (person: number) => String(800_000_000_000_000_000n + BigInt(person)) as UserId;
const sentenceOf = (index: number) => `what was said about subject ${index}, in a sentence of the usual length`;

interface Stores {
  readonly database: DurableDatabase;
  readonly facts: FactStore;
  readonly keys: KeyStore;
}

async function openStores(): Promise<Stores> {
  const database = await openDurableDatabase(join(folder, "earshot.db"));
  const keys = openKeyStore(join(folder, "keys.db"), { mintStoreId: mintId });
  return { database, facts: createFactStore(database), keys };
}

function openVault({ facts, keys }: Stores): Promise<FactVault> {
  const chance = { bytes: (count: number) => randomBytes(count), id: mintId };
  return openFactVault({ facts, keys, optOuts: { load: async () => [] }, chance, clock, log: quiet });
}

interface Owner {
  readonly id: UserId;
  readonly facts: number;
  /** Null for facts that are private. */
  readonly guildId: GuildId | null;
}

const everybody = Array.from({ length: PEOPLE }, (_, person) => ({
  id: idOf(person),
  facts: FACTS_EACH,
  guildId: null,
}));

/** Past the vault, which writes one fact at a time. */
async function fill({ facts, keys }: Stores, owners: readonly Owner[]): Promise<void> {
  for (let first = 0; first < owners.length; first += BATCH_PEOPLE) {
    const newKeys = new Map<string, Uint8Array>();
    const add: StoredFact[] = [];
    for (const { id: owner, facts: count, guildId } of owners.slice(first, first + BATCH_PEOPLE)) {
      const subject = { scope_type: "user", scope_id: owner } as const;
      const subjectKey = randomBytes(KEY_BYTES);
      newKeys.set(toSubjectKeyName(subject), subjectKey);
      const place = guildId
        ? ({ guild_id: guildId, audience_ref: `guild:${guildId}`, visibility: "org" } as const)
        : ({ guild_id: null, audience_ref: null, visibility: "private" } as const);
      for (let index = 0; index < count; index += 1) {
        const [id, key] = [mintId(), randomBytes(KEY_BYTES)];
        newKeys.set(toFactKeyName(id), key);
        const row = {
          ...{ ...subject, ...place, id, subject_id: owner },
          ...{ key: hashKeyName(subjectKey, `key ${index}`), created_by: owner, confidence: 1, version: 1 },
          ...{
            verification_status: "user_confirmed" as const,
            expires_at: null,
            deleted_at: null,
            superseded_by: null,
          },
          ...{ created_at: clock.now(), updated_at: clock.now() },
        };
        const sources = hashSources(key, [{ source_type: "typed", source_ref: "1", is_own: true, words: "" }]);
        const content = { name: `key ${index}`, value: sentenceOf(index), authorMarks: [null] };
        const secrets = { key, storeId: keys.storeId, nonce: randomBytes(NONCE_BYTES) };
        add.push(toStoredFact({ row, sources, content }, secrets));
      }
    }
    await keys.add(newKeys);
    await facts.change({ add });
  }
}

function openPlain(): DatabaseSync {
  const plain = new DatabaseSync(join(folder, "plain.db"));
  plain.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE fact (id TEXT PRIMARY KEY, subject TEXT, key TEXT, value TEXT); CREATE INDEX of ON fact (subject)`);
  const insert = plain.prepare("INSERT INTO fact VALUES (?, ?, ?, ?)");
  plain.exec("BEGIN");
  for (let person = 0; person < PEOPLE; person += 1)
    for (let index = 0; index < FACTS_EACH; index += 1)
      insert.run(mintId(), idOf(person), `key ${index}`, JSON.stringify(sentenceOf(index)));
  plain.exec("COMMIT");
  return plain;
}

async function times(count: number, work: (index: number) => unknown): Promise<number[]> {
  const taken: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const start = performance.now();
    await work(index);
    taken.push(performance.now() - start);
  }
  return taken.sort((a, b) => a - b);
}

function spread(taken: readonly number[]): { figure: string; p50: string } {
  const at = (part: number) => (taken[Math.floor(taken.length * part)] ?? 0).toFixed(2);
  return { figure: `${at(0.95)} ms`, p50: `p95; p50 ${at(0.5)} ms` };
}

const request = (person: number, index: number): RememberRequest => ({
  ...{ scope: "user", scopeId: idOf(person), subjectId: idOf(person), guildId: null, visibility: "private" },
  ...{ home: { kind: "person", id: idOf(person) }, name: `new ${index}`, value: sentenceOf(index) },
  basis: [{ type: "typed", ref: "1", isOwn: true, authorId: null, words: "" }],
  ...{ createdBy: idOf(person), verification: "user_confirmed", confidence: 1, expiresAt: null, ends: [] },
});

const stores = await openStores();
await openVault(stores);
await fill(stores, everybody);
stores.database.close();
stores.keys.close();

const started = performance.now();
const again = await openStores();
const vault = await openVault(again);
const startMs = performance.now() - started;
const watch = new FactWatch({ clock, consent, keptMs: 3_600_000 });
const memory = new Memory({ vault, facts: again.facts, watch, consent, markOf: (id) => id, clock });
const plain = openPlain();
const select = plain.prepare("SELECT key, value FROM fact WHERE subject = ?");
const insert = plain.prepare("INSERT INTO fact VALUES (?, ?, ?, ?)");
const remove = plain.prepare("DELETE FROM fact WHERE subject = ?");
const anybody = (index: number) => (index * 7_919) % PEOPLE;

const read = spread(
  await times(2_000, async (index) => memory.open(await memory.find({ subjectId: idOf(anybody(index)) }))),
);
const readPlain = spread(
  await times(2_000, (index) =>
    select.all(idOf(anybody(index))).map(({ key, value }) => [key, JSON.parse(String(value))]),
  ),
);
const writes = await times(1_000, (index) => memory.remember(request(anybody(index), index)));
const writesPlain = await times(1_000, (index) =>
  insert.run(mintId(), idOf(anybody(index)), `new ${index}`, sentenceOf(index)),
);
const erased = spread(await times(100, (index) => memory.erase(idOf(anybody(index)))));
const erasedPlain = spread(await times(100, (index) => remove.run(idOf(anybody(index)))));

/** Through the gate, with its checks and its audit: what a client waits for. */
await fill(again, [
  { id: ADA as UserId, facts: 1_000, guildId: GUILD as GuildId },
  { id: BO as UserId, facts: 1_000, guildId: GUILD as GuildId },
  { id: CEM as UserId, facts: FACTS_EACH, guildId: null },
]);
const RULES = { memory: { people: "shared" }, limits: { callsPerMinute: { actor: 1_000_000 } } };
let gated = openInProcess(smallWorld(), { memory, rules: RULES });
const client = { name: "bench", grant: { ...OPERATOR_GRANT, scopes: [...SCOPES] } };
const callAs = async (name: string, args: object, isPrivate: boolean) => {
  const request = { actor: CEM as UserId, channelId: PLACE.general as ChannelId, isPrivate };
  const operation = await gated.operations.open(client, request);
  await gated.gate.callTool({ name, args, operation, wantsText: true });
};
const ownFacts = spread(await times(300, () => callAs("memory_read.get_user_facts", {}, true)));
const searched = spread(
  await times(200, (index) => callAs("memory_read.search_context", { query: `subject ${index}` }, false)),
);
await gated.close();

/** The same with documents beside them. */
const PASSAGES = 8_000;
const sections = (file: number) =>
  Array.from({ length: 100 }, (_, index) => `# Section ${file}-${index}\n\n${sentenceOf(file * 100 + index)}\n`);
const folders = await openFolders([
  {
    ...{ name: "handbook", audience: { kind: "guild", id: GUILD as GuildId } },
    files: Object.fromEntries(
      Array.from({ length: PASSAGES / 100 }, (_, file) => [`${file}.md`, sections(file).join("\n")]),
    ),
  },
]);
gated = openInProcess(smallWorld(), { memory, documents: folders.documents, rules: RULES });
const searchedAll = spread(
  await times(200, (index) => callAs("memory_read.search_context", { query: `subject ${index * 37}` }, false)),
);
const mistyped = spread(
  await times(100, (index) =>
    callAs("memory_read.search_context", { query: `sentense ${index} usuall lenght` }, false),
  ),
);
await gated.close();
await folders.close();
const sum = (taken: readonly number[]) => taken.reduce((total, one) => total + one, 0);

printTable(`Facts: ${(PEOPLE * FACTS_EACH).toLocaleString("en")} of ${PEOPLE.toLocaleString("en")} people`, [
  {
    what: "all facts of a person",
    figure: read.figure,
    note: `${read.p50}; goal: p95 2 ms; plain table ${readPlain.figure}`,
  },
  {
    what: "get_user_facts",
    figure: ownFacts.figure,
    note: `${ownFacts.p50}; one's own 20, through the gate; goal: p95 2 ms`,
  },
  {
    what: "search_context",
    figure: searched.figure,
    note: `${searched.p50}; over 2,000 facts that may be heard, through the gate; goal: p95 25 ms`,
  },
  {
    what: "search_context",
    figure: searchedAll.figure,
    note: `${searchedAll.p50}; over 2,000 facts and 8,000 passages that may be heard; goal: p95 60 ms; mistyped ${mistyped.figure}`,
  },
  {
    what: "facts written",
    figure: perSecond(writes.length, sum(writes)),
    note: `one after the other, synced; goal: 300/s; plain table ${perSecond(writesPlain.length, sum(writesPlain))}`,
  },
  {
    what: "a person erased",
    figure: erased.figure,
    note: `${erased.p50}; goal: p95 250 ms; plain table ${erasedPlain.figure}`,
  },
  {
    what: "start",
    figure: `${Math.round(startMs)} ms`,
    note: "checks that every fact has its key; goal: 1,000 ms more than without",
  },
]);
again.database.close();
again.keys.close();
plain.close();
rmSync(folder, { recursive: true });
