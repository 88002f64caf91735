import { fork } from "node:child_process";
import { createDecipheriv, createSecretKey, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openDocuments } from "../src/documents/open-documents.ts";
import type { RememberRequest } from "../src/domain/memory/remember-request.ts";
import { createCore } from "../src/gate/create-core.ts";
import { FactWatch } from "../src/memory/fact-watch.ts";
import { Memory } from "../src/memory/memory.ts";
import { openAudit } from "../src/policy/audit.ts";
import { OPERATOR_GRANT, SCOPES } from "../src/policy/grant.ts";
import type { Operation } from "../src/policy/operation.ts";
import { rulesSchema } from "../src/policy/rules.ts";
import { createAuditStore } from "../src/stores/audit-store.ts";
import { openMessageIndex } from "../src/stores/sqlite/message-index.ts";
import { tools } from "../src/tools/index.ts";
import { createTestConsent } from "../test/support/consent.ts";
import { PlainDiscord } from "../test/support/plain-discord.ts";
import { median, printTable, type Row } from "../test/support/table.ts";
import { openTimelinesAndSearch } from "../test/support/timelines-and-search.ts";
import { clock, closeStores, openStores, quiet } from "./fact-stores.ts";
import { describeHarbour, FACTS_PER_PERSON, HERE, idOf, memberAt, mintId, sentenceOf, VISIBLE } from "./many-facts.ts";
import { PASSAGES, writePassages } from "./many-passages.ts";

/** What is remembered about very many people: reads and searches through the gate, writes, erasures and the start, on files. */
const wanted = process.argv.find((argument) => argument.startsWith("--facts="))?.slice("--facts=".length);
const PEOPLE = Math.round(Number(wanted ?? 100_000) / FACTS_PER_PERSON);
const STARTS = 5;
const ERASED = 100;
const WARMING = 3_000;

const folder = mkdtempSync(join(tmpdir(), "earshot-bench-"));
const marks = { isLeftOut: () => false, isMarkLeftOut: () => false };

interface Measured {
  /** Sorted. */
  readonly times: readonly number[];
  /** Of the processor, for one. */
  readonly cpuMs: number;
}

async function measure(
  count: number,
  work: (index: number) => unknown,
  prepare: (index: number) => unknown = () => {},
): Promise<Measured> {
  const times: number[] = [];
  let cpu = 0;
  for (let index = 0; index < count; index += 1) {
    await prepare(index);
    // In a turn of the event loop of its own, as requests come.
    await setImmediate();
    // To ask for the time of the processor takes some itself.
    const before = process.cpuUsage();
    const start = performance.now();
    await work(index);
    times.push(performance.now() - start);
    const { user, system } = process.cpuUsage(before);
    cpu += user + system;
  }
  return { times: times.sort((a, b) => a - b), cpuMs: cpu / 1_000 / count };
}

function toRow(what: string, { times, cpuMs }: Measured, note: string): Row {
  const at = (part: number) => (times[Math.floor(times.length * part)] ?? 0).toFixed(2);
  return { what, figure: `p95 ${at(0.95)} ms`, note: `p50 ${at(0.5)} ms, CPU ${cpuMs.toFixed(2)} ms; ${note}` };
}

/** In a process of its own: what filling the files leaves in memory would be collected while other things are measured, and a start is the first thing a program does. */
async function run(work: "fill" | "start", name: string, ...more: string[]): Promise<number> {
  const file = fileURLToPath(new URL("./fact-files.ts", import.meta.url));
  const child = fork(file, [work, join(folder, name), ...more]);
  const [told, [code]] = await Promise.all([once(child, "message"), once(child, "exit")]);
  if (code !== 0) throw new Error(`could not ${work} ${name}`);
  return told[0];
}

async function measureStarts(name: string): Promise<readonly number[]> {
  const times: number[] = [];
  for (let count = 0; count < STARTS; count += 1) times.push(await run("start", name));
  return times.sort((a, b) => a - b);
}

for (const name of ["full", "empty"]) mkdirSync(join(folder, name));
const filling = performance.now();
const count = await run("fill", "full", String(PEOPLE));
await run("start", "empty");
const sizeOf = (file: string) => `${Math.round(statSync(join(folder, "full", file)).size / 2 ** 20)} MiB`;
console.log(
  `${count.toLocaleString("en")} facts in ${Math.round((performance.now() - filling) / 1_000)} s: earshot.db ${sizeOf("earshot.db")}, keys.db ${sizeOf("keys.db")}`,
);
const [startFull, startEmpty] = [await measureStarts("full"), await measureStarts("empty")];

const stores = await openStores(join(folder, "full"));
const { database, facts, vault } = stores;
const watch = new FactWatch({ clock, consent: marks, keptMs: 3_600_000 });
const memory = new Memory({ vault, facts, watch, consent: marks, markOf: (id) => id, clock });
const audit = await openAudit(createAuditStore(database), { key: randomBytes(32), clock, log: quiet, mintId });
const discord = new PlainDiscord(describeHarbour(), clock, {});
const timelines = openTimelinesAndSearch(
  { readsAhead: false },
  { discord, openIndex: openMessageIndex, clock, log: quiet },
);
const handbook = join(folder, "documents");
writePassages(handbook);
const documents = await openDocuments([
  { folder: handbook, name: "handbook", audience: { kind: "guild", id: HERE.guildId } },
]);
if (documents.stats().passages !== PASSAGES) throw new Error("not all passages were read");
const plenty = { actor: 1e9 };
const rules = rulesSchema.parse({
  memory: { people: "shared" },
  limits: { callsPerMinute: plenty, scansPerMinute: plenty, summariesPerHour: plenty },
});
const core = createCore({
  ...{ tools, discord, timelines, search: timelines, rules, audit, clock, mintId, memory, documents },
  consent: createTestConsent(),
});
const client = { name: "bench", grant: { ...OPERATOR_GRANT, scopes: [...SCOPES] } };
const open = (person: number, isPrivate: boolean) =>
  core.operations.open(client, { actor: memberAt(person), channelId: HERE.channelId, isPrivate });
async function call(operation: Operation, name: string, args: { query?: string }) {
  const { text } = await core.gate.callTool({ name, args, operation, wantsText: true });
  if (!text?.includes("number")) throw new Error(`${name} gave nothing: ${text}`);
}
/** Each is a request of its own. */
const ask = async (person: number, name: string, { isPrivate, ...args }: { isPrivate: boolean; query?: string }) =>
  call(await open(person, isPrivate), name, args);

/** A person's facts by the primary keys of both, and nothing else: no look-up by person, no checks, no audit. */
function measureBare(): Promise<Measured> {
  const [rows, keys] = ["earshot.db", "keys.db"].map(
    (file) => new DatabaseSync(join(folder, "full", file), { readOnly: true }),
  );
  const read = rows?.prepare("SELECT value_json FROM memory_facts WHERE id = ?");
  const readKey = keys?.prepare("SELECT key FROM keys WHERE slot = ?");
  const idsOf = rows?.prepare(
    "SELECT id FROM memory_facts WHERE subject_id = ? GROUP BY key, audience_ref HAVING version = max(version)",
  );
  let ids: string[] = [];
  const open = () => {
    for (const [at, id] of ids.entries()) {
      const sealed = Buffer.from(String(read?.get(id)?.["value_json"]), "base64");
      const key = createSecretKey(readKey?.get(1 + ((at * 104_729) % count))?.["key"] as Uint8Array);
      // Any key takes as long as the right one, when the tag is not looked at.
      createDecipheriv("aes-256-gcm", key, sealed.subarray(1, 13)).update(sealed.subarray(13, -16));
    }
  };
  return measure(2_000, open, (index) => {
    ids = idsOf?.all(memberAt(index)).map(({ id }) => String(id)) ?? [];
  });
}

const request = (person: number, index: number): RememberRequest => ({
  ...{ scope: "user", scopeId: idOf(person), subjectId: idOf(person), guildId: null, visibility: "private" },
  ...{ home: { kind: "person", id: idOf(person) }, name: `new ${index}`, value: sentenceOf(index) },
  basis: [{ type: "typed", ref: "1", isOwn: true, authorId: null, words: "" }],
  ...{ createdBy: idOf(person), verification: "user_confirmed", confidence: 1, expiresAt: null, ends: [] },
});
const projectRequest = (index: number): RememberRequest => ({
  ...request(5, index),
  ...{ scope: "project", scopeId: HERE.channelId, subjectId: null, guildId: HERE.guildId, visibility: "project" },
  home: { kind: "channel", id: HERE.channelId },
});
const anybody = (index: number) => Math.floor(PEOPLE / 2) + ((index * 7_919) % Math.floor(PEOPLE / 2));

const rows: Row[] = [];
rows.push(
  toRow(
    "by primary key, opened",
    await measureBare(),
    "a person's current facts, nothing else: the limit of SQLite and AES here",
  ),
);
const GET_FACTS = "memory_read.get_user_facts";
const getFacts = (index: number) => ask(index, GET_FACTS, { isPrivate: true });
// A program that runs for long has compiled what it uses often. Nobody of these is asked about again.
await measure(WARMING, getFacts);
let operation = await open(0, true);
const begin = async (index: number) => {
  operation = await open(WARMING + index, true);
  await audit.settled();
};
rows.push(
  toRow(
    "get_user_facts",
    await measure(1_000, () => call(operation, GET_FACTS, {}), begin),
    "one's own 16 looked up and 7 of them told, nothing of them in memory, through the gate, after 3,000 others; goal: p95 2 ms",
  ),
);
rows.push(
  toRow(
    "get_user_facts, with its operation",
    await measure(1_000, (index) => getFacts(WARMING + 1_000 + index)),
    "which is opened first",
  ),
);
const search = (index: number) =>
  ask(index, "memory_read.search_context", { isPrivate: false, query: `berth ${index}` });
rows.push(toRow("search_context, the first", await measure(1, search), "nothing of it was read before"));
rows.push(
  toRow(
    "search_context",
    await measure(100, search),
    `over ${VISIBLE.toLocaleString("en")} visible facts, a tenth on messages, and ${PASSAGES.toLocaleString("en")} passages; goal: p95 30 ms`,
  ),
);
const remember = (index: number) => memory.remember(request(anybody(index), index));
rows.push(
  toRow(
    "search_context, after others' changes",
    await measure(40, search, remember),
    "somebody had something private remembered before each",
  ),
);
const rememberShared = (index: number) => memory.remember(projectRequest(index));
rows.push(
  toRow(
    "search_context, after a change here",
    await measure(40, search, rememberShared),
    "something shared was remembered before each",
  ),
);
rows.push(toRow("a private fact remembered", await measure(200, (index) => remember(1_000 + index)), "synced"));
rows.push(toRow("a project's fact remembered", await measure(20, (index) => rememberShared(1_000 + index)), "synced"));
rows.push(
  toRow(
    "everything about a person erased",
    await measure(ERASED, (index) => memory.erase(idOf(anybody(index)))),
    "with its keys, scrubbed; goal: p95 100 ms",
  ),
);
await documents.close();
await timelines.close();
await audit.close();
closeStores(stores);
const more = median(startFull) - median(startEmpty);
rows.push({
  what: "start",
  figure: `${Math.round(more)} ms more`,
  note: `${Math.round(median(startFull))} ms, every fact has its key; ${Math.round(median(startEmpty))} ms with none; goal: 300 ms more`,
});
printTable(`${count.toLocaleString("en")} facts of ${PEOPLE.toLocaleString("en")} people`, rows);

rmSync(folder, { recursive: true });
process.exit(0);
