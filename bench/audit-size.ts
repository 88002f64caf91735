import { openSandbox, sampleCommunity } from "../sandbox/index.ts";
import type { ChannelId, UserId } from "../src/domain/ids.ts";
import { printTable, type Row } from "../test/support/table.ts";
import { openProduct } from "./product.ts";

const CALLS = 1_000;
const OPERATION_MS = 15 * 60_000;
const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
const sandbox = await openSandbox({ community: sampleCommunity(), rateLimits: false });
const channel_id = sandbox.community.channels.get("general") as ChannelId;
const request = { actor: sandbox.as("sarah").id as UserId, channelId: channel_id };

/** Each call in an operation of its own, as when a brain is addressed and looks once. */
async function bytesPerCall(name: string, args: object): Promise<string> {
  const product = await openProduct(sandbox, clock);
  const { core, audit, database, client } = product;
  const before = await database.usedBytes();
  for (let call = 0; call < CALLS; call += 1)
    await core.gate.callTool({ name, args, operation: await core.operations.open(client, request) });
  await audit.settled();
  const bytes = (await database.usedBytes()) - before;
  clock.ahead += OPERATION_MS;
  // There are only reads, so everything goes.
  await audit.thin({ maxBytes: 1, confined: { clients: [], keptMs: 0 } });
  const thinned = (await database.usedBytes()) - before;
  await product.close();
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
