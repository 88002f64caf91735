import { describe, expect, it } from "vitest";
import type { Answerer } from "../../src/agent/answerer.ts";
import { typedText } from "../../src/domain/message.ts";
import { answerWith, openTestAgent, quoting, say, type TestAgentOptions, temporaryDatabase } from "../support/agent.ts";
import { until } from "../support/edge.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function arrive(options: Partial<TestAgentOptions> = {}) {
  const requests: string[] = [];
  const sandbox = await openTestSandbox({
    rateLimits: false,
    onResponse: ({ method, path, status }) =>
      void requests.push(`${method} ${path.replaceAll(/\d{10,}/g, ":id")} ${status}`),
  });
  const failed: unknown[] = [];
  const log = { debug() {}, info() {}, warn: (fields: object) => void failed.push(fields), error() {} };
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const answerer: Answerer = answerWith(async ({ text }) => {
    begun.resolve();
    if (text === "slow") await held.promise;
    return say("Here.");
  });
  const world = await openTestAgent(sandbox, { answerer, log, ...options });
  const { botId } = world.edge.discord;
  const ask = (person: string, channel: string, text = "hello") =>
    sandbox.as(person).say(channel, `<@${botId}> ${text}`).id;
  const answersIn = (channel: string, id: string) =>
    [...(sandbox.world.channels.get(sandbox.community.channels.get(channel) ?? channel)?.messages ?? [])].filter(
      ({ authorId, more }) => authorId === botId && more?.reference?.messageId === id,
    );
  /** The question was given up, once. */
  const isGivenUp = async (id: string) => {
    await until(() => failed.length > 0, "the question was not given up");
    expect(failed).toMatchObject([{ message_id: id }]);
  };
  const sent = () => requests.filter((request) => request.startsWith("POST /channels/:id/messages"));
  /** A later question has its answer: nothing came of an earlier one. */
  const settle = () => world.answerTo(sandbox.as("olga").dm("settled?").id);
  return {
    ...{ ...world, sandbox, botId, ask, answersIn, isGivenUp, sent, settle },
    ...{ begun: begun.promise, release: held.resolve },
  };
}

describe("a question whose author may no longer be answered when the answer is ready", () => {
  it.each(["timed out", "gone from the server"])(
    "stays without one when they are %s, and nothing is sent",
    async (how) => {
      const { sandbox, ask, begun, release, isGivenUp, answersIn, sent, edge } = await arrive();
      const question = ask("sarah", "general", "slow");
      await begun;
      if (how === "timed out") sandbox.admin.timeout("sarah", 10);
      else sandbox.admin.removeMember("sarah");
      const { directory } = edge.discord;
      const sarah = sandbox.as("sarah").id as never;
      const general = sandbox.community.channels.get("general") as never;
      await expect.poll(() => directory.isTimedOut(sarah, general) || !directory.canRead(sarah, general)).toBe(true);
      release();
      await isGivenUp(question);
      expect(answersIn("general", question)).toEqual([]);
      expect(sent()).toEqual([]);
    },
  );
});

describe("a question is answered once, where it was asked", () => {
  it("in an announcement channel, from nothing but that channel", async () => {
    const { sandbox, ask, answerTo } = await arrive({ answerer: quoting });
    sandbox.as("mark").say("general", "The zeppelin lands at noon.");
    sandbox.as("mark").say("news", "The gondola leaves at one.");
    expect(typedText(await answerTo(ask("sarah", "news", "zeppelin")))).toBe("Nothing was found.");
    expect(typedText(await answerTo(ask("sarah", "news", "gondola leaves")))).toContain("The gondola leaves at one.");
  });

  it("in an age-restricted channel, whose words are used nowhere else", async () => {
    const { sandbox, ask, answerTo } = await arrive({ answerer: quoting });
    sandbox.admin.updateChannel("pier", { nsfw: true });
    sandbox.as("mark").say("pier", "The submarine is yellow.");
    expect(typedText(await answerTo(ask("sarah", "pier", "submarine yellow")))).toContain("The submarine is yellow.");
    expect(typedText(await answerTo(ask("sarah", "general", "submarine yellow")))).toBe("Nothing was found.");
  });

  it("in a forum post, be it the first message or a later one, and in the chat of a voice channel", async () => {
    const { sandbox, botId, ask, answerTo, answersIn } = await arrive();
    const { thread, message } = sandbox.as("sarah").post("help", "Glue", { what: `<@${botId}> which glue?` });
    const later = ask("mark", thread.id);
    const spoken = ask("mark", "pier");
    for (const id of [message.id, later, spoken]) await answerTo(id);
    expect([message.id, later].map((id) => answersIn(thread.id, id).length)).toEqual([1, 1]);
    expect(answersIn("pier", spoken)).toHaveLength(1);
  });

  it("in a thread that was archived meanwhile, which opens it again as Discord does", async () => {
    const { sandbox, ask, begun, release, answerTo } = await arrive();
    const thread = sandbox.as("sarah").openThread({ in: "general" }, "aside");
    const question = ask("sarah", thread.id, "slow");
    await begun;
    sandbox.admin.updateThread(thread.id, { archived: true });
    release();
    await answerTo(question);
    expect(sandbox.world.channels.get(thread.id)?.thread?.archived).toBe(false);
  });

  it("by each of 50 people who ask at the same moment", async () => {
    const { sandbox, ask, answerTo, answersIn } = await arrive();
    const people = Array.from({ length: 50 }, (_, index) => sandbox.admin.createPerson(`visitor${index}`));
    for (const person of people) sandbox.admin.addMember(person);
    const questions = people.map((person) => ask(person, "general"));
    for (const id of questions) await answerTo(id);
    expect(questions.map((id) => answersIn("general", id).length)).toEqual(Array(50).fill(1));
  });
});

describe("a question is not answered", () => {
  it("in a thread that a moderator has locked meanwhile, which stays closed, unless a moderator asks", async () => {
    const { sandbox, ask, begun, release, isGivenUp, sent, edge, answerTo } = await arrive();
    const thread = sandbox.as("sarah").openThread({ in: "general" }, "aside");
    const question = ask("sarah", thread.id, "slow");
    await begun;
    sandbox.admin.updateThread(thread.id, { locked: true, archived: true });
    await expect.poll(() => edge.discord.directory.channel(thread.id as never)?.thread?.locked).toBe(true);
    release();
    await isGivenUp(question);
    expect(sent()).toEqual([]);
    expect(sandbox.world.channels.get(thread.id)?.thread?.archived).toBe(true);
    await answerTo(ask("mei", thread.id));
  });

  it("in a channel in which the bot may not send, and no request is made", async () => {
    const { sandbox, ask, settle, answersIn, sent, edge } = await arrive();
    sandbox.admin.setOverwrite("general", "person:earshot", { deny: ["SendMessages"] });
    const question = ask("sarah", "general");
    await edge.find("message", ({ message }) => message.message_id === question);
    await settle();
    expect(answersIn("general", question)).toEqual([]);
    expect(sent()).toEqual(["POST /channels/:id/messages 200"]);
  });

  it("in a channel whose history the bot may not read, and it is given up after one round", async () => {
    const { sandbox, ask, isGivenUp, sent } = await arrive();
    sandbox.admin.setOverwrite("general", "person:earshot", { deny: ["ReadMessageHistory"] });
    await isGivenUp(ask("sarah", "general"));
    expect(sent()).toEqual([]);
  });

  it("when the mention stands in code, in a forwarded message or in a link preview", async () => {
    const { sandbox, botId, ask, answerTo, settle, answersIn, edge } = await arrive();
    const sarah = sandbox.as("sarah");
    const asked = ask("sarah", "general");
    await answerTo(asked);
    const span = sarah.say("pier", `type \`<@${botId}> hello\` or \`\`<@${botId}>\`\``).id;
    const block = sarah.say("pier", `for example\n\`\`\`\n<@${botId}> hello\n\`\`\``).id;
    const forwarded = sarah.forward(asked, "pier").id;
    const linked = sarah.say("pier", "https://example.org").id;
    sandbox.admin.previewLinks(linked, [{ title: `<@${botId}> hello`, description: `<@${botId}> hello` }]);
    await edge.find("message_update", ({ message }) => message.message_id === linked);
    await settle();
    expect([span, block, forwarded, linked].flatMap((id) => answersIn("pier", id))).toEqual([]);
  });

  it("late, when the mention stands in code", async () => {
    const file = temporaryDatabase();
    const first = await arrive({ file });
    const { sandbox, botId } = first;
    const at = Date.now();
    await first.abandon();
    const coded = sandbox.as("sarah").say("general", `type \`<@${botId}> hello\``).id;
    const question = first.ask("mark", "general");
    const answerer = answerWith(async () => say("Here."));
    const lastHeard = { load: async () => at, save: async () => {} };
    const second = await openTestAgent(sandbox, { answerer, file, lastHeard });
    await second.answerTo(question);
    await second.answerTo(sandbox.as("olga").dm("settled?").id);
    expect(first.answersIn("general", coded)).toEqual([]);
  });
});

describe("the text of a question", () => {
  it("reaches the answerer whole with 2,000 characters, and also if it is only emoji", async () => {
    const texts: string[] = [];
    const answerer = answerWith(async ({ text }) => {
      texts.push(text);
      return say("Here.");
    });
    const { sandbox, botId, ask, answerTo } = await arrive({ answerer });
    const mention = `<@${botId}> `;
    const long = mention.padEnd(2_000, "why? ").replace(/.$/, "!");
    expect(long).toHaveLength(2_000);
    await answerTo(sandbox.as("sarah").say("general", long).id);
    await answerTo(ask("sarah", "general", "🎉🎉"));
    expect(texts).toEqual([long.slice(mention.length), "🎉🎉"]);
  });
});
