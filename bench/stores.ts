import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import pg from "pg";
import type { ChannelId, UserId } from "../src/domain/ids.ts";
import { openAudit } from "../src/policy/audit.ts";
import type { StoredFact } from "../src/ports/fact-store.ts";
import { createAnswerStore } from "../src/stores/answer-store.ts";
import { createAuditStore } from "../src/stores/audit-store.ts";
import type { Database } from "../src/stores/database.ts";
import { createFactStore } from "../src/stores/fact-store.ts";
import { openPostgres } from "../src/stores/postgres/open-postgres.ts";
import { openDurableDatabase } from "../src/stores/sqlite/open-sqlite.ts";
import { quiet } from "./fact-stores.ts";
import { mintId } from "./many-facts.ts";

/** Both engines side by side, in turns: what one call waits for, in milliseconds. */
const { EARSHOT_TEST_DATABASE_URL: SERVER = "postgres://postgres@127.0.0.1:5432/test" } = process.env;
const SCHEMA = `earshot_bench_${process.pid}`;
const ROUNDS = 300;
const ROWS_PER_CALL = 12;
const PERSON = "11" as UserId;

const folder = mkdtempSync(join(tmpdir(), "earshot-stores-"));
const server = new pg.Client({ connectionString: SERVER, connectionTimeoutMillis: 1_000 });
const isThere = await server.connect().then(
  () => true,
  () => false,
);
if (isThere) await server.query(`CREATE SCHEMA ${SCHEMA}`);
else console.log("PostgreSQL is skipped: there is none at EARSHOT_TEST_DATABASE_URL or on this machine.");

const engines: (readonly [name: string, database: Database])[] = [
  ["SQLite", await openDurableDatabase(join(folder, "earshot.db"))],
];
if (isThere) {
  const address = new URL(SERVER);
  address.searchParams.set("options", `-c search_path=${SCHEMA}`);
  engines.push(["PostgreSQL", await openPostgres(address.href)]);
}

const worlds = await Promise.all(
  engines.map(async ([engine, database]) => {
    const [facts, answers] = [createFactStore(database), createAnswerStore(database)];
    await facts.change({
      add: Array.from({ length: 2_000 }, (_, at) => newFact({ id: `old ${at}`, scope_id: `${at % 100}` })),
    });
    const deps = { key: new Uint8Array(32), clock: { now: () => 1 }, log: quiet, mintId };
    const audit = await openAudit(createAuditStore(database), deps);
    const claim = { channelId: "1" as ChannelId, actorId: PERSON, operationId: "op", claimedAt: 1 };
    const steps: Readonly<Record<string, (round: number) => Promise<unknown>>> = {
      "a round trip": () => database.query("SELECT 1 AS one"),
      "read a person's 20 facts": () => facts.find({ scopeType: "user", scopeId: "11" }, { limit: 100 }),
      "keep a fact": (round) => facts.change({ add: [newFact({ id: `${round}`, scope_id: "new" })] }),
      "claim a question": (round) => answers.claim({ ...claim, questionId: `${round}` }),
      [`audit a call of ${ROWS_PER_CALL} rows`]: async (round) => {
        for (let row = 0; row < ROWS_PER_CALL; row += 1)
          audit.note({
            kind: "event",
            row: { operation_id: `${round}`, name: "x", detail_json: "{}", happened_at: 1 },
          });
        await audit.settled();
      },
    };
    return { engine, steps, close: () => audit.close().then(() => database.close()) };
  }),
);

function newFact({ id, scope_id }: { readonly id: string; readonly scope_id: string }): StoredFact {
  const scope = { scope_type: "user", scope_id, subject_id: PERSON, guild_id: null, audience_ref: null } as const;
  const sealed = { key: "k".repeat(44), value_json: "v".repeat(200), visibility: "private" } as const;
  const rest = { created_by: PERSON, verification_status: "inferred", confidence: 1, expires_at: null } as const;
  const source = { type: "typed" as const, ref: "", hash: "h".repeat(43), isOwn: true };
  return {
    row: { id, ...scope, ...sealed, ...rest, created_at: 1, version: 1 },
    sources: [source],
  };
}

const times = new Map<string, number[]>();
for (let round = 0; round < ROUNDS; round += 1)
  for (const name of Object.keys(worlds[0]?.steps ?? {}))
    for (const { engine, steps } of worlds) {
      const from = performance.now();
      await steps[name]?.(round);
      const key = `${name} ${engine}`;
      times.set(key, [...(times.get(key) ?? []), performance.now() - from]);
    }
for (const name of Object.keys(worlds[0]?.steps ?? {})) {
  const cells = worlds.map(({ engine }) => {
    const sorted = (times.get(`${name} ${engine}`) ?? []).sort((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2).padStart(6);
    return `${engine} p50 ${at(0.5)}  p95 ${at(0.95)}`;
  });
  console.log(`  ${name.padEnd(26)} ${cells.join("   ")}`);
}
for (const { close } of worlds) await close();
if (isThere) await server.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
await server.end().catch(() => {});
rmSync(folder, { recursive: true });
