import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { AGENT } from "../../src/agent/agent-grant.ts";
import type { Answerer } from "../../src/agent/answerer.ts";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import { FollowSources } from "../../src/agent/follow-sources.ts";
import { type OpenedAgent, openAgent } from "../../src/agent/open-agent.ts";
import { toListener } from "../../src/discord/message-events.ts";
import { EarshotError } from "../../src/domain/errors.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { Episodes } from "../../src/memory/episodes.ts";
import { rulesSchema } from "../../src/policy/rules.ts";
import type { AnswerStore } from "../../src/ports/answer-store.ts";
import type { EpisodeStore } from "../../src/ports/episode-store.ts";
import { createAnswerStore } from "../../src/stores/answer-store.ts";
import { createEpisodeStore } from "../../src/stores/episode-store.ts";
import { openDurableDatabase } from "../../src/stores/sqlite/open-sqlite.ts";
import { findMessage, talkEvents } from "./agent-memories.ts";
import { createTestConsent, type TestConsent } from "./consent.ts";
import { describeDispatch } from "./describe-world.ts";
import { type InProcess, type InProcessOptions, openInProcess } from "./in-process.ts";
import { NOW } from "./plain-discord.ts";
import { BOT, type PlainMessage, type PlainWorld, placeOf } from "./plain-world.ts";
import { unarchive } from "./twists.ts";

/**
 * Real stores of answers and talks that can be emptied: to open a file for each of many worlds would take most of the time. Always SQLite: worlds are compared act
 * by act, and what is done at the same time is done in the same order only where nothing goes over a network.
 */
export interface ReusedAnswers {
  readonly store: AnswerStore;
  readonly episodes: EpisodeStore;
  clear(): Promise<void>;
  close(): void;
}

export async function openReusedAnswers(): Promise<ReusedAnswers> {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "earshot-answers-"));
  const database = await openDurableDatabase(join(folder, "earshot.db"));
  const tables = ["answer_jobs", "answer_messages", "stored_sources", "episodes", "episode_messages"] as const;
  return {
    store: createAnswerStore(database),
    episodes: createEpisodeStore(database),
    clear: () =>
      database.transaction(async (change) => {
        for (const table of tables) await change.run(`DELETE FROM ${table}`);
      }),
    close() {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

interface Asking {
  readonly actor: string;
  readonly channelId: string;
  readonly text: string;
  readonly replyTo?: string | null;
}

type VisibleAct = Readonly<Record<string, unknown>>;

export interface AgentInProcess extends InProcess {
  readonly agent: OpenedAgent;
  /** Everything that others could see the bot do, in order. */
  readonly visible: VisibleAct[];
  /** Resolves when everything that was heard is answered, or nothing will come of it. */
  settled(): Promise<void>;
  /** Somebody speaks to the bot. Resolves when that is answered, or nothing will come of it. */
  ask(asking: Asking): Promise<void>;
  /** Somebody asks for themselves alone; what they are shown. */
  askPrivately(asking: Asking): Promise<string>;
  /** What happens every half minute. */
  checkSources(): Promise<void>;
  closeAgent(): Promise<void>;
}

const quiet = { debug() {}, info() {}, error() {} };
/** What is begun is begun within these: nothing is waited for before. */
const TURNS = 3;

/** The agent over the whole gate, on a plain world. */
export function openAgentInProcess(
  world: PlainWorld,
  {
    store,
    talks,
    answerer = createBuiltinAnswerer(),
    ...options
  }: InProcessOptions & {
    readonly store: AnswerStore;
    readonly talks?: EpisodeStore;
    readonly answerer?: Answerer;
  },
): AgentInProcess {
  const visible: VisibleAct[] = [];
  const { consent = createTestConsent(rulesSchema.parse(options.rules ?? {}).optOut.people) } = options;
  const episodes = talks && openEpisodes(world, { store: talks, consent });
  const inside = openInProcess(world, {
    ...options,
    consent,
    onVisible: (act) => void visible.push(act),
    ...(episodes && { episodes }),
  });
  if (episodes) inside.discord.listen(episodes.listeners);
  const begun = new Set<string>();
  const done = new Set<unknown>();
  const watched: AnswerStore = {
    ...store,
    async claim(claim) {
      begun.add(claim.questionId);
      const isOurs = await store.claim(claim);
      // It was answered before, and nothing more comes of it.
      if (!isOurs) done.add(claim.questionId);
      return isOurs;
    },
    async finish(id) {
      await store.finish(id);
      done.add(id);
    },
  };
  const deps = { ...inside, store: watched, audit: { note() {} } };
  const log = { ...quiet, warn: (fields: { message_id?: string }) => void done.add(fields.message_id) };
  const settled = async () => {
    for (let turn = 0; turn < TURNS || [...begun].some((id) => !done.has(id)); turn += 1) await setImmediate();
  };
  const agent = openAgent({
    ...deps,
    answerer,
    settings: { enabled: true, off: [], catchUpMinutes: 5, retentionDays: 90 },
    timeZone: "UTC",
    checkMs: NEVER_MS,
    log,
  });
  return {
    ...inside,
    agent,
    visible,
    settled,
    async ask({ actor, channelId, text, replyTo = null }) {
      const place = placeOf(world, channelId);
      if (!place) return;
      unarchive(inside, place);
      const message: PlainMessage = {
        ...{ id: inside.mintMessageId(), authorId: actor, content: text, edited: false, replyTo, file: false },
      };
      world.messages.set(channelId, [...(world.messages.get(channelId) ?? []), message]);
      const how = { hasMember: true, isAddressed: true };
      inside.tell("MESSAGE_CREATE", describeDispatch(world, { channelId, guild: place.guild, message }, how));
      await settled();
    },
    async askPrivately({ actor, channelId, text }) {
      try {
        const request = { actor, channelId, isPrivate: true } as never;
        const operation = await inside.operations.open(AGENT, request);
        const spoken = await agent.ask(operation, { text });
        const note = { text: spoken.kind === "text" ? spoken.text : spoken.emoji };
        return await inside.answers.respond(operation, note, async (told, { recheck }) => {
          recheck?.();
          return told.text;
        });
      } catch (error) {
        if (!(error instanceof EarshotError)) throw error;
        return `${error.code}: ${error.message}`;
      }
    },
    async checkSources() {
      const following = new FollowSources({
        ...deps,
        log: { ...quiet, warn() {} },
        live: { stop: () => null },
        checkMs: NEVER_MS,
      });
      await following.checkAll();
      following.close();
    },
    async closeAgent() {
      await agent.close();
      await inside.close();
    },
  };
}

/** With every talk that the world has already. */
function openEpisodes(world: PlainWorld, { store, consent }: { store: EpisodeStore; consent: TestConsent }): Episodes {
  let minted = 0;
  const episodes = new Episodes({
    ...{ store, consent, botId: BOT as UserId, retentionMs: NEVER_MS, clock: { now: () => NOW } },
    find: async ({ channelId, messageId }) => findMessage(world, channelId, messageId),
    mintId: () => `talk-${++minted}`,
    log: { ...quiet, warn() {} },
  });
  for (const event of talkEvents(world)) toListener(episodes.listeners)(event);
  return episodes;
}

const NEVER_MS = 2 ** 31 - 1;
