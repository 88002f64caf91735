import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Answerer } from "../../src/agent/answerer.ts";
import { openAgent } from "../../src/agent/open-agent.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import { type Core, createCore } from "../../src/gate/create-core.ts";
import { openConsent } from "../../src/memory/consent.ts";
import { Episodes } from "../../src/memory/episodes.ts";
import { openFactVault } from "../../src/memory/fact-vault.ts";
import { FactWatch } from "../../src/memory/fact-watch.ts";
import { deriveMark } from "../../src/memory/key-ring.ts";
import { Memory } from "../../src/memory/memory.ts";
import { type Audit, openAudit } from "../../src/policy/audit.ts";
import { rulesSchema } from "../../src/policy/rules.ts";
import { SignIns } from "../../src/policy/sign-ins.ts";
import { openSpending, type Spending } from "../../src/policy/spending.ts";
import type { AnswerStore } from "../../src/ports/answer-store.ts";
import type { OwnConsent } from "../../src/ports/consent.ts";
import { createAnswerStore } from "../../src/stores/answer-store.ts";
import { createAuditStore } from "../../src/stores/audit-store.ts";
import { createEpisodeStore } from "../../src/stores/episode-store.ts";
import { createFactStore } from "../../src/stores/fact-store.ts";
import { createOptOutStore } from "../../src/stores/opt-out-store.ts";
import { createSignInStore } from "../../src/stores/sign-in-store.ts";
import { createSpendStore } from "../../src/stores/spend-store.ts";
import { openMessageIndex } from "../../src/stores/sqlite/message-index.ts";
import { tools } from "../../src/tools/index.ts";
import { NOW, PlainDiscord } from "./plain-discord.ts";
import type { PlainWorld } from "./plain-world.ts";
import { openTestDatabase, openTestKeys } from "./test-database.ts";
import { openTimelinesAndSearch, type TimelinesAndSearch } from "./timelines-and-search.ts";

export interface CoreOnDisk {
  readonly folder: string;
  readonly core: Core;
  readonly discord: PlainDiscord;
  readonly timelines: TimelinesAndSearch;
  readonly memory: Memory;
  readonly episodes: Episodes;
  readonly answerStore: AnswerStore;
  readonly spending: Spending;
  readonly consent: OwnConsent;
  readonly signIns: SignIns;
  readonly audit: Audit;
  readonly clock: { now(): number; ahead: number };
  close(): Promise<void>;
}

const SILENT: Answerer = { answer: async () => ({ kind: "reaction", emoji: "👍" }) };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const mintId = () => randomBytes(18).toString("hex");

/** The whole core with every file that the program writes, in a folder of its own until the test ends. */
export async function openCoreOnDisk(
  world: PlainWorld,
  options: { readonly diskChannels?: readonly string[]; readonly rules?: object } = {},
): Promise<CoreOnDisk> {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "earshot-core-"));
  const clock = { ahead: 0, now: () => NOW + clock.ahead };
  const database = await openTestDatabase(join(folder, "earshot.db"));
  const keys = await openTestKeys(join(folder, "keys.db"), mintId);
  const audit = await openAudit(createAuditStore(database), { key: randomBytes(32), clock, log: quiet, mintId });
  const facts = createFactStore(database);
  const optOuts = createOptOutStore(database);
  const chance = { bytes: (count: number) => randomBytes(count), id: mintId };
  const vault = await openFactVault({ facts, keys, optOuts, chance, clock, log: quiet });
  const consentKey = await vault.consentKey();
  const markOf = (userId: UserId) => deriveMark(consentKey, userId);
  const consent = await openConsent({ store: optOuts, markOf, byOperator: [], clock });
  const watch = new FactWatch({ clock, consent, keptMs: 3_600_000 });
  const memory = new Memory({ vault, facts, watch, consent, markOf, clock });
  const discord = new PlainDiscord(world, clock, {});
  const disk = {
    folder: join(folder, "timeline"),
    channels: (options.diskChannels ?? []) as readonly ChannelId[],
    retentionDays: 10_000,
  };
  const deps = { discord, openIndex: openMessageIndex, consent, clock, log: quiet };
  const timelines = openTimelinesAndSearch({ disk }, deps);
  const episodes = new Episodes({
    ...{ store: createEpisodeStore(database), botId: discord.botId, consent, clock, log: quiet, mintId },
    retentionMs: 90 * 86_400_000,
    find: ({ channelId, messageId }) => timelines.message(channelId, messageId),
  });
  const stopEpisodes = episodes.start((listener) => discord.listen(listener));
  const limits = {
    tokensPerAnswer: 20_000,
    tokensPerPersonHour: 100_000,
    tokensPerServerDay: 1_000_000,
    tokensPerClientDay: 500_000,
  };
  const store = createSpendStore(database);
  const spending = await openSpending(limits, { store, timeZone: "UTC", clock, log: quiet });
  const rules = rulesSchema.parse(options.rules ?? {});
  const core = createCore({
    episodes,
    spending,
    tools,
    discord,
    timelines,
    search: timelines,
    rules,
    consent,
    memory,
    audit,
    clock,
    mintId,
  });
  const answerStore = createAnswerStore(database);
  const agent = openAgent({
    ...core,
    ...{ discord, store: answerStore, answerer: SILENT, audit, timeZone: "UTC", clock, log: quiet },
    settings: { enabled: false, off: [], catchUpMinutes: 5, retentionDays: 90 },
  });
  core.erasers.add(agent.eraser);
  const signIns = await SignIns.open({
    ...{ store: createSignInStore(database), rules, directory: discord.directory, audit, clock, mintId },
    ...{ resource: "https://earshot.example.org/mcp", onEnd: core.operations.endOf, onReuse() {} },
  });
  core.erasers.add({ name: "sign-ins", erase: (person) => signIns.erase(person) });
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await agent.close();
    await stopEpisodes();
    await timelines.close();
    await spending.close();
    await audit.close();
    database.close();
    keys.close();
  };
  onTestFinished(async () => {
    await close();
    rmSync(folder, { recursive: true });
  });
  return {
    folder,
    core,
    discord,
    timelines,
    memory,
    episodes,
    answerStore,
    spending,
    consent,
    signIns,
    audit,
    clock,
    close,
  };
}
