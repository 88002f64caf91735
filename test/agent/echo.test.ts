import { describe, expect, it } from "vitest";
import { createBuiltinAnswerer } from "../../src/agent/builtin/builtin-answerer.ts";
import { typedText } from "../../src/domain/message.ts";
import { answerWith, openTestAgent, say, type TestAgentOptions } from "../support/agent.ts";
import { openModelAnswerer } from "../support/model-answerer.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { scriptChat, toldIn } from "../support/scripted-chat.ts";

const PEOPLE = ["sarah", "mei", "olga", "mark"];

async function arrive(options: Partial<TestAgentOptions> = {}) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const world = await openTestAgent(sandbox, { answerer: createBuiltinAnswerer(), ...options });
  const { botId } = world.edge.discord;
  const put = (as: string, where: string, text: string) => sandbox.as(as).say(where, `<@${botId}> ${text}`);
  const ask = async (as: string, where: string, text: string) =>
    typedText(await world.answerTo(put(as, where, text).id));
  /** Until all that was said so far was heard. */
  const settle = () => world.answerTo(sandbox.as("olga").dm("hello").id);
  const find = async (query: string, args: object = {}, tool = "search_messages") => {
    await settle();
    const found = (await world.call(tool, { query, ...args }, { as: "sarah", in: "general" })) as {
      readonly hits: readonly { readonly message: { readonly content: string } }[];
    };
    return found.hits.map(({ message }) => message.content);
  };
  return { ...world, sandbox, botId, put, ask, settle, find };
}

const STATEMENT = "Everybody, regatta: Saturday 26 June, all boats.";

describe("a question that the agent is asked again and again", () => {
  const LONG =
    "Hi all, the committee met yesterday, and after a long talk about moorings, fees and the new pontoon we have a date for the spring regatta: it is the 26th of June, as every year with cake and a brass band.";

  it("is still answered the forty-fifth time, whoever asks it where", async () => {
    const { sandbox, ask } = await arrive();
    sandbox.as("mark").say("general", LONG);
    for (let time = 1; time <= 45; time += 1) {
      const answer = await ask(PEOPLE[time % 4] ?? "", time % 2 ? "general" : "pier", "when does the regatta start?");
      expect(`${time}: ${answer}`).toContain("the 26th of June");
    }
  });

  it.each([
    ["German", "wann beginnt die Regatta"],
    ["Spanish", "dime cuándo empieza la regata"],
    ["French", "dis-moi quand commence la régate"],
    ["Portuguese", "quando começa a regata"],
    ["Japanese", "レガッタの日を教えてください"],
    ["Korean", "레가타가 언제예요"],
    ["Dutch", "wanneer begint de regatta"],
    ["keywords", "regatta date"],
  ])("takes no place in a search when it is asked in %s, by reply or by mention", async (_, question) => {
    const { sandbox, botId, find } = await arrive({ answerer: answerWith(async () => say("The regatta? Not yet.")) });
    sandbox.as("mark").say("general", STATEMENT);
    const bot = sandbox.as("earshot");
    const posted = bot.say("general", "I am here now.");
    for (let time = 0; time < 6; time += 1) {
      const asked = time % 2 ? sandbox.as("mei").say("general", `<@${botId}> ${question}`) : null;
      const follow = question === "regatta date" ? null : sandbox.as("mei").reply(posted, question);
      for (const one of [asked, follow])
        if (one) bot.reply(one, `regatta, régate, regata, レガッタ, 레가타: ${question}`);
    }
    for (const query of ["regatta", question])
      expect(await find(query)).not.toContainEqual(expect.stringContaining(question));
    expect(await find("regatta")).toEqual([STATEMENT]);
  });

  it("does not fill searches, catch-ups, the window or the latest messages", async () => {
    const { sandbox, ask, find, call } = await arrive();
    sandbox.as("mark").say("general", STATEMENT);
    for (let time = 0; time < 8; time += 1)
      await ask(PEOPLE[time % 4] ?? "", "general", "when does the regatta start?");
    for (const tool of ["search_messages", "search_channel_messages"])
      expect(await find("when does the regatta start?", {}, tool)).toEqual([STATEMENT]);
    const where = { as: "sarah", in: "general" };
    const { messages } = (await call("discord.search.window", { query: "regatta" }, where)) as {
      messages: { content: string }[];
    };
    expect(messages.map(({ content }) => content)).toEqual([STATEMENT]);
    expect(await call("get_channel_summary", { timeframe: "today" }, where)).toMatchObject({ messages: 1 });
    const window = (await call("context.window", {}, { as: "gabriel", in: "general" })) as {
      threads: { messages: { content: string }[] }[];
    };
    expect(window.threads.flatMap((thread) => thread.messages.map(({ content }) => content))).toEqual([STATEMENT]);
    const latest = await ask("sarah", "general", "what are the last messages?");
    expect(latest).toContain("Saturday 26 June");
    expect(latest).not.toContain("when does");
  });

  it("is told where it is asked for", async () => {
    const { sandbox, botId, ask, find, call } = await arrive();
    sandbox.as("mark").say("general", STATEMENT);
    await ask("sarah", "general", "when does the regatta start?");
    const question = `<@${botId}> when does the regatta start?`;
    const all = await find("when does the regatta start?", { include_own: true });
    expect(all).toHaveLength(3);
    expect(all).toEqual(expect.arrayContaining([STATEMENT, question, expect.stringContaining("no model was asked")]));
    const where = { as: "sarah", in: "general" };
    const own = { query: "regatta", include_own: true };
    expect(await call("discord.search.window", own, where)).toMatchObject({ messages: { length: 3 } });
    expect(await call("get_channel_summary", { timeframe: "today", include_own: true }, where)).toMatchObject({
      messages: 3,
    });
    const told = await ask("sarah", "general", "what did I ask you?");
    expect(told).toContain("when does the regatta start?");
    expect(told).not.toContain("Saturday");
    expect(await ask("mei", "general", "what did I ask you?")).toContain("No messages found from mei");
  });
});

describe("what people say to the agent, or because of a question to it", () => {
  it("is evidence if it states something, also when the agent has answered it", async () => {
    const { sandbox, ask, settle } = await arrive();
    sandbox.as("mark").say("general", "The regatta is on the 25th of June.");
    await settle();
    await ask("mei", "general", "no, the regatta is on the 26th of June now");
    expect(await ask("sarah", "general", "when is the regatta?")).toMatch(
      /^mei in #general, now: “no, the regatta is on the 26th of June now”.*\nEarlier, mark/m,
    );
  });

  it.each(["question", "answer"])("answers the next one who asks if it was a reply to the %s", async (which) => {
    const { sandbox, put, ask, answerTo, find } = await arrive();
    const question = put("sarah", "general", "when does the chess evening begin?");
    const answer = await answerTo(question.id);
    expect(typedText(answer)).toContain("No messages found");
    const target = { channelId: question.channelId, id: which === "question" ? question.id : answer.message_id };
    sandbox.as("mark").reply(target, "at ten");
    const said = await ask("mei", "pier", "when does the chess evening begin?");
    expect(said).toContain("“at ten”");
    expect(await find("chess evening")).toEqual(["at ten"]);
  });

  it("is no answer to a question that it does not reply to", async () => {
    const { sandbox, ask, put, answerTo } = await arrive();
    await answerTo(put("sarah", "general", "when does the chess evening begin?").id);
    sandbox.as("mark").say("general", "at ten");
    expect(await ask("mei", "general", "when does the chess evening begin?")).toContain("No messages found");
  });

  it("stays findable in direct messages for the person, and the agent's answers there do not", async () => {
    const { sandbox, answerTo, find, edge, call } = await arrive();
    await answerTo(sandbox.as("sarah").dm("my locker is number seven").id);
    const answer = await answerTo(sandbox.as("sarah").dm("which number is the locker?").id);
    expect(typedText(answer)).toContain("number seven");
    const dm = await edge.discord.openDm(sandbox.as("sarah").id as never);
    const { hits } = (await call("search_messages", { query: "locker" }, { as: "sarah", in: dm })) as {
      hits: { message: { author: { bot: boolean }; content: string } }[];
    };
    expect(hits.map(({ message }) => message.content)).toContain("my locker is number seven");
    expect(hits.filter(({ message }) => message.author.bot)).toEqual([]);
    expect(await find("locker")).toEqual([]);
  });
});

describe("a message of the bot's that is no answer", () => {
  it("is evidence: it was posted for somebody", async () => {
    const { sandbox, ask, gate, open, settle } = await arrive();
    const operation = await open("mark", "general");
    const args = { channel_id: sandbox.community.channels.get("general"), text: "The regatta is on the 26th of June." };
    await gate.callTool({ name: "discord.send", args, operation });
    await settle();
    expect(await ask("sarah", "general", "when is the regatta?")).toMatch(/Earshot in #general.*the 26th of June/);
  });
});

describe("an exchange with the agent that was not heard as it happened", () => {
  it("is recognised in history that is read after a start", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const first = await openTestAgent(sandbox, { answerer: createBuiltinAnswerer() });
    const { botId } = first.edge.discord;
    sandbox.as("mark").say("general", STATEMENT);
    for (const who of ["sarah", "mei", "olga"])
      await first.answerTo(sandbox.as(who).say("general", `<@${botId}> when does the regatta start?`).id);
    await first.answerTo(sandbox.as("mei").say("general", `<@${botId}> regatta date`).id);
    await first.abandon();
    const second = await openTestAgent(sandbox, { answerer: createBuiltinAnswerer() });
    const { hits } = (await second.call("search_messages", { query: "regatta" }, { as: "sarah", in: "general" })) as {
      hits: { message: { content: string } }[];
    };
    expect(hits.map(({ message }) => message.content)).toEqual([STATEMENT]);
  });

  it("stays recognised when the question was deleted, or edited so that it states something", async () => {
    const { sandbox, put, answerTo, find, edge, settle } = await arrive({
      answerer: answerWith(async () => say("The regatta is on the 19th.")),
    });
    const deleted = put("sarah", "general", "regatta when?");
    const edited = put("mei", "general", "regatta when?");
    await answerTo(deleted.id);
    await answerTo(edited.id);
    sandbox.as("sarah").delete(deleted);
    sandbox.as("mei").edit(edited, "the regatta is on the 26th");
    await edge.find("message_update", ({ message }) => message.message_id === edited.id);
    await settle();
    expect(await find("regatta")).toEqual(["the regatta is on the 26th"]);
  });
});

describe("an agent with a model", () => {
  it("is shown the exchange that a question goes on from, and no other", async () => {
    const model = scriptChat((request) =>
      toldIn(request).includes("and the swim") ? "At noon." : `Answer ${toldIn(request).length}.`,
    );
    const { sandbox, ask } = await arrive({ answerer: openModelAnswerer(model) });
    sandbox.as("mark").say("general", "the swim is at noon");
    await ask("mei", "general", "when is the raffle?");
    const mine = await ask("sarah", "general", "when is the regatta?");
    await ask("olga", "general", "when is the concert?");
    expect(await ask("sarah", "general", "and the swim?")).toContain("At noon.");
    const told = toldIn(model.requests.at(-1) as never);
    expect(told).toContain("when is the regatta?");
    expect(told).toContain(mine.replace("Without a source: ", ""));
    expect(told).toContain("the swim is at noon");
    expect(told).not.toMatch(/raffle|concert/);
  });

  it("can cite a statement to the bot, and neither a question nor an answer of its own", async () => {
    const handle = (told: string, words: string) => new RegExp(`\\b(m\\d+) [^\\n]*${words}`).exec(told)?.[1] ?? "m999";
    const model = scriptChat((request, count) =>
      count % 2 === 1
        ? { calls: [["get_recent_messages", { limit: 50 }]] }
        : `So: [${handle(toldIn(request), "26th now")}] [${handle(toldIn(request), "which day")}] [${handle(toldIn(request), "So:")}].`,
    );
    const { ask } = await arrive({ answerer: openModelAnswerer(model) });
    await ask("mei", "general", "which day is it?");
    await ask("mark", "general", "it is the 26th now");
    expect((await ask("sarah", "general", "when?")).match(/\[\d\]\(/g)).toHaveLength(1);
  });
});
