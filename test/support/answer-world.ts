import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { z } from "zod";
import { type Community, openSandbox, type Sandbox, sampleCommunity } from "../../sandbox/index.ts";
import type { AgentAnswer, Answerer, Toolbox } from "../../src/agent/answerer.ts";
import type { Turn } from "../../src/agent/turn.ts";
import { allowSharing, rememberSample } from "../../src/app/sample-facts.ts";
import { openDiscord } from "../../src/discord/open-discord.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../../src/domain/ids.ts";
import type { Message } from "../../src/domain/message.ts";
import { createCore } from "../../src/gate/create-core.ts";
import { Episodes } from "../../src/memory/episodes.ts";
import { OPERATOR_GRANT, SCOPES } from "../../src/policy/grant.ts";
import { rulesSchema } from "../../src/policy/rules.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { createEpisodeStore } from "../../src/stores/episode-store.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import { tools } from "../../src/tools/index.ts";
import type { searchMessages } from "../../src/tools/search-messages.ts";
import { listAudit } from "./audit.ts";
import { createTestConsent } from "./consent.ts";
import { openMemoryIn } from "./memory.ts";
import { openTestDatabase } from "./test-database.ts";
import { openTimelinesAndSearch } from "./timelines-and-search.ts";

/** A Friday afternoon on which the times that the sample community speaks of make sense. */
export const SAMPLE_NOW = Date.parse("2031-05-23T15:30:00.000Z");

const PLENTY = { actor: 1_000_000 };
const LIMITS = { callsPerMinute: PLENTY, scansPerMinute: PLENTY, summariesPerHour: PLENTY };
const GRANT = { ...OPERATOR_GRANT, scopes: [...SCOPES] };
const log = { debug() {}, info() {}, warn() {}, error() {} };

interface Asking {
  readonly text: string;
  /** Keys of the community; `dm` is the person's direct messages. */
  readonly as: string;
  readonly in: string;
  readonly isPrivate?: boolean;
  readonly isIsolated?: boolean;
  readonly before?: Turn | null;
  readonly about?: Message | null;
  /** Instead of the one that the world was opened with. */
  readonly answerer?: Answerer;
}

interface Answered {
  readonly answer: AgentAnswer;
  /** Every call in order, with the arguments as given. */
  readonly calls: readonly { readonly tool: string; readonly args: unknown }[];
}

export interface AnswerWorld {
  readonly sandbox: Sandbox;
  ask(asking: Asking): Promise<Answered>;
  /** The messages that a search finds, the best first. Somebody who asks from nowhere alone reads the answer. */
  search(
    asking: Pick<Asking, "text" | "as"> & { readonly in: string | null; readonly limit: number },
  ): Promise<Message[]>;
  /** Resolves when a message has arrived, and nothing is left to read. */
  heard(messageId: string): Promise<void>;
  close(): Promise<void>;
}

/** An answerer over the real gate, on the sample community or another, at a time that stands still, unless a clock is given. */
export async function openAnswerWorld(
  answerer: Answerer,
  community: Community = sampleCommunity(),
  now: number | Clock = SAMPLE_NOW,
): Promise<AnswerWorld> {
  const clock = typeof now === "number" ? { now: () => now } : now;
  const sandbox = await openSandbox({ community, clock, rateLimits: false });
  const folder = mkdtempSync(join(tmpdir(), "earshot-answers-"));
  const features = { members: true, messageContent: true, reactions: true, directMessages: true };
  const discord = await openDiscord(
    { api: sandbox.api, token: sandbox.token, features },
    { clock, log, lastHeard: { load: async () => null, save: async () => {} } },
  );
  const arrived = new Set<string>();
  discord.listen((event) => {
    if (event.type === "message") arrived.add(event.message.message_id);
  });
  const consent = createTestConsent();
  const bounds = { readsAhead: true, backgroundIntervalMs: 0 };
  const timelines = openTimelinesAndSearch(bounds, { discord, openIndex: openMessageIndex, consent, clock, log });
  const { memory, close: closeMemory } = await openMemoryIn(folder, { consent, clock });
  const rules = allowSharing(rulesSchema.parse({ limits: LIMITS }), sandbox.community.guild.id as GuildId);
  const database = await openTestDatabase(join(folder, "talks.db"));
  const episodes = new Episodes({
    ...{ store: createEpisodeStore(database), botId: discord.botId, consent, clock, log, mintId: randomUUID },
    retentionMs: 90 * 86_400_000,
    find: ({ channelId, messageId }) => timelines.message(channelId, messageId),
  });
  const parts = { discord, timelines, search: timelines, consent, memory, episodes, clock, rules };
  const core = createCore({ ...parts, tools, audit: listAudit(), mintId: randomUUID });
  if (core.ownMemory && sandbox.community.people.has("fatima"))
    await rememberSample({ sandbox, ownMemory: core.ownMemory, memory, clock });
  while (timelines.stats().guildsRead === 0 || timelines.stats().unread > 0) await setTimeout(5);
  const channelOf = async ({ in: name, as }: Asking) =>
    name === "dm"
      ? discord.openDm(sandbox.as(as).id as UserId)
      : ((sandbox.community.channels.get(name) ?? name) as ChannelId);
  return {
    sandbox,
    async ask(asking) {
      const channelId = await channelOf(asking);
      const actor = sandbox.as(asking.as).id as UserId;
      const isDm = asking.in === "dm";
      const { isPrivate = isDm } = asking;
      const operation = await core.operations.open(
        { name: "test", grant: GRANT },
        { actor, channelId, ...(isPrivate && !isDm && { isPrivate }) },
      );
      const calls: { tool: string; args: unknown }[] = [];
      const toolbox: Toolbox = {
        async call(tool, args) {
          calls.push({ tool: tool.name, args });
          const { value } = await core.gate.callTool({ name: tool.name, args, operation });
          return value as never;
        },
        async run(name, args) {
          calls.push({ tool: name, args });
          const { value, text } = await core.gate.callTool({ name, args, operation, wantsText: true });
          return { value, text: text ?? "" };
        },
        tools: core.gate.tools,
        signal: undefined,
        spending: { reserve: () => ({ settle: () => undefined }) },
        nonce: operation.nonce,
        idOf: (handle) => core.idOf(operation, handle),
      };
      const answer = await (asking.answerer ?? answerer).answer(
        {
          text: asking.text,
          actor: { id: actor, name: asking.as },
          channelId,
          guildId: isDm ? null : (sandbox.community.guild.id as GuildId),
          askedAt: clock.now(),
          timeZone: "UTC",
          agent: { id: discord.botId, name: discord.botName },
          messageId: null as MessageId | null,
          about: asking.about ?? null,
          isPrivate,
          isIsolated: asking.isIsolated ?? false,
          languageBefore: asking.before?.language ?? null,
          before: async () => asking.before ?? null,
        },
        toolbox,
      );
      return { answer, calls };
    },
    async search({ text, as, in: name, limit }) {
      const actor = sandbox.as(as).id as UserId;
      const where = name === null ? { isPrivate: true } : { channelId: await channelOf({ text, as, in: name }) };
      const operation = await core.operations.open({ name: "test", grant: GRANT }, { actor, ...where });
      const { value } = await core.gate.callTool({ name: "search_messages", args: { query: text, limit }, operation });
      return (value as z.output<typeof searchMessages.output>).hits.map(({ message }) => message as Message);
    },
    async heard(messageId) {
      while (!arrived.has(messageId)) await setTimeout(1);
      // A channel in which something is said is read in the background: until then a search may miss some of it.
      while (timelines.stats().unread > 0) await setTimeout(1);
    },
    async close() {
      await timelines.close();
      closeMemory();
      database.close();
      await discord.close();
      await sandbox.close();
      rmSync(folder, { recursive: true });
    },
  };
}
