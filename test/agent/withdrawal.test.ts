import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { EarshotError } from "../../src/domain/errors.ts";
import type { ChannelId, MessageId, UserId } from "../../src/domain/ids.ts";
import type { AnswerStore } from "../../src/ports/answer-store.ts";
import { toMessageSource } from "../../src/ports/stored-source.ts";
import { killAt, openTestAgent, quoting, type TestAgentOptions, temporaryDatabase } from "../support/agent.ts";
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
        ...{ answerIds: [String(count) as MessageId], questionId: `q${count}`, channelId: kept.channelId as ChannelId },
        ...{ actorId: kept.authorId as UserId, operationId: "", postedAt: Date.now() + count },
        sources: [
          toMessageSource(
            { messageId: kept.id as MessageId, channelId: kept.channelId as ChannelId },
            kept.authorId as UserId,
          ),
        ],
      });
    const second = await restart(() => sandbox.as("mei").delete(source));
    await expect.poll(() => saidByBot(sandbox)).toEqual([]);
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
    const { sandbox, source, restart } = await arrive({ wrapStore: killAt("notePosted", "before", killed.resolve) });
    await killed.promise;
    expect(saidByBot(sandbox)).toHaveLength(1);
    await restart(() => sandbox.as("mei").delete(source), { settings: { catchUpMinutes: 0 } });
    await expect.poll(() => saidByBot(sandbox)).toEqual([]);
  });

  it("when it left right before a kill together with another one, and the program was down for days", async () => {
    const killed = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let count = 0;
    const wrapStore = (store: AnswerStore): AnswerStore => ({
      ...store,
      async notePosted() {
        killed[count++]?.resolve();
        return new Promise<never>(() => {});
      },
    });
    const { sandbox, first, source, question, restart } = await arrive({ wrapStore });
    const other = sandbox.as("mark").say("general", `<@${first.edge.discord.botId}> zeppelin`);
    for (const { promise } of killed) await promise;
    expect(saidByBot(sandbox)).toHaveLength(2);
    const clock = { now: () => Date.now() + 2 * 86_400_000 };
    const second = await restart(() => sandbox.as("mei").delete(source), { time: { clock } });
    for (const { id } of [question, other])
      await expect.poll(async () => (await second.store.find(id))?.state ?? "done").toMatch(/^(?:done|withdrawn)$/u);
    await expect.poll(() => saidByBot(sandbox)).toEqual([]);
  });

  it("when neither could it be withdrawn at first nor could that be noted, because the disk was full", async () => {
    const { sandbox, source, restart } = await arriveAnswered();
    const full = () => Promise.reject(new EarshotError("unavailable", "The disk is full."));
    let isFull = true;
    let refused = 0;
    await restart(() => sandbox.as("mei").delete(source), {
      wrapAnswers: (answers) => ({ ...answers, withdraw: (answer) => (isFull ? full() : answers.withdraw(answer)) }),
      wrapStore: (store) => ({
        ...store,
        async markGone(id) {
          if (!isFull) return store.markGone(id);
          refused += 1;
          return full();
        },
      }),
    });
    await expect.poll(() => refused).toBeGreaterThan(0);
    isFull = false;
    await expect.poll(() => saidByBot(sandbox)).toEqual([]);
  });
});

describe("an answer whose sources stand", () => {
  /** Another answer, to see when all have been looked at: its source is deleted. */
  async function arriveTwice() {
    const world = await arriveAnswered();
    const { sandbox, first } = world;
    const doomed = sandbox.as("mei").say("pier", "The gondola leaves at one.");
    const { id } = sandbox.as("sarah").say("general", `<@${first.edge.discord.botId}> gondola`);
    await first.answerTo(id);
    await expect.poll(() => first.store.find(id)).toMatchObject({ state: "done" });
    const left = () => saidByBot(sandbox).map((text) => /zeppelin|gondola/.exec(text)?.[0]);
    expect(left()).toEqual(["zeppelin", "gondola"]);
    return { ...world, doomed, left };
  }

  const outage = {
    name: "is out of reach",
    hide: ({ admin }: Sandbox) => admin.setGuildAvailable(false),
    show: ({ admin }: Sandbox) => admin.setGuildAvailable(true),
  };
  const late = {
    name: "is not described",
    hide: ({ faults }: Sandbox) => faults.loseEvents(({ type }) => type === "GUILD_CREATE"),
    show({ faults }: Sandbox) {
      faults.clear();
      faults.invalidateSession();
    },
  };

  it.each([outage, late])(
    "stays while its server $name at the start, and afterwards",
    async ({ hide, show }) => {
      const { sandbox, doomed, left, restart } = await arriveTwice();
      const lines: string[] = [];
      const write = (_: object, text: string) => void lines.push(text);
      const second = await restart(
        () => {
          sandbox.as("mei").delete(doomed);
          hide(sandbox);
        },
        { log: { debug() {}, info: write, warn: write, error: write } },
      );
      await expect.poll(() => second.edge.of("gap").length).toBe(1);
      await second.agent.eraser.erase("1" as UserId);
      expect([left(), lines]).toEqual([["zeppelin", "gondola"], []]);
      show(sandbox);
      await expect.poll(left).toEqual(["zeppelin"]);
      await expect.poll(() => second.store.citing(9)).toHaveLength(1);
      expect(left()).toEqual(["zeppelin"]);
    },
    90_000,
  );

  it("keeps no other answer from going, while Discord is asked about what it rests on", async () => {
    const { sandbox, source, doomed, left, restart } = await arriveTwice();
    const asked = new Set<string>();
    const isAbout = (line: string) =>
      [source, doomed].some(({ id }) => line === `GET /channels/${source.channelId}/messages/${id}`);
    const match = (line: string) => isAbout(line) && asked.add(line).size > 0;
    const second = await restart(() => sandbox.faults.slowRest({ match, ms: 20_000, times: 100 }));
    await expect.poll(() => asked.size).toBeGreaterThan(0);
    sandbox.as("mei").delete(doomed);
    await expect.poll(left).toEqual(["zeppelin"]);
    await second.abandon();
  });
});
