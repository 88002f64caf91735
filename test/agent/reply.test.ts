import { describe, expect, it } from "vitest";
import type { ChannelId, MessageId, UserId } from "../../src/domain/ids.ts";
import { typedText } from "../../src/domain/message.ts";
import { answerWith, openTestAgent, quoting, say } from "../support/agent.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const hello = answerWith(async () => say("Hello!"));

async function arrive(options: Partial<Parameters<typeof openTestAgent>[1]> = {}) {
  const requests: string[] = [];
  const sandbox = await openTestSandbox({
    onResponse: ({ method, path }) => void requests.push(`${method} ${path.replaceAll(/\d{10,}/g, ":id")}`),
  });
  const world = await openTestAgent(sandbox, { answerer: hello, ...options });
  const { discord } = world.edge;
  const ask = (person: string, channel: string, text: string) =>
    sandbox.as(person).say(channel, `<@${discord.botId}> ${text}`).id;
  const gone = (id: string) =>
    world.edge.find("message_delete", ({ messageIds }) => messageIds.includes(id as MessageId));
  const channel = (key: string) => sandbox.community.channels.get(key) as ChannelId;
  /** Messages of the bot's own that were heard. */
  const own = () => world.edge.of("message").filter(({ message }) => message.author.id === discord.botId);
  return { requests, ...world, discord, ask, gone, channel, own };
}

describe("an answer of the agent", () => {
  it("replies to a mention, to a reply and to a direct message, each with one request", async () => {
    const { sandbox, ask, answerTo, requests } = await arrive();
    const before = requests.length;
    const first = await answerTo(ask("sarah", "general", "hello"));
    expect(typedText(first)).toBe("Hello!");
    await answerTo(sandbox.as("mark").reply(first.message_id, "and me?").id);
    await answerTo(sandbox.as("sarah").dm("hello").id);
    // That the bot is writing is shown on a slow machine.
    const needed = requests.slice(before).filter((request) => !request.endsWith("/typing"));
    expect(needed).toEqual(Array(3).fill("POST /channels/:id/messages"));
  });

  it("is not given where it is switched off, to other bots, or to what does not address the bot", async () => {
    const off: string[] = [];
    const { sandbox, ask, answerTo, own, channel } = await arrive({ settings: { off } });
    off.push(channel("pier"));
    ask("sarah", "pier", "hello");
    sandbox.as("sarah").say("general", "@everyone hello");
    sandbox.as("gabriel").say("general", `<@${sandbox.community.people.get("earshot")}> hello`);
    await answerTo(ask("sarah", "general", "hello"));
    expect(own()).toHaveLength(1);
  });

  it("cites its sources as links, and follows them: it goes when one is deleted or its author wants to be left out", async () => {
    const { sandbox, ask, answerTo, gone, consent, store } = await arrive({ answerer: quoting });
    const source = sandbox.as("mark").say("general", "The zeppelin lands on Thursday at noon.");
    const other = sandbox.as("mei").say("general", "The gondola needs varnish.");
    const answer = await answerTo(ask("sarah", "general", "zeppelin lands"));
    expect(typedText(answer)).toMatch(/^> The zeppelin lands on Thursday at noon\. \[1\]\(<https:\/\/\S+>\)$/);
    const second = await answerTo(ask("sarah", "general", "gondola varnish"));
    sandbox.as("mark").delete(source);
    await gone(answer.message_id);
    consent.set(other.authorId, true);
    await gone(second.message_id);
    await expect.poll(() => store.citing(10)).toEqual([]);
  });

  it("goes when its source can no longer be read by everybody who sees it", async () => {
    const { sandbox, ask, answerTo, gone } = await arrive({ answerer: quoting });
    sandbox.as("mark").say("pier", "The submarine is yellow.");
    const answer = await answerTo(ask("sarah", "general", "submarine yellow"));
    expect(typedText(answer)).toContain("yellow");
    sandbox.admin.setOverwrite("pier", "everyone", { deny: ["ViewChannel"] });
    await gone(answer.message_id);
  });

  it("is withdrawn with its question, and not given when the question is deleted before", async () => {
    const held = Promise.withResolvers<void>();
    const { sandbox, ask, answerTo, gone, own, store } = await arrive({
      answerer: answerWith(async ({ text }) => {
        if (text === "slow") await held.promise;
        return say("Here.");
      }),
    });
    const question = ask("sarah", "general", "fast");
    const answer = await answerTo(question);
    sandbox.as("sarah").delete(question);
    await gone(answer.message_id);
    const slow = ask("sarah", "general", "slow");
    await expect.poll(() => store.find(slow)).not.toBeNull();
    sandbox.as("sarah").delete(slow);
    await gone(slow);
    held.resolve();
    await expect.poll(() => store.find(slow)).toMatchObject({ state: "done" });
    await answerTo(ask("sarah", "general", "last"));
    expect(own().map(({ message }) => message.reply_to?.message_id)).not.toContain(slow);
  });

  it("begins again when its question is edited before it is there", async () => {
    const held = Promise.withResolvers<void>();
    const { sandbox, ask, answerTo, own, store } = await arrive({
      answerer: answerWith(async ({ text }) => {
        if (text === "first") await held.promise;
        return say(`You said ${text}.`);
      }),
    });
    const question = ask("sarah", "general", "first");
    await expect.poll(() => store.find(question)).not.toBeNull();
    sandbox.as("sarah").edit(question, `<@${sandbox.community.people.get("earshot")}> second`);
    expect(typedText(await answerTo(question))).toBe("You said second.");
    held.resolve();
    await answerTo(ask("sarah", "general", "third"));
    expect(own()).toHaveLength(2);
  });

  it("is a reaction where words are not needed, and knows nothing of the turn before in isolation", async () => {
    const seen: unknown[] = [];
    const { ask, answerTo, edge } = await arrive({
      answerer: answerWith(async ({ text, isIsolated, before }) => {
        seen.push({ text, isIsolated, hasBefore: (await before()) !== null });
        if (text === "thanks") return { kind: "reaction", emoji: "👍" };
        const turn = { tool: "x", args: {}, question: text, language: "en", people: [], shown: [] };
        return say("Yes.", { turn });
      }),
    });
    await answerTo(ask("sarah", "general", "one"));
    await answerTo(ask("sarah", "general", "two"));
    await answerTo(ask("mark", "general", "three"));
    await answerTo(ask("sarah", "general", "🚫 four"));
    const thanks = ask("sarah", "general", "thanks");
    await edge.find("reaction", ({ messageId }) => messageId === thanks);
    expect(seen).toEqual([
      { text: "one", isIsolated: false, hasBefore: false },
      { text: "two", isIsolated: false, hasBefore: true },
      { text: "three", isIsolated: false, hasBefore: false },
      { text: "four", isIsolated: true, hasBefore: false },
      { text: "thanks", isIsolated: false, hasBefore: true },
    ]);
  });

  it("is looked for again when what it rests on may no longer be told there, and then says one constant sentence", async () => {
    const rooms = ["pier", "news"];
    const { sandbox, ask, answerTo, discord, channel } = await arrive({
      answerer: answerWith(async (question, toolbox) => {
        const answer = await quoting.answer(question, toolbox);
        const room = rooms.shift() ?? "";
        sandbox.admin.setOverwrite(room, "everyone", { deny: ["ViewChannel"] });
        const mark = sandbox.community.people.get("mark") as UserId;
        await expect.poll(() => discord.directory.canView(mark, channel(room))).toBe(false);
        return answer;
      }),
    });
    sandbox.as("mark").say("pier", "The submarine is yellow.");
    sandbox.as("olga").say("news", "A yellow submarine was seen.");
    expect(typedText(await answerTo(ask("sarah", "general", "submarine yellow")))).toBe("I can't answer that here.");
    expect(rooms).toEqual([]);
  });
});
