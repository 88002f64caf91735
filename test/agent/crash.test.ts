import { rmSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { typedText } from "../../src/domain/message.ts";
import type { AnswerStore } from "../../src/ports/answer-store.ts";
import {
  answerWith,
  killAt,
  openTestAgent,
  quoting,
  say,
  type TestAgent,
  temporaryDatabase,
} from "../support/agent.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const answerer = answerWith(async () => say("Here."));

/** What the bot has said in a channel, as everybody sees it. */
function saidByBot(sandbox: Sandbox, channel = "general") {
  const id = sandbox.community.channels.get(channel) ?? channel;
  const bot = sandbox.community.people.get("earshot");
  return [...(sandbox.world.channels.get(id)?.messages ?? [])].filter(({ authorId }) => authorId === bot);
}

const lastHeardNow = () => {
  const at = Date.now();
  return { load: async () => at, save: async () => {} };
};

interface Kill {
  readonly step: "claim" | "plan" | "notePosted" | "finish";
  readonly when: "before" | "after";
  /** Discord posts the answer and does not say so. */
  readonly isLost: boolean;
  /** While nothing is heard. */
  readonly deleted: "nothing" | "the source" | "the question";
}

const kill: fc.Arbitrary<Kill> = fc.record({
  step: fc.constantFrom("claim", "plan", "notePosted", "finish"),
  when: fc.constantFrom("before", "after"),
  isLost: fc.boolean(),
  deleted: fc.constantFrom("nothing", "the source", "the question"),
});

it("wherever a process that answers is killed, and whatever goes meanwhile, one answer stands after the next start or none that may not", async () => {
  const property = fc.asyncProperty(kill, async ({ step, when, isLost, deleted }) => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const file = temporaryDatabase();
    const killed = Promise.withResolvers<void>();
    const wrapStore = killAt(step, when, killed.resolve);
    const first = await openTestAgent(sandbox, { answerer: quoting, file, wrapStore });
    const source = sandbox.as("mei").say("general", "The zeppelin lands at noon.");
    if (isLost) sandbox.faults.hangUpRest({ match: /^POST .*\/messages$/, after: true });
    const question = sandbox.as("sarah").say("general", `<@${first.edge.discord.botId}> zeppelin`);
    await killed.promise;
    const lastHeard = lastHeardNow();
    await first.abandon();
    sandbox.faults.clear();
    if (deleted === "the source") sandbox.as("mei").delete(source);
    if (deleted === "the question") sandbox.as("sarah").delete(question);
    const second = await openTestAgent(sandbox, { answerer: quoting, file, lastHeard });
    await expect.poll(async () => (await second.store.unfinished()).length).toBe(0);
    await settle(second, sandbox);
    const texts = () => saidByBot(sandbox).map(({ content }) => content.replace(/^-#.*\n/u, ""));
    if (deleted === "nothing") expect(texts()).toEqual([expect.stringContaining("lands at noon")]);
    else if (deleted === "the question") await expect.poll(texts).toEqual([]);
    else await expect.poll(() => texts().filter((text) => text !== "Nothing was found.")).toEqual([]);
    expect(texts().length).toBeLessThanOrEqual(1);
    await second.agent.close();
    await second.abandon();
    // On PostgreSQL the next world takes its tables over.
    rmSync(dirname(file), { recursive: true });
  });
  // Right between the moment in which it stands there and the one in which that is known.
  const sent = { step: "notePosted", when: "before", isLost: true } as const;
  const examples = (["the source", "the question"] as const).map((deleted): [Kill] => [{ ...sent, deleted }]);
  await fc.assert(property, { numRuns: Number(process.env["SOAK_RUNS"] ?? 12), examples });
});

describe("a question that was cut off and lies in the gap as well", () => {
  it("is answered once, also if the look into the gap comes to it just before the recovery does", async () => {
    const reads: string[] = [];
    const sandbox = await openTestSandbox({
      rateLimits: false,
      onResponse: ({ method, path }) => void reads.push(`${method} ${path}`),
    });
    const file = temporaryDatabase();
    const killed = Promise.withResolvers<void>();
    const first = await openTestAgent(sandbox, { answerer, file, wrapStore: killAt("claim", "after", killed.resolve) });
    const question = sandbox.as("sarah").say("general", `<@${first.edge.discord.botId}> where?`);
    await killed.promise;
    const lastHeard = lastHeardNow();
    await first.abandon();
    // The look into the gap goes first, and stays where it is until the recovery has had its turn.
    const [looked, recovered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const wrapStore = (store: AnswerStore): AnswerStore => ({
      ...store,
      async claim(claim) {
        if (claim.questionId === question.id) looked.resolve();
        if (claim.questionId === question.id) await recovered.promise;
        return store.claim(claim);
      },
      async find(id) {
        if (id === question.id) looked.resolve();
        return store.find(id);
      },
      async claimAgain(id, at) {
        await looked.promise;
        return store.claimAgain(id, at);
      },
    });
    reads.length = 0;
    const second = await openTestAgent(sandbox, { answerer, file, lastHeard, wrapStore });
    const reread = `GET /channels/${question.channelId}/messages/${question.id}`;
    await expect.poll(() => reads.join("\n")).toContain(reread);
    await settle(second, sandbox);
    recovered.resolve();
    await expect.poll(() => second.store.find(question.id)).toMatchObject({ state: "done" });
    expect(saidByBot(sandbox)).toHaveLength(1);
  });
});

describe("an answer whose source was deleted while the bot was away", () => {
  it("goes after the next start, also if the process was killed right after it left", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const file = temporaryDatabase();
    const killed = Promise.withResolvers<void>();
    const wrapStore = killAt("notePosted", "before", killed.resolve);
    const first = await openTestAgent(sandbox, { answerer: quoting, file, wrapStore });
    const source = sandbox.as("mei").say("general", "The zeppelin lands at noon.");
    sandbox.as("sarah").say("general", `<@${first.edge.discord.botId}> zeppelin`);
    await killed.promise;
    const lastHeard = lastHeardNow();
    await first.abandon();
    expect(saidByBot(sandbox)).toHaveLength(1);
    sandbox.as("mei").delete(source);
    await openTestAgent(sandbox, { answerer: quoting, file, lastHeard });
    await expect.poll(() => saidByBot(sandbox)).toEqual([]);
  });
});

describe("questions that were asked while the bot was away", () => {
  it("are answered late, but not those that were answered by a person, deleted, or not meant for the bot", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const file = temporaryDatabase();
    const first = await openTestAgent(sandbox, { answerer, file });
    const { botId } = first.edge.discord;
    const mine = await first.answerTo(sandbox.as("sarah").say("general", `<@${botId}> hello`).id);
    const lastHeard = lastHeardNow();
    await first.abandon();
    const missed = sandbox.as("sarah").say("general", `<@${botId}> where?`);
    const replied = sandbox.as("mei").reply(mine.message_id, "and me?");
    const answered = sandbox.as("mark").say("general", `<@${botId}> when?`);
    sandbox.as("mei").reply(answered, "at noon");
    const deleted = sandbox.as("mark").say("general", `<@${botId}> who?`);
    sandbox.as("mark").delete(deleted);
    sandbox.as("mark").say("general", "nobody in particular?");
    const second = await openTestAgent(sandbox, { answerer, file, lastHeard });
    const late = await second.answerTo(missed.id);
    expect(typedText(late)).toBe("-# You asked this while I was away; this is my answer from now.\nHere.");
    await second.answerTo(replied.id);
    await settle(second, sandbox);
    expect(saidByBot(sandbox)).toHaveLength(3);
  });

  it("are left alone if they are older than a restored backup, which does not know what was answered", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const file = temporaryDatabase();
    const first = await openTestAgent(sandbox, { answerer, file });
    const { botId } = first.edge.discord;
    const lastHeard = lastHeardNow();
    await first.abandon();
    const older = sandbox.as("sarah").say("general", `<@${botId}> where?`);
    const restoredAt = Date.now() + 1;
    await expect.poll(() => Date.now()).toBeGreaterThan(restoredAt);
    const missed = sandbox.as("mark").say("general", `<@${botId}> when?`);
    const second = await openTestAgent(sandbox, { answerer, file, lastHeard, restoredAt });
    await second.answerTo(missed.id);
    await settle(second, sandbox);
    expect(await second.store.find(older.id)).toBeNull();
  });

  it("are answered in direct messages, too, where the person had asked before", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const file = temporaryDatabase();
    const first = await openTestAgent(sandbox, { answerer, file });
    await first.answerTo(sandbox.as("sarah").dm("hello?").id);
    const lastHeard = lastHeardNow();
    await first.abandon();
    const missed = sandbox.as("sarah").dm("where?");
    const second = await openTestAgent(sandbox, { answerer, file, lastHeard });
    await expect
      .poll(() => [...(sandbox.world.channels.get(missed.channelId)?.messages ?? [])].at(-1)?.content)
      .toContain("You asked this while I was away");
    await expect.poll(() => second.store.find(missed.id)).toMatchObject({ state: "done" });
  });

  it("are found behind more messages than Discord hands out at once", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const file = temporaryDatabase();
    const first = await openTestAgent(sandbox, { answerer, file });
    const { botId } = first.edge.discord;
    const lastHeard = lastHeardNow();
    await first.abandon();
    const missed = sandbox.as("sarah").say("general", `<@${botId}> where?`);
    for (let count = 0; count < 120; count += 1) sandbox.as("mark").say("general", `line ${count}`);
    const second = await openTestAgent(sandbox, { answerer, file, lastHeard });
    await second.answerTo(missed.id);
    expect(saidByBot(sandbox)).toHaveLength(1);
  });

  it("are left alone after a longer absence, and where nothing was said no request is made", async () => {
    const requests: string[] = [];
    const sandbox = await openTestSandbox({
      rateLimits: false,
      onResponse: ({ method, path }) => void requests.push(`${method} ${path}`),
    });
    const file = temporaryDatabase();
    const first = await openTestAgent(sandbox, { answerer, file });
    const { botId } = first.edge.discord;
    await first.abandon();
    sandbox.as("sarah").say("general", `<@${botId}> where?`);
    const at = Date.now() - 10 * 60_000;
    const longAgo = { load: async () => at, save: async () => {} };
    const second = await openTestAgent(sandbox, { answerer, file, lastHeard: longAgo });
    await settle(second, sandbox);
    expect(saidByBot(sandbox)).toEqual([]);
    const quiet = lastHeardNow();
    await second.abandon();
    requests.length = 0;
    const third = await openTestAgent(sandbox, { answerer, file, lastHeard: quiet });
    const question = sandbox.as("sarah").say("news", `<@${botId}> hello`);
    await third.answerTo(question.id);
    // There, the answer is already looked after.
    const elsewhere = requests.filter((request) => !request.includes(question.channelId));
    const read = elsewhere.filter((request) => request.startsWith("GET") && request.includes("/messages"));
    // Olga's direct message was written right before the end.
    const talk = sandbox.as("olga").dm("thanks").channelId;
    const expected = [sandbox.community.channels.get("general"), talk].map((id) => `GET /channels/${id}/messages`);
    expect(new Set(read)).toEqual(new Set(expected));
  });
});

/** What was begun before has come to an end: questions of one person are answered in turn. */
async function settle(agent: TestAgent, sandbox: Sandbox): Promise<void> {
  const marker = sandbox.as("olga").dm("settled?");
  await agent.answerTo(marker.id);
}
