import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount } from "ai";
import { describe, expect, it } from "vitest";
import { type Grant, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { type AnswerPlace, actAs } from "../../src/transports/library/act-as.ts";
import { createTestPersonMemory, createTestPrivacy } from "../support/consent.ts";
import { openTestGate } from "../support/gate.ts";
import { openModelServer } from "../support/model-server.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
  const { gate, operations, consent, edge } = await openTestGate(sandbox);
  const privacy = createTestPrivacy(consent);
  const id = (key: string) => sandbox.community.channels.get(key) ?? key;
  const as = (key: string, where: AnswerPlace, grant: Partial<Grant> = {}) =>
    actAs(
      { name: "program", grant: { ...OPERATOR_GRANT, ...grant } },
      { actor: sandbox.as(key).id, where },
      {
        gate,
        operations,
        privacy,
        personMemory: createTestPersonMemory(),
        clock: { now: () => Date.now() },
        directory: edge.discord.directory,
        log: { debug() {}, info() {}, warn() {}, error() {} },
        limits: { concurrentCalls: 8, callMs: 60_000 },
        counters: { calls: 0, running: 0 },
      },
    );
  return { sandbox, id, as, consent };
}

/** The scripted model does not say why it stopped; the AI SDK goes on only if it called tools. */
const withReason: typeof fetch = async (input, init) => {
  const body = (await (await fetch(input, init)).json()) as { choices: { message: { tool_calls?: object } }[] };
  const choices = body.choices.map((choice) => ({
    ...choice,
    finish_reason: choice.message.tool_calls ? "tool_calls" : "stop",
  }));
  return Response.json({ ...body, choices });
};

describe("a program that acts for a person", () => {
  it("gets the context of the channel where it acts, which is not offered to models as a tool", async () => {
    const { sandbox, id, as } = await arrive();
    sandbox.as("mark").say("general", "the crane is blue");
    const acting = as("sarah", { in: id("general") });
    const { turns, threads } = await acting.context({ maxTokens: 500, pictures: "none" });
    expect(turns.map(({ kind }) => kind)).toEqual(["window"]);
    expect(threads[0]?.messages[0]?.content).toBe("the crane is blue");
    await expect(acting.context({ channel: "staff-room" })).rejects.toThrow("Could not find channel 'staff-room'");
    expect(Object.keys(acting.tools)).not.toContain("context_window");
    expect(acting.openaiTools.map(({ function: { name } }) => name)).not.toContain("context_window");
  });

  it("does as much as it likes, as its session is no single request", async () => {
    const { sandbox, id, as } = await arrive();
    const acting = as("sarah", { in: id("general") });
    const texts = Array.from({ length: 14 }, (_, count) => `${count}`);
    const send = (text: string) => acting.call("discord.send", { channel: "news", text });
    await Promise.all(texts.slice(0, 7).map(send));
    for (const text of texts.slice(7)) await send(text);
    const said = [...(sandbox.world.channels.get(id("news"))?.messages ?? [])].map(({ content }) => content);
    expect(said.sort()).toEqual(texts.sort());
  });

  it("is shown whether what that person writes is used, whatever its grant, and nobody else's state", async () => {
    const { sandbox, as, consent } = await arrive();
    consent.set(sandbox.as("mark").id, true);
    const grant = { scopes: [], toolsets: [], guilds: [], actors: [sandbox.as("mark").id, sandbox.as("mei").id] };
    const show = async (who: string) => (await as(who, "private", grant as never).privacy()).state;
    expect([await show("mark"), await show("mei")]).toEqual(["left_out", "included"]);
    await expect(show("sarah")).rejects.toMatchObject({ code: "forbidden" });
  });

  it("gets AI SDK tools that a model can use, including short names of messages", async () => {
    const { sandbox, id, as } = await arrive();
    sandbox.as("mark").say("general", "before");
    sandbox.as("mark").say("general", "the crane is blue");
    const { tools } = as("sarah", "private");
    const { url, requests } = await openModelServer([
      () => ({ tool: "discord_search_window", args: { channel_id: id("general"), query: "crane" } }),
      () => ({ tool: "get_message_context", args: { message_id: "m1" } }),
      () => ({ tool: "discord_channel_messages", args: { channel_id: "somewhere" } }),
      () => "It is blue.",
    ]);
    const provider = createOpenAICompatible({ name: "scripted", baseURL: url, fetch: withReason });
    const { text } = await generateText({
      model: provider("any"),
      prompt: "What colour is the crane?",
      tools,
      stopWhen: isStepCount(5),
    });
    expect(text).toBe("It is blue.");
    expect(requests[0]?.tools.map((tool) => tool.function.name)).toContain("discord_search_window");
    const told = requests.map(({ messages }) => String(messages.at(-1)?.content));
    expect(told[1]).toMatch(/^⟦untrusted [\s\S]*\nm1 .*the crane is blue/);
    expect(told[2]).toContain("before");
    expect(told[3]).toContain("Could not find channel 'somewhere'");
  });

  it("gets tool definitions for chat completions, and can call a tool by either of its names", async () => {
    const { id, as } = await arrive();
    const { openaiTools, call } = as("sarah", { in: id("general") });
    const [info] = openaiTools.filter((tool) => tool.function.name === "discord_channel_info");
    expect(info).toEqual({
      type: "function",
      function: {
        name: "discord_channel_info",
        description: expect.any(String),
        parameters: {
          type: "object",
          properties: { channel: { type: "string", description: "Name or id" }, for: { type: "string" } },
          required: ["channel"],
        },
      },
    });
    const args = { channel_id: id("general") };
    const answers = [await call("discord_channel_info", args), await call("discord.channel.info", args)];
    for (const { value } of answers) expect(value).toMatchObject({ name: "general" });
    await expect(call("discord_sing", args)).rejects.toMatchObject({ code: "not_found" });
  });

  it("reads only what the audience of the answer may read", async () => {
    const { sandbox, id, as } = await arrive();
    sandbox.as("mei").say("staff-room", "behind the chart");
    const read = async (where: AnswerPlace) =>
      as("mei", where).call("discord.channel.messages", { channel_id: id("staff-room") });
    expect((await read("private")).text).toContain("behind the chart");
    await expect(read({ in: id("general") })).rejects.toMatchObject({ code: "not_found" });
    const sarah = as("sarah", "private");
    await expect(sarah.call("discord.channel.messages", { channel_id: id("staff-room") })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("has only the tools of its grant, and is refused a channel that does not exist", async () => {
    const { as } = await arrive();
    const { tools, openaiTools, call } = as("sarah", "private", { scopes: ["directory:read"] });
    const known = ["discord_guilds", "discord_guild_channels", "discord_channel_info", "directory_people"];
    expect(Object.keys(tools)).toEqual(known);
    expect(openaiTools.map((tool) => tool.function.name)).toEqual(Object.keys(tools));
    await expect(call("discord_send", {})).rejects.toMatchObject({ code: "forbidden" });
    expect(() => as("sarah", { in: "nowhere" })).toThrow("No channel called 'nowhere' is known.");
  });

  it("can cancel a call", async () => {
    const { id, as } = await arrive();
    const call = as("sarah", "private").call(
      "discord_channel_info",
      { channel_id: id("general") },
      { signal: AbortSignal.abort() },
    );
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
  });
});
