import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSandbox, sampleCommunity } from "../sandbox/index.ts";
import { openDiscord } from "../src/discord/open-discord.ts";
import type { ChannelId, UserId } from "../src/domain/ids.ts";
import { createCore } from "../src/gate/create-core.ts";
import { openAudit } from "../src/policy/audit.ts";
import { OPERATOR_GRANT } from "../src/policy/grant.ts";
import { rulesSchema } from "../src/policy/rules.ts";
import { createAuditStore } from "../src/stores/sqlite/audit-store.ts";
import { openDurableDatabase } from "../src/stores/sqlite/durable-database.ts";
import { openMessageIndex } from "../src/stores/sqlite/message-index.ts";
import { tools } from "../src/tools/index.ts";
import { createTestConsent } from "../test/support/consent.ts";
import { printTable, type Row } from "../test/support/table.ts";
import { openTimelinesAndSearch } from "../test/support/timelines-and-search.ts";

const CALLS = 1_000;
const OPERATION_MS = 15 * 60_000;
const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
const log = { debug() {}, info() {}, warn() {}, error() {} };
const plenty = { actor: 1e9 };
const rules = rulesSchema.parse({ limits: { callsPerMinute: plenty, scansPerMinute: plenty } });
const mintId = () => randomBytes(18).toString("hex");

const sandbox = await openSandbox({ community: sampleCommunity(), rateLimits: false });
const features = { members: true, messageContent: true, reactions: true, directMessages: true };
const discord = await openDiscord(
  { api: sandbox.api, token: sandbox.token, features },
  { clock, log, lastHeard: { load: async () => null, save: async () => {} } },
);
const timelines = openTimelinesAndSearch({}, { discord, openIndex: openMessageIndex, clock, log });
const channel_id = sandbox.community.channels.get("general") as ChannelId;
const request = { actor: sandbox.as("sarah").id as UserId, channelId: channel_id };
const client = { name: "bench", grant: OPERATOR_GRANT };

/** Each call in an operation of its own, as when a brain is addressed and looks once. */
async function bytesPerCall(name: string, args: object): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "earshot-bench-"));
  const database = await openDurableDatabase(join(folder, "earshot.db"));
  const audit = await openAudit(createAuditStore(database), { key: randomBytes(32), clock, log, mintId });
  const { gate, operations } = createCore({
    consent: createTestConsent(),
    tools,
    discord,
    timelines,
    search: timelines,
    rules,
    audit,
    clock,
    mintId,
  });
  const before = await database.usedBytes();
  for (let call = 0; call < CALLS; call += 1)
    await gate.callTool({ name, args, operation: await operations.open(client, request) });
  await audit.settled();
  const bytes = (await database.usedBytes()) - before;
  clock.ahead += OPERATION_MS;
  // There are only reads, so everything goes.
  await audit.thin({ maxBytes: 1, confined: { clients: [], keptMs: 0 } });
  const thinned = (await database.usedBytes()) - before;
  await audit.close();
  database.close();
  rmSync(folder, { recursive: true });
  return `${(bytes / CALLS / 1000).toFixed(2)} KB, thinned ${Math.round(thinned / CALLS)} bytes`;
}

const rows: Row[] = [];
for (const [name, args] of [
  ["discord.channel.messages", { channel_id, limit: 1 }],
  ["discord.channel.messages", { channel_id, limit: 15 }],
  ["discord.channel.messages", { channel_id, limit: 50 }],
  ["search_messages", { query: "turtle" }],
  ["discord.guild.channels", { guild_id: sandbox.community.guild.id }],
] as const)
  rows.push({ what: `${name} ${JSON.stringify(args).slice(0, 60)}`, figure: await bytesPerCall(name, args) });
printTable("The audit on disk, a call", rows);
process.exit(0);
