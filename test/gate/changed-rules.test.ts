import { describe, expect, it } from "vitest";
import { createLiveRules } from "../../src/policy/live-rules.ts";
import { answerWith, openTestAgent, say } from "../support/agent.ts";
import { openTestGate, toRules } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

/** A gate whose rules are replaced while a call is being written to the audit, which is after everything was read and decided once. */
async function arrive() {
  const sandbox = await openTestSandbox();
  const live = createLiveRules(toRules());
  const hook = { once: () => {} };
  const test = await openTestGate(sandbox, {
    live,
    wrapAudit: (audit) => ({
      ...audit,
      async settled() {
        const { once } = hook;
        hook.once = () => {};
        await audit.settled();
        once();
      },
    }),
  });
  const id = (key: string) => sandbox.community.channels.get(key) ?? "";
  sandbox.as("sarah").say("general", "the heron is back");
  return {
    ...test,
    sandbox,
    id,
    /** Replaces the rules at the next moment at which a call waits for the audit. */
    replaceDuring(rules: object): void {
      hook.once = () => live.replace(toRules(rules));
    },
    during(action: () => void): void {
      hook.once = action;
    },
    replace: (rules: object) => live.replace(toRules(rules)),
  };
}

const SARAH = { as: "sarah", in: "general" };

describe("rules that are replaced while the program runs", () => {
  it("decide about the next call of an operation that is open already", async () => {
    const { gate, open, id, replace } = await arrive();
    const operation = await open("sarah", "general");
    const read = () =>
      gate.callTool({ name: "discord.channel.messages", args: { channel_id: id("general") }, operation });
    await expect(read()).resolves.toMatchObject({ value: { messages: expect.anything() } });
    replace({ channels: { deny: [id("general")] } });
    await expect(read()).rejects.toMatchObject({ code: "not_found" });
    replace({});
    await expect(read()).resolves.toBeDefined();
  });

  it("decide about a search that was answered before", async () => {
    const { call, id, replace } = await arrive();
    const search = () => call("search_messages", { query: "heron" }, SARAH) as Promise<{ hits: unknown[] }>;
    expect((await search()).hits).toHaveLength(1);
    replace({ optOut: { channels: [id("general")] } });
    expect((await search()).hits).toHaveLength(0);
  });

  it.each([
    ["a channel is denied", (id: string) => ({ channels: { deny: [id] } }), "not_found"],
    ["a channel is opted out", (id: string) => ({ optOut: { channels: [id] } }), "not_found"],
    ["the tool is switched off", () => ({ toolsets: ["search"] }), "forbidden"],
  ])("hand out nothing of a call under way when %s", async (_, rules, code) => {
    const { call, id, replaceDuring } = await arrive();
    replaceDuring(rules(id("general")));
    const reading = call("discord.channel.messages", { channel_id: id("general") }, SARAH);
    await expect(reading).rejects.toMatchObject({ code });
  });

  it("refuse a search under way that found nothing when search is switched off", async () => {
    const { call, replaceDuring } = await arrive();
    replaceDuring({ searchTools: false });
    const searching = call("search_messages", { query: "albatross" }, SARAH);
    await expect(searching).rejects.toMatchObject({ code: "forbidden" });
  });

  it("let a call under way be answered that the new rules allow too", async () => {
    const { call, id, replaceDuring } = await arrive();
    replaceDuring({ channels: { deny: [id("staff-room")] } });
    const { hits } = (await call("search_messages", { query: "heron" }, SARAH)) as { hits: unknown[] };
    expect(hits).toHaveLength(1);
  });

  it("keep back a message that was about to be sent", async () => {
    const { call, id, replaceDuring, sandbox } = await arrive();
    const said = () => [...(sandbox.world.channels.get(id("general"))?.messages ?? [])].length;
    const before = said();
    replaceDuring({ channels: { deny: [id("general")] } });
    await expect(call("discord.send", { channel_id: id("general"), text: "hello" }, SARAH)).rejects.toBeDefined();
    expect(said()).toBe(before);
  });

  it.each([
    ["denied", (id: string) => ({ channels: { deny: [id] } })],
    ["opted out", (id: string) => ({ optOut: { channels: [id] } })],
  ])("keep back an answer that rests on a channel that was %s since", async (_, rules) => {
    const { gate, open, id, replace, sandbox } = await arrive();
    sandbox.as("mark").say("news", "the crane is back");
    const operation = await open("sarah", "general");
    const args = { channel_id: id("news") };
    await gate.callTool({ name: "discord.channel.messages", args, operation });
    const say = () =>
      gate.callTool({ name: "discord.send", args: { channel_id: id("general"), text: "hi" }, operation });
    replace(rules(id("news")));
    await expect(say()).rejects.toMatchObject({ code: "forbidden" });
    replace({});
    await expect(say()).resolves.toBeDefined();
  });

  it("end a call under way of a client whose entry was changed", async () => {
    const { call, id, during, operations } = await arrive();
    during(() => operations.endOf(["test"]));
    const reading = call("discord.channel.messages", { channel_id: id("general") }, SARAH);
    await expect(reading).rejects.toMatchObject({ code: "not_found" });
  });

  it("have the agent make an answer for a program again that it began before", async () => {
    const sandbox = await openTestSandbox();
    const live = createLiveRules(toRules());
    const answers = ["from before", "from after"];
    const answerer = answerWith(async () => {
      const text = answers.shift() ?? "once too often";
      if (text === "from before") live.replace(toRules({ searchTools: false }));
      return say(text);
    });
    const { agent, open } = await openTestAgent(sandbox, { answerer, live });
    const spoken = await agent.ask(await open("sarah", "general"), { text: "what did I miss?" });
    expect(spoken).toMatchObject({ kind: "text", text: expect.stringContaining("from after") });
    expect(answers).toEqual([]);
  });

  it("limit how much may be asked for at once", async () => {
    const { call, replace } = await arrive();
    for (let count = 0; count < 3; count += 1) await call("discord.guilds", {}, SARAH);
    replace({ limits: { callsPerMinute: { actor: 1 } } });
    await call("discord.guilds", {}, SARAH);
    await expect(call("discord.guilds", {}, SARAH)).rejects.toMatchObject({ code: "rate_limited" });
  });
});
