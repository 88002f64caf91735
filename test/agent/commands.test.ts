import { describe, expect, it, onTestFinished } from "vitest";
import type { InteractionRecord, MessageRecord } from "../../sandbox/world/records.ts";
import { searchMessages } from "../../src/tools/search-messages.ts";
import { buttonId } from "../discord-transport/open-harbour.ts";
import { answerWith, openTestAgent, quoting, say } from "../support/agent.ts";
import { until } from "../support/edge.ts";
import { openTestSandbox } from "../support/sandbox.ts";
import { openAgentCommand } from "./open-agent-command.ts";

/** The pier is for Sarah, Mei and the bot alone. */
async function arrive(answerer = quoting) {
  const sandbox = await openTestSandbox({ rateLimits: false });
  sandbox.admin.setOverwrite("pier", "everyone", { deny: ["ViewChannel"] });
  for (const who of ["person:sarah", "person:mei", "person:earshot"])
    sandbox.admin.setOverwrite("pier", who, { allow: ["ViewChannel"] });
  const world = await openTestAgent(sandbox, { answerer });
  const commands = openAgentCommand(world);
  onTestFinished(() => commands.close());
  await commands.offered;
  const whispered = (asking: InteractionRecord): Promise<MessageRecord> =>
    until(() => [...asking.ephemeral.values()].find(({ content }) => content !== ""), "no whisper");
  const bot = world.edge.discord.botId;
  const said = (channel: string): MessageRecord[] => {
    const id = sandbox.community.channels.get(channel) ?? channel;
    return [...(sandbox.world.channels.get(id)?.messages ?? [])].filter(({ authorId }) => authorId === bot);
  };
  const click = (who: string, message: MessageRecord, label: string) =>
    whispered(sandbox.as(who).click(message, buttonId(message, label)));
  return { ...world, whispered, said, click, bot };
}

describe("/agent", () => {
  it("answers the person alone, with all that they can read, unless told otherwise", async () => {
    const { sandbox, whispered, said } = await arrive();
    sandbox.as("mei").say("pier", "The zeppelin lands at noon.");
    const answer = await whispered(sandbox.as("sarah").run("agent", { question: "zeppelin" }, { in: "general" }));
    expect(answer.content).toMatch(/^> The zeppelin lands at noon\. \[1\]/);
    const other = await whispered(sandbox.as("mark").run("agent", { question: "zeppelin" }, { in: "general" }));
    expect(other.content).toBe("Nothing was found.");
    expect(said("general")).toEqual([]);
  });

  it("answers in public with the question quoted, from what everyone there can see, and follows its sources", async () => {
    const { sandbox, said, edge } = await arrive();
    sandbox.as("mei").say("pier", "The zeppelin is red.");
    const source = sandbox.as("mei").say("general", "The zeppelin is green.");
    sandbox.as("sarah").run("agent", { question: "zeppelin *colour*", private: false }, { in: "general" });
    const answer = await until(() => said("general").find(({ content }) => content !== ""), "no answer");
    expect(answer.content).toMatch(/^> zeppelin \\\*colour\\\*\n> The zeppelin is green\. \[1\]/);
    sandbox.as("mei").delete(source);
    await edge.find("message_delete", ({ messageIds }) => messageIds.includes(answer.id as never));
  });

  it("has dates in numbers read by the language of the person's Discord, in private and in public answers and for a press", async () => {
    const passOn = answerWith(async (_, toolbox) => {
      const { note } = await toolbox.call(searchMessages, { query: "zeppelin", since: "3/4/2020" });
      return say(note ?? "No note.");
    });
    const { sandbox, whispered, said, click } = await arrive(passOn);
    sandbox.admin.setLocale("sarah", "en-GB");
    const run = (who: string, more = {}) => sandbox.as(who).run("agent", { question: "?", ...more }, { in: "general" });
    expect((await whispered(run("sarah"))).content).toContain("was read as 2020-04-03");
    expect((await whispered(run("mark"))).content).toContain("was read as 2020-03-04");
    run("sarah", { private: false });
    const open = await until(() => said("general").find(({ content }) => content !== ""), "no answer");
    expect(open.content).toContain("was read as 2020-04-03");
    expect((await click("mark", open, "Ask privately")).content).toContain("was read as 2020-03-04");
  });

  it("tells a refusal to the person alone, and takes the open promise back", async () => {
    const { sandbox, whispered, said } = await arrive();
    sandbox.admin.setOverwrite("general", "person:mark", { deny: ["SendMessages"] });
    const asking = sandbox.as("mark").run("agent", { question: "zeppelin", private: false }, { in: "general" });
    const answer = await whispered(asking);
    expect(answer.content).toContain("may not speak");
    expect(said("general")).toEqual([]);
  });

  it("answers a question about a message from its menu", async () => {
    const seen: (string | undefined)[] = [];
    const { sandbox, whispered } = await arrive(
      answerWith(async ({ about }) => {
        seen.push(about?.content);
        return say("That.");
      }),
    );
    const message = sandbox.as("mark").say("general", "The tide turns at four.");
    await whispered(sandbox.as("sarah").menu("Ask about this", message));
    expect(seen).toEqual(["The tide turns at four."]);
  });
});

describe("the buttons under an answer", () => {
  it("show each presser the sources that they can read now, hidden and gone alike", async () => {
    const { sandbox, answerTo, said, click, bot } = await arrive();
    sandbox.as("mei").say("general", "The zeppelin is green.");
    await answerTo(sandbox.as("sarah").say("general", `<@${bot}> zeppelin`).id);
    const [answer] = said("general");
    if (!answer) throw new Error("no answer");
    const shown = await click("mark", answer, "Sources");
    expect(shown.content).toMatch(/^- \*\*mei\*\*: The zeppelin is green\. \[open\]\(<https:/);
    sandbox.admin.setOverwrite("general", "person:mark", { deny: ["ReadMessageHistory"] });
    const hidden = await click("mark", answer, "Sources");
    expect(hidden.content).toBe("There is nothing here that you can read, or it is gone.");
  });

  it("show sources in other channels too, to those who can read them", async () => {
    const { sandbox, answerTo, said, click, bot } = await arrive();
    sandbox.as("olga").say("news", "The zeppelin is blue.");
    await answerTo(sandbox.as("sarah").say("general", `<@${bot}> zeppelin`).id);
    const [answer] = said("general");
    if (!answer) throw new Error("no answer");
    expect((await click("mark", answer, "Sources")).content).toMatch(/^- \*\*Olga\*\*: The zeppelin is blue\./);
  });

  it("tell who presses after the question was deleted, or cannot read it any more, that it is gone", async () => {
    const asked: string[] = [];
    const { sandbox, answerTo, said, click, bot } = await arrive(
      answerWith(async ({ actor }) => {
        asked.push(actor.id);
        return say("Yes.");
      }),
    );
    await answerTo(sandbox.as("sarah").say("general", `<@${bot}> salaries?`).id);
    const [answer] = said("general");
    if (!answer) throw new Error("no answer");
    sandbox.admin.setOverwrite("general", "person:mark", { deny: ["ReadMessageHistory"] });
    const gone = "The question is gone, or you cannot read it.";
    expect((await click("mark", answer, "Ask privately")).content).toBe(gone);
    expect(asked).toEqual([sandbox.community.people.get("sarah")]);
  });

  it("ask the same for the presser alone, in the words of the one who asked, and do nothing because of them", async () => {
    const seen: unknown[] = [];
    const { sandbox, answerTo, said, click, bot } = await arrive(
      answerWith(async ({ text, actor, isPrivate, quotedFrom, before }) => {
        seen.push({ text, actor: actor.id, isPrivate, quotedFrom, hasBefore: (await before()) !== null });
        const turn = { tool: "x", args: {}, question: text, language: "en", people: [], shown: [] };
        return say("Yes.", { turn });
      }),
    );
    await answerTo(sandbox.as("sarah").say("general", `<@${bot}> what do you know about me?`).id);
    const [answer] = said("general");
    if (!answer) throw new Error("no answer");
    expect((await click("mark", answer, "Ask privately")).content).toBe("Yes.");
    const [sarah, mark] = ["sarah", "mark"].map((key) => sandbox.community.people.get(key));
    const text = "what do you know about me?";
    expect(seen).toEqual([
      { text, actor: sarah, isPrivate: false, quotedFrom: null, hasBefore: false },
      { text, actor: mark, isPrivate: true, quotedFrom: "Skipper", hasBefore: false },
    ]);
  });

  it("let the person who asked choose when several could be meant", async () => {
    const { sandbox, answerTo, said, click, bot } = await arrive(
      answerWith(async ({ text }) => {
        if (text !== "what did he say?") return say(`You asked: ${text}`);
        const choices = ["Mark", "Marko"].map((label) => ({ label, question: `what did ${label} say?` }));
        return say("Which one?", { choices });
      }),
    );
    await answerTo(sandbox.as("sarah").say("general", `<@${bot}> what did he say?`).id);
    const [answer] = said("general");
    if (!answer) throw new Error("no answer");
    expect((await click("mark", answer, "Marko")).content).toBe("Only the person who asked can choose; ask yourself.");
    expect((await click("sarah", answer, "Marko")).content).toBe("You asked: what did Marko say?");
  });
});
