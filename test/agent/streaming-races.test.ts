import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import type { ChannelId, UserId } from "../../src/domain/ids.ts";
import type { AnswerStore } from "../../src/ports/answer-store.ts";
import { openTestAgent, type TestAgent, type TestAgentOptions, temporaryDatabase } from "../support/agent.ts";
import { createFakeTime } from "../support/fake-time.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { createScriptedAnswerer, type ScriptedAnswer } from "../support/scripted-answerer.ts";

/** Steps of an answer; what happens in between happens before the step with that number. */
const STEPS: readonly ((answer: ScriptedAnswer) => void)[] = [
  (answer) => answer.grow("It lands at noon. [m1] The"),
  (answer) => answer.grow("It lands at noon. [m1] The crew is there. And"),
  (answer) => answer.grow("It lands at noon. [m1] The crew is there. And all. Yes"),
  (answer) => answer.finish("It lands at noon. [m1] The crew is there. And all. Yes, all."),
];
const SHOWN = ["It lands at noon.", "is there.", "And all."];
const WHOLE = /^It lands at noon\. \[1\]\(<[^)]+>\) The crew is there\. And all\. Yes, all\.$/u;

/** Writes all of an answer from what was found, in one go. */
const writeAll = (answer: ScriptedAnswer) => {
  const again =
    answer.found === "" ? "Nothing was found." : "It lands at noon. [m1] The crew is there. And all. Yes, all.";
  answer.grow(`${again} Then`);
  answer.finish(again);
};

function saidByBot(sandbox: Sandbox): string[] {
  const { messages } = sandbox.world.channels.get(sandbox.community.channels.get("general") ?? "") ?? {};
  const bot = sandbox.community.people.get("earshot");
  return [...(messages ?? [])].filter(({ authorId }) => authorId === bot).map(({ content }) => content);
}

/** Mark sees neither the channel of the question nor that of the source. */
async function arrive(more: Partial<TestAgentOptions> = {}) {
  let posts = 0;
  const sandbox = await openTestSandbox({
    rateLimits: false,
    onResponse({ method, path }) {
      if (method === "POST" && path.endsWith("/messages")) posts += 1;
    },
  });
  for (const channel of ["general", "pier"])
    sandbox.admin.setOverwrite(channel, "person:mark", { deny: ["ViewChannel"] });
  const answerer = createScriptedAnswerer();
  const options = { answerer, file: temporaryDatabase(), time: createFakeTime() };
  const first = await openTestAgent(sandbox, { ...options, ...more });
  const source = sandbox.as("mei").say("pier", "The zeppelin lands at noon.");
  const question = sandbox.as("sarah").say("general", `<@${first.edge.discord.botId}> zeppelin`);
  return { sandbox, answerer, options, first, source, question, posts: () => posts };
}

type World = Awaited<ReturnType<typeof arrive>> & { agent: TestAgent };

const channelOf = (world: World, key: string) => world.sandbox.community.channels.get(key) as ChannelId;
const sees = (world: World, person: string, channel: string) =>
  world.agent.edge.discord.directory.canView(
    world.sandbox.community.people.get(person) as UserId,
    channelOf(world, channel),
  );

const lastHeardNow = () => {
  const at = Date.now();
  return { load: async () => at, save: async () => {} };
};

async function reopen(world: World): Promise<void> {
  await world.agent.agent.close();
  const lastHeard = lastHeardNow();
  await world.agent.abandon();
  world.agent = await openTestAgent(world.sandbox, { ...world.options, lastHeard });
}

interface Interference {
  /** Resolves when the bot knows of it. */
  happen(world: World): Promise<void>;
  /** What stands at the end. */
  readonly ends: RegExp | null;
  /** Nothing that rests on the source may be left. */
  readonly isRefused: boolean;
}

const INTERFERENCES: Readonly<Record<string, Interference>> = {
  "the source is deleted": {
    async happen({ sandbox, source, agent }) {
      sandbox.as("mei").delete(source);
      await agent.edge.find("message_delete", ({ messageIds }) => messageIds.includes(source.id as never));
    },
    ends: /^(?:Without a source: Nothing was found\.|I took this answer back\.|I can't answer that here\.)$/u,
    isRefused: true,
  },
  "the source is hidden from somebody who sees the answer": {
    async happen(world) {
      world.sandbox.admin.setOverwrite("pier", "person:sarah", { deny: ["ViewChannel"] });
      await expect.poll(() => sees(world, "sarah", "pier")).toBe(false);
    },
    ends: /^(?:Without a source: Nothing was found\.|I took this answer back\.|I can't answer that here\.)$/u,
    isRefused: true,
  },
  "somebody who cannot see the source comes into the channel": {
    async happen(world) {
      world.sandbox.admin.removeOverwrite("general", "person:mark");
      await expect.poll(() => sees(world, "mark", "general")).toBe(true);
    },
    ends: /^(?:Without a source: Nothing was found\.|I took this answer back\.|I can't answer that here\.)$/u,
    isRefused: true,
  },
  "the question is deleted": {
    async happen({ sandbox, question, agent }) {
      sandbox.as("sarah").delete(question);
      await agent.edge.find("message_delete", ({ messageIds }) => messageIds.includes(question.id as never));
    },
    ends: null,
    isRefused: true,
  },
  "the person asking is erased": {
    async happen({ sandbox, agent }) {
      await agent.agent.eraser.erase(sandbox.community.people.get("sarah") as UserId);
    },
    ends: null,
    isRefused: true,
  },
  "the question is edited": {
    async happen({ sandbox, question, agent }) {
      sandbox.as("sarah").edit(question, `<@${agent.edge.discord.botId}> zeppelin lands`);
      await agent.edge.find("message_update", ({ message }) => message.message_id === question.id);
    },
    ends: WHOLE,
    isRefused: false,
  },
  "the process is stopped and started again": { happen: reopen, ends: WHOLE, isRefused: false },
};

describe("while an answer is being written", () => {
  // All of them in a soak; in the suite, one after the post and one before the end.
  const isSoak = process.env["SOAK_RUNS"] !== undefined;
  const steps = isSoak ? [...STEPS.keys()] : [1, 3];
  const cases = Object.keys(INTERFERENCES).flatMap((what) =>
    steps.flatMap((step) => (isSoak ? [true, false] : [true]).map((isHeard) => ({ what, step, isHeard }))),
  );

  it.each(cases)("exactly one answer stands, without a refused byte, when $what before step $step", async (given) => {
    const { happen, ends, isRefused } = INTERFERENCES[given.what] as Interference;
    const world: World = { ...(await arrive()), agent: null as never };
    world.agent = world.first;
    const { sandbox, answerer, question } = world;
    const answer = await answerer.next();
    let happened = Promise.resolve();
    for (const step of STEPS.keys()) {
      if (step === given.step) {
        answerer.finishBy(writeAll);
        // Where it is not waited for, it happens at the same time as the step.
        happened = happen(world);
        if (given.isHeard) await happened;
      }
      STEPS[step]?.(answer);
      const shown = SHOWN[step];
      if (step < given.step && shown) await expect.poll(() => saidByBot(sandbox).join()).toContain(shown);
    }
    await happened;
    await expect
      .poll(() => world.agent.store.find(question.id))
      .toMatchObject({ state: expect.stringMatching(/^(?:done|withdrawn)$/u) });
    if (ends === null) await expect.poll(() => saidByBot(sandbox)).toEqual([]);
    else await expect.poll(() => saidByBot(sandbox)).toEqual([expect.stringMatching(ends)]);
    if (isRefused) expect(saidByBot(sandbox).join()).not.toContain("noon");
    if (given.what.includes("erased"))
      expect(await world.agent.store.answersFor(sandbox.community.people.get("sarah") as UserId)).toEqual([]);
    expect(world.posts()).toBeLessThanOrEqual(1);
  });
});

describe("a process that is killed while a part of an answer is visible", () => {
  /** Nothing goes on after this call of the store. */
  const killAt = (step: "plan" | "notePosted" | "finish", when: "before" | "after", killed: () => void) => {
    return (store: AnswerStore): AnswerStore => ({
      ...store,
      async [step](...args: never[]) {
        if (when === "after") await (store[step] as (...given: never[]) => Promise<unknown>)(...args);
        killed();
        return new Promise<never>(() => {});
      },
    });
  };
  const kills = (["plan", "notePosted", "finish"] as const).flatMap((step) =>
    (["before", "after"] as const).map((when) => ({ step, when })),
  );

  it.each(kills)("completes it in the same message after the next start: $when $step", async ({ step, when }) => {
    const killed = Promise.withResolvers<void>();
    const world = await arrive({ wrapStore: killAt(step, when, killed.resolve) });
    const { sandbox, answerer, first, options, question } = world;
    const answer = await answerer.next();
    STEPS[0]?.(answer);
    if (step === "finish") STEPS[3]?.(answer);
    await killed.promise;
    answerer.finishBy(writeAll);
    const lastHeard = lastHeardNow();
    await first.abandon();
    const second = await openTestAgent(sandbox, { ...options, lastHeard });
    await expect.poll(() => second.store.find(question.id)).toMatchObject({ state: "done" });
    expect(saidByBot(sandbox)).toEqual([expect.stringMatching(WHOLE)]);
    expect(world.posts()).toBe(1);
  });

  it("says that it was interrupted when it is too late to answer, and removes it when the question is gone", async () => {
    for (const isDeleted of [false, true]) {
      const killed = Promise.withResolvers<void>();
      const world = await arrive({ wrapStore: killAt("notePosted", "after", killed.resolve) });
      const { sandbox, answerer, first, options, question } = world;
      STEPS[0]?.(await answerer.next());
      await killed.promise;
      const lastHeard = lastHeardNow();
      await first.abandon();
      if (isDeleted) sandbox.as("sarah").delete(question);
      options.time.advance(25 * 3_600_000);
      const second = await openTestAgent(sandbox, { ...options, lastHeard });
      await expect
        .poll(() => second.store.find(question.id))
        .toMatchObject({ state: isDeleted ? "withdrawn" : "done" });
      const expected = isDeleted ? [] : [expect.stringMatching(/^I was interrupted each time I tried to answer this/)];
      expect(saidByBot(sandbox)).toEqual(expected);
    }
  });
});
