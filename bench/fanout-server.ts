import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { generateCommunity, openSandbox } from "../sandbox/index.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../src/domain/ids.ts";
import { type Message, toTypedParts } from "../src/domain/message.ts";
import { OPERATOR_GRANT } from "../src/policy/grant.ts";
import type { DiscordEvent } from "../src/ports/discord.ts";
import { createRpcTransport } from "../src/transports/rpc/rpc-transport.ts";
import { createTestPersonMemory, createTestPrivacy } from "../test/support/consent.ts";
import { openProduct } from "./product.ts";

/** What the parent orders: so many messages a second for so long. */
export interface FanoutOrder {
  readonly perSecond: number;
  readonly seconds: number;
  /** Every so many messages, one addresses the agent. */
  readonly addressedEvery: number;
}

export interface FanoutReport {
  readonly messages: number;
  readonly addressed: number;
  readonly cpuMs: number;
  /** The longest time for which the event loop served nothing else. */
  readonly maxBlockMs: number;
}

/** The server in a process of its own. Messages come from a timer instead of the gateway, so that only decisions and delivery are measured. */
const log = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => Date.now() };
const sandbox = await openSandbox({ community: generateCommunity({ seed: 1, messages: 100 }), rateLimits: false });
const { core, discord, folder } = await openProduct(sandbox, clock);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const listeners = new Set<(event: DiscordEvent) => void>();
const transport = createRpcTransport({
  ...core,
  privacy: createTestPrivacy(),
  personMemory: createTestPersonMemory(),
  listen(listener) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  /** Tokens are "all-7" or "addressed-7". A grant of its own for each client: they are equal only in value. */
  authenticate: (name) => {
    const events = name.startsWith("all") ? "all" : "addressed";
    return { name, grant: { ...OPERATOR_GRANT, guilds: [guildId], events } };
  },
  clock,
  log,
  mintId: randomUUID,
});
const server = createServer((_, response) => response.end("ok")).on("upgrade", transport.handleUpgrade);
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

const channelId = sandbox.community.channels.get("c0") as ChannelId;
const guildId = discord.directory.channel(channelId)?.guildId as GuildId;
const author = { id: sandbox.as("p0").id as UserId, name: "p0", bot: false };
const FILLING = "the tide table for tomorrow is on the board by the fuel dock".repeat(4);

function toMessage(number: number): Message {
  const id = String(1_400_000_000_000_000_000n + BigInt(number));
  const content = `#${number} @${(performance.timeOrigin + performance.now()).toFixed(2)} ${FILLING}`;
  return {
    message_id: id as MessageId,
    channel_id: channelId,
    guild_id: guildId,
    thread_id: null,
    link: `https://discord.com/channels/${guildId}/${channelId}/${id}`,
    author,
    ts: new Date().toISOString(),
    edited_ts: null,
    kind: "text",
    content,
    parts: toTypedParts(content),
    reply_to: null,
    attachments: [],
  };
}

async function run({ perSecond, seconds, addressedEvery }: FanoutOrder): Promise<FanoutReport> {
  const total = perSecond * seconds;
  const start = performance.now();
  const cpu = process.cpuUsage();
  let [sent, addressedCount, maxBlockMs, lastTurn] = [0, 0, 0, start];
  const watch = setInterval(() => {
    const now = performance.now();
    maxBlockMs = Math.max(maxBlockMs, now - lastTurn - 5);
    lastTurn = now;
  }, 5);
  while (sent < total) {
    const due = Math.min(total, Math.floor(((performance.now() - start) * perSecond) / 1000));
    while (sent < due) {
      sent += 1;
      const addressed = sent % addressedEvery === 0;
      addressedCount += Number(addressed);
      for (const listener of listeners) listener({ type: "message", message: toMessage(sent), addressed });
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  clearInterval(watch);
  const { user, system } = process.cpuUsage(cpu);
  return { messages: total, addressed: addressedCount, cpuMs: (user + system) / 1000, maxBlockMs };
}

process.on("disconnect", () => process.exit(0));
process.on("message", async (order: FanoutOrder) => process.send?.(await run(order)));
process.send?.({ port: (server.address() as AddressInfo).port });
