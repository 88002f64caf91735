import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import type { AgentAnswer, Answerer, Question, Toolbox } from "../../src/agent/answerer.ts";
import { openBotAskers } from "../../src/agent/bot-askers.ts";
import { type AgentSettings, type OpenAgentDeps, type OpenedAgent, openAgent } from "../../src/agent/open-agent.ts";
import type { UserId } from "../../src/domain/ids.ts";
import type { Message } from "../../src/domain/message.ts";
import type { Answers } from "../../src/gate/effects/answers.ts";
import type { AnswerStore } from "../../src/ports/answer-store.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Log } from "../../src/ports/log.ts";
import { createAnswerStore } from "../../src/stores/answer-store.ts";
import { createBotTurnStore } from "../../src/stores/bot-turn-store.ts";
import { searchMessages } from "../../src/tools/search-messages.ts";
import { openTestGate, type TestGate, type TestGateOptions } from "./gate.ts";
import { openTestDatabase } from "./test-database.ts";

export interface TestAgent extends TestGate {
  readonly agent: OpenedAgent;
  readonly store: AnswerStore;
  /** The bot's answer to a message, once it is there and kept. */
  answerTo(questionId: string): Promise<Message>;
  /** As if the process had been killed: nothing is finished. */
  abandon(): Promise<void>;
}

export type TestAgentOptions = TestGateOptions & {
  readonly answerer: Answerer;
  readonly settings?: Partial<AgentSettings>;
  /** Of a folder that another agent has used before. */
  readonly file?: string;
  /** Puts something before the store, such as a kill. */
  readonly wrapStore?: (store: AnswerStore) => AnswerStore;
  readonly log?: Log;
  /** Puts something before the gate's answers, such as a limit of Discord's. */
  readonly wrapAnswers?: (answers: Answers) => Answers;
  /** How the agent waits, and the time it sees; the real one when absent. */
  readonly time?: Pick<OpenAgentDeps, "clock" | "delay">;
  /** When its database was put back from a backup. */
  readonly restoredAt?: number;
  /** Bots that are answered, by ids, and the clock by which the limits for them are counted. None are when absent. */
  readonly answersBots?: { readonly ids: readonly string[]; readonly clock: Clock };
};

/** Fast enough for a test. */
const CHECK_MS = 50;

const systemClock = { now: () => Date.now() };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const SETTINGS: AgentSettings = { enabled: true, off: [], catchUpMinutes: 5, retentionDays: 90 };

/** Answers every question in the same way. */
export function answerWith(answer: (question: Question, toolbox: Toolbox) => Promise<AgentAnswer>): Answerer {
  return { answer };
}

export function say(text: string, more: Partial<Extract<AgentAnswer, { kind: "text" }>> = {}): AgentAnswer {
  return { kind: "text", text, sources: new Map(), turn: null, ...(!more.sources && { needsNoSource: true }), ...more };
}

/** Quotes what a search finds first. */
export const quoting: Answerer = {
  async answer({ text, messageId }, toolbox) {
    const { hits } = await toolbox.call(searchMessages, { query: text });
    const found = hits.find(({ message }) => !message.author.bot && message.message_id !== messageId);
    if (!found) return say("Nothing was found.");
    const { message } = found;
    return say(`> ${message.content} [m1]`, { sources: new Map([["m1", { kind: "message", message }]]) });
  },
};

export function temporaryDatabase(): string {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "earshot-agent-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "earshot.db");
}

/** As another bot of the community, with a token of its own. */
export function asBot(sandbox: Sandbox, name: string): Sandbox {
  const application = sandbox.world.applicationOf(sandbox.as(name).id);
  if (!application) throw new Error(`${name} is no bot`);
  return { ...sandbox, token: application.token };
}

/** As if the process were killed when this step begins, or right after it: it goes no further. */
export function killAt(step: keyof AnswerStore, when: "before" | "after", reached: () => void) {
  return (store: AnswerStore): AnswerStore => ({
    ...store,
    async [step](...args: never[]) {
      if (when === "after") await (store[step] as (...given: never[]) => Promise<unknown>)(...args);
      reached();
      return new Promise<never>(() => {});
    },
  });
}

/** The agent over the real gate and edge on a sandbox, with a database of its own, in which the audit is, too. */
export async function openTestAgent(sandbox: Sandbox, options: TestAgentOptions): Promise<TestAgent> {
  const {
    answerer,
    settings = {},
    file = temporaryDatabase(),
    answersBots,
    wrapStore,
    wrapAnswers,
    time = { clock: systemClock },
    log = quiet,
    restoredAt,
    ...more
  } = options;
  const database = await openTestDatabase(file);
  const inside = await openTestGate(sandbox, { ...more, database, followed: () => agent.clientAnswers });
  const kept = createAnswerStore(database);
  const store = wrapStore?.(kept) ?? kept;
  const { discord } = inside.edge;
  const { ids = [], clock: botClock = systemClock } = answersBots ?? {};
  const bots = await openBotAskers({
    ...{
      store: createBotTurnStore(database),
      botId: discord.botId,
      directory: discord.directory,
      clock: botClock,
      log: quiet,
    },
    answersBots: ids as UserId[],
  });
  discord.listen(bots.listeners);
  const agent: OpenedAgent = openAgent({
    ...inside,
    answers: wrapAnswers?.(inside.answers) ?? inside.answers,
    discord,
    store,
    answerer,
    settings: { ...SETTINGS, ...settings },
    timeZone: "UTC",
    restoredAt,
    checkMs: CHECK_MS,
    lookAgainMs: CHECK_MS,
    recoverMs: CHECK_MS,
    mayAnswerBot: (message) => bots.mayAnswer(message),
    ...time,
    ...(more.spending && { spending: more.spending }),
    policy: more.live,
    log,
  });
  let isAbandoned = false;
  onTestFinished(async () => {
    if (isAbandoned) return;
    await agent.close();
    await bots.settled();
    database.close();
  });
  const abandon = async () => {
    isAbandoned = true;
    await bots.settled();
    database.close();
    await discord.close();
  };
  const answerTo = async (id: string) => {
    const { message } = await inside.edge.find(
      "message",
      (event) => event.message.author.id === discord.botId && event.message.reply_to?.message_id === id,
    );
    // Until it is kept, it would be written again instead of going with its sources.
    await expect.poll(() => store.find(id)).toMatchObject({ state: "done" });
    return message;
  };
  return { ...inside, agent, store, answerTo, abandon };
}
