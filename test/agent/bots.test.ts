import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import type { Answerer } from "../../src/agent/answerer.ts";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import {
  answerWith,
  asBot,
  openTestAgent,
  say,
  type TestAgent,
  type TestAgentOptions,
  temporaryDatabase,
} from "../support/agent.ts";
import { until } from "../support/edge.ts";
import { openTestSandbox } from "../support/sandbox.ts";

/** Each look at it finds that the minute between two answers to a bot is over: nothing but the count ends a talk. */
function hastyClock() {
  let time = Date.now();
  return {
    now: () => {
      time += 61_000;
      return time;
    },
  };
}

function messagesIn(sandbox: Sandbox, channel: string) {
  return [...(sandbox.world.channels.get(sandbox.community.channels.get(channel) ?? channel)?.messages ?? [])];
}

function countOf(sandbox: Sandbox, name: string, channel = "general"): number {
  const { id } = sandbox.as(name);
  return messagesIn(sandbox, channel).filter(({ authorId, more }) => authorId === id && more?.reference).length;
}

/** Resolves when every agent has heard everything, for which the answer to a later message is the sign, and has nothing left to say. */
async function atRest(sandbox: Sandbox, agents: ReadonlyMap<string, TestAgent>): Promise<void> {
  for (let before = -1; before !== messagesIn(sandbox, "general").length; ) {
    before = messagesIn(sandbox, "general").length;
    for (const [name, { answerTo, store }] of agents) {
      await answerTo(sandbox.as("olga").dm("hello", name).id);
      await expect.poll(() => store.unfinished()).toEqual([]);
    }
  }
}

describe("two agents that list each other in agent.answersBots", () => {
  async function arrive(toAnswerer: (other: string) => Answerer, clock = hastyClock()) {
    let lookedForMissed = 0;
    const sandbox = await openTestSandbox({
      rateLimits: false,
      onResponse({ method, path }) {
        if (method === "GET" && path.endsWith("/messages")) lookedForMissed += 1;
      },
    });
    const files = new Map([
      ["earshot", temporaryDatabase()],
      ["gabriel", temporaryDatabase()],
    ]);
    const agents = new Map<string, TestAgent>();
    const start = async (name: string, more: Partial<TestAgentOptions> = {}) => {
      const { id: other } = sandbox.as(name === "earshot" ? "gabriel" : "earshot");
      const options = { file: files.get(name) ?? "", answersBots: { ids: [other], clock }, ...more };
      agents.set(name, await openTestAgent(asBot(sandbox, name), { answerer: toAnswerer(other), ...options }));
    };
    const restart = async (name: string) => {
      const at = Date.now();
      await agents.get(name)?.abandon();
      const before = lookedForMissed;
      await start(name, { lastHeard: { load: async () => at, save: async () => {} } });
      await until(() => lookedForMissed > before, "missed questions were not looked for");
    };
    await start("earshot");
    await start("gabriel");
    const mention = (from: string, to: string) =>
      sandbox.as(from).say("general", `<@${sandbox.as(to).id}> what is going on?`);
    const rest = () => atRest(sandbox, agents);
    const answers = () => ["earshot", "gabriel"].map((name) => countOf(sandbox, name));
    return { sandbox, mention, rest, answers, restart };
  }

  /** Whatever is said mentions the other one. */
  const mentioning = (other: string) => answerWith(async () => say(`I see, and you, <@${other}>?`));

  it("come to rest after one answer, where answers mention nobody", async () => {
    const { mention, rest, answers } = await arrive(() => createBuiltinAnswerer());
    mention("gabriel", "earshot");
    await rest();
    expect(answers()).toEqual([1, 0]);
    mention("earshot", "gabriel");
    await rest();
    expect(answers()).toEqual([1, 1]);
  });

  it("come to rest after five answers each, where each answer mentions the other, until a person speaks", async () => {
    const { sandbox, mention, rest, answers } = await arrive(mentioning);
    mention("gabriel", "earshot");
    await rest();
    expect(answers()).toEqual([5, 5]);
    mention("gabriel", "earshot");
    mention("earshot", "gabriel");
    await rest();
    expect(answers()).toEqual([5, 5]);
    sandbox.as("sarah").say("general", "Are you done?");
    mention("earshot", "gabriel");
    await rest();
    expect(answers()).toEqual([10, 10]);
  });

  it("come to rest after one answer each within a minute", async () => {
    const time = Date.now();
    const { mention, rest, answers } = await arrive(mentioning, { now: () => time });
    mention("gabriel", "earshot");
    await rest();
    expect(answers()).toEqual([1, 1]);
  });

  it("do not begin again what has come to rest when one of them, or both, are started again", async () => {
    const { mention, rest, answers, restart } = await arrive(mentioning);
    mention("gabriel", "earshot");
    await rest();
    for (const name of ["earshot", "gabriel"]) {
      await restart(name);
      mention("gabriel", "earshot");
      mention("earshot", "gabriel");
      await rest();
      expect(answers()).toEqual([5, 5]);
    }
  });

  it("come to rest within the same limits when one of them is killed in the middle of the talk", async () => {
    const { sandbox, mention, rest, answers, restart } = await arrive(mentioning);
    mention("gabriel", "earshot");
    await until(() => countOf(sandbox, "earshot") >= 2, "the talk did not begin");
    await restart("earshot");
    await rest();
    const [first = 0, second = 0] = answers();
    expect(first).toBeGreaterThanOrEqual(2);
    expect(Math.max(first, second)).toBeLessThanOrEqual(5);
    mention("gabriel", "earshot");
    mention("earshot", "gabriel");
    await restart("gabriel");
    await rest();
    expect(Math.max(...answers())).toBeLessThanOrEqual(5);
  });
});

describe("a bot that mentions the agent in every message", () => {
  async function arrive() {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const gabriel = sandbox.as("gabriel");
    const world = await openTestAgent(sandbox, {
      answerer: createBuiltinAnswerer(),
      answersBots: { ids: [gabriel.id], clock: hastyClock() },
    });
    const rest = () => atRest(sandbox, new Map([["earshot", world]]));
    return { gabriel, ...world, botId: world.edge.discord.botId, rest };
  }

  it("is answered five times at most until a person speaks, also if it replies to each answer", async () => {
    const { sandbox, gabriel, edge, botId, rest } = await arrive();
    edge.discord.listen((event) => {
      if (event.type !== "message" || event.message.author.id !== botId || event.message.guild_id === null) return;
      if (countOf(sandbox, "earshot") < 50) gabriel.reply(event.message.message_id, `<@${botId}> who knows more?`);
    });
    gabriel.say("general", `<@${botId}> what is going on?`);
    await rest();
    expect(countOf(sandbox, "earshot")).toBe(5);
    sandbox.as("sarah").say("general", "Stop it, you two.");
    gabriel.say("general", `<@${botId}> what did she say?`);
    await rest();
    expect(countOf(sandbox, "earshot")).toBe(10);
  });

  it("is answered five times at most when it does not wait for answers, and people are answered meanwhile", async () => {
    const { sandbox, gabriel, botId, rest, answerTo } = await arrive();
    for (let count = 0; count < 30; count += 1) gabriel.say("general", `<@${botId}> who knows about the ${count}?`);
    await answerTo(sandbox.as("mark").say("pier", `<@${botId}> hello`).id);
    await rest();
    expect(countOf(sandbox, "earshot")).toBe(5);
  });
});
