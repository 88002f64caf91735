import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Sandbox } from "../sandbox/index.ts";
import { openDiscord } from "../src/discord/open-discord.ts";
import type { ChannelId, MessageId, UserId } from "../src/domain/ids.ts";
import type { ToolAnswer, ToolCall } from "../src/gate/call/tool-call.ts";
import { type Core, createCore } from "../src/gate/create-core.ts";
import { type Audit, openAudit } from "../src/policy/audit.ts";
import { OPERATOR_GRANT } from "../src/policy/grant.ts";
import type { Client } from "../src/policy/operation.ts";
import { rulesSchema } from "../src/policy/rules.ts";
import type { Clock } from "../src/ports/clock.ts";
import type { Discord } from "../src/ports/discord.ts";
import { createAuditStore } from "../src/stores/audit-store.ts";
import type { Database } from "../src/stores/database.ts";
import { openMessageIndex } from "../src/stores/sqlite/message-index.ts";
import { openDurableDatabase } from "../src/stores/sqlite/open-sqlite.ts";
import type { TimelineOptions } from "../src/timeline/options.ts";
import { tools } from "../src/tools/index.ts";
import { createTestConsent } from "../test/support/consent.ts";
import { openTimelinesAndSearch, type TimelinesAndSearch } from "../test/support/timelines-and-search.ts";

/** Everything but a transport, freshly started: the edge, the timelines with their usual bounds, the gate and its audit. */
export interface Product {
  readonly discord: Discord;
  readonly timelines: TimelinesAndSearch;
  readonly core: Core;
  readonly audit: Audit;
  readonly database: Database;
  /** Where the database is. */
  readonly folder: string;
  readonly client: Client;
  /** A tool for a person, who asks in a channel and alone reads the answer. Each is a request of its own. */
  ask(question: Question): Promise<ToolAnswer>;
  close(): Promise<void>;
}

export interface Question extends Pick<ToolCall, "name" | "args" | "signal" | "onProgress"> {
  readonly actor: string;
  readonly channelId: string;
  /** The message that asked, where one did. */
  readonly messageId?: string;
}

const features = { members: true, messageContent: true, reactions: true, directMessages: true };
const log = { debug() {}, info() {}, warn() {}, error() {} };
const plenty = { actor: 1e9 };
export const rules = rulesSchema.parse({
  limits: { callsPerMinute: plenty, scansPerMinute: plenty, summariesPerHour: plenty },
});

export async function openProduct(
  { api, token }: Pick<Sandbox, "api" | "token">,
  clock: Clock,
  options: Partial<TimelineOptions> = {},
): Promise<Product> {
  const lastHeard = { load: async () => null, save: async () => {} };
  const discord = await openDiscord({ api, token, features }, { clock, log, lastHeard });
  // People are known by name once all members have been told of, a moment after the start.
  while (!discord.directory.guilds().every(({ membersComplete }) => membersComplete)) await sleep(5);
  const timelines = openTimelinesAndSearch(options, { discord, openIndex: openMessageIndex, clock, log });
  const folder = mkdtempSync(join(tmpdir(), "earshot-bench-"));
  const database = await openDurableDatabase(join(folder, "earshot.db"));
  const key = randomBytes(32);
  const audit = await openAudit(createAuditStore(database), { key, clock, log, mintId: randomUUID });
  const core = createCore({
    consent: createTestConsent(),
    tools,
    discord,
    timelines,
    search: timelines,
    rules,
    audit,
    clock,
    mintId: randomUUID,
  });
  const client = { name: "bench", grant: OPERATOR_GRANT };
  return {
    discord,
    timelines,
    core,
    audit,
    database,
    folder,
    client,
    async ask({ actor, channelId, messageId, ...call }) {
      const asked = messageId === undefined ? {} : { messageId: messageId as MessageId };
      const request = { actor: actor as UserId, channelId: channelId as ChannelId, isPrivate: true, ...asked };
      const operation = await core.operations.open(client, request);
      return core.gate.callTool({ ...call, operation, wantsText: true });
    },
    async close() {
      await timelines.close();
      await discord.close();
      await audit.close();
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
