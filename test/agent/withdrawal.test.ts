import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import type { ChannelId, MessageId, UserId } from "../../src/domain/ids.ts";
import type { AnswerStore } from "../../src/ports/answer-store.ts";
import { openTestAgent, quoting, type TestAgentOptions, temporaryDatabase } from "../support/agent.ts";
import { PATIENCE_MS } from "../support/edge.ts";
import { openTestSandbox } from "../support/sandbox.ts";

/** What the bot has said in general, as everybody sees it. */
function saidByBot(sandbox: Sandbox): string[] {
  const messages = sandbox.world.channels.get(sandbox.community.channels.get("general") ?? "")?.messages ?? [];
  const bot = sandbox.community.people.get("earshot");
  return [...messages].filter(({ authorId }) => authorId === bot).map(({ content }) => content);
}

/** Sarah was answered in general with what Mei said at the pier, and the process ended. */
async function arrive(options: Partial<TestAgentOptions> = {}) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const file = temporaryDatabase();
  const first = await openTestAgent(sandbox, { answerer: quoting, file, ...options });
  const source = sandbox.as("mei").say("pier", "The zeppelin lands at noon.");
  const question = sandbox.as("sarah").say("general", `<@${first.edge.discord.botId}> zeppelin`);
  /** Ends as if it were killed; what happens meanwhile is not heard. */
  const restart = async (meanwhile: () => void, next: Partial<TestAgentOptions> = {}) => {
    const at = Date.now();
    await first.abandon();
    meanwhile();
    const lastHeard = { load: async () => at, save: async () => {} };
    return openTestAgent(sandbox, { answerer: quoting, file, lastHeard, ...next });
  };
  return { sandbox, first, source, question, restart };
}

async function arriveAnswered() {
  const world = await arrive();
  await world.first.answerTo(world.question.id);
  await expect.poll(() => world.first.store.find(world.question.id)).toMatchObject({ state: "done" });
  expect(saidByBot(world.sandbox)).toHaveLength(1);
  return world;
}

describe("an answer goes after the next start", () => {
  it("when its source was deleted meanwhile, however many newer answers there are", async () => {
    const { sandbox, first, source, restart } = await arriveAnswered();
    const kept = sandbox.as("mei").say("pier", "The gondola leaves at one.");
    for (let count = 0; count < 120; count += 1)
      await first.store.notePosted({
        ...{ answerId: String(count) as MessageId, questionId: `q${count}`, channelId: kept.channelId as ChannelId },
        ...{ actorId: kept.authorId as UserId, operationId: "", postedAt: Date.now() + count },
        sources: [
          {
            ...{ messageId: kept.id as MessageId, channelId: kept.channelId as ChannelId },
            authorId: kept.authorId as UserId,
          },
        ],
      });
    const second = await restart(() => sandbox.as("mei").delete(source));
    await expect.poll(() => saidByBot(sandbox), { timeout: PATIENCE_MS }).toEqual([]);
    // The row goes once Discord has confirmed.
    await expect.poll(() => second.store.citing(1_000)).toHaveLength(120);
  });

  it("when its question was deleted while the bot was away", async () => {
    const { sandbox, question, restart } = await arriveAnswered();
    await restart(() => sandbox.as("sarah").delete(question));
    await expect.poll(() => saidByBot(sandbox)).toEqual([]);
  });

  it("when the channel of its source was deleted while the bot was away", async () => {
    const { sandbox, restart } = await arriveAnswered();
    await restart(() => sandbox.admin.deleteChannel("pier"));
    await expect.poll(() => saidByBot(sandbox)).toEqual([]);
  });

  it("when the operator left the author of its source out while the program was down", async () => {
    const { sandbox, source, restart } = await arriveAnswered();
    await restart(() => {}, { rules: { optOut: { people: [source.authorId] } } });
    await expect.poll(() => saidByBot(sandbox)).toEqual([]);
  });

  it("when it could not be withdrawn before, although nothing of the erased person is kept", async () => {
    const { sandbox, first, source, restart } = await arriveAnswered();
    const { faults } = sandbox;
    faults.failRest({ match: /messages\/\d+$/, status: 403, times: 100 });
    await first.agent.eraser.erase(source.authorId as never);
    expect(saidByBot(sandbox)).toHaveLength(1);
    expect(JSON.stringify(await first.store.citing(9))).not.toContain(source.authorId);
    await restart(() => faults.clear());
    await expect.poll(() => saidByBot(sandbox)).toEqual([]);
  });

  it("when it left right before a kill and the program was down for longer than questions wait", async () => {
    const killed = Promise.withResolvers<void>();
    const wrapStore = (store: AnswerStore): AnswerStore => ({
      ...store,
      async notePosted() {
        killed.resolve();
        return new Promise<never>(() => {});
      },
    });
    const { sandbox, source, restart } = await arrive({ wrapStore });
    await killed.promise;
    expect(saidByBot(sandbox)).toHaveLength(1);
    await restart(() => sandbox.as("mei").delete(source), { settings: { catchUpMinutes: 0 } });
    await expect.poll(() => saidByBot(sandbox)).toEqual([]);
  });
});
