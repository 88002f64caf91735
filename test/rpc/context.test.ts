import { describe, expect, it, onTestFinished } from "vitest";
import { type ConnectOptions, connectEarshot, type EarshotEvent } from "../../src/client/index.ts";
import type { Grant } from "../../src/policy/grant.ts";
import { until } from "../support/edge.ts";
import { openFullRpc } from "../support/full-rpc.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function arrive() {
  const sandbox = await openTestSandbox({ rateLimits: false });
  const rpc = await openFullRpc(sandbox);
  /** A client that collects what it is told. */
  const connect = async (name: string, options: Partial<ConnectOptions> = {}, grant: Partial<Grant> = {}) => {
    const client = await connectEarshot({ url: rpc.url, token: rpc.token(name, grant), ...options });
    onTestFinished(() => client.close());
    const heard: Extract<EarshotEvent, { name: "discord.message" }>[] = [];
    void (async () => {
      for await (const event of client.events()) if (event.name === "discord.message") heard.push(event);
    })();
    return { client, heard, said: () => heard.map(({ payload }) => payload.content) };
  };
  const bot = `<@${rpc.edge.discord.botId}>`;
  return { sandbox, rpc, connect, bot };
}

describe("an event that addresses the agent", () => {
  it("carries the context of its channel, for a client that asks for it, and stays in order", async () => {
    const { sandbox, connect, bot } = await arrive();
    const asking = await connect("asking", { context: true });
    const plain = await connect("plain");
    sandbox.as("mark").say("general", "the tide table says 14:10");
    sandbox.as("sarah").say("general", `${bot} when is high water?`);
    sandbox.as("mark").say("general", "I said so");
    sandbox.as("mei").say("general", `${bot} and low water?`);
    const all = ["the tide table says 14:10", `${bot} when is high water?`, "I said so", `${bot} and low water?`];
    await until(() => asking.heard.length === 4 && plain.heard.length === 4, "events are missing");
    expect(asking.said()).toEqual(all);
    expect(plain.heard.map(({ context }) => context)).toEqual([null, null, null, null]);
    const [first, second, third, fourth] = asking.heard;
    expect(first?.context).toBeNull();
    expect(third?.context).toBeNull();
    expect(second?.context?.turns.map(({ kind }) => kind)).toEqual(["window", "request"]);
    expect(second?.context?.turns[0]?.text).toContain("the tide table says 14:10");
    expect(fourth?.context?.turns.at(-1)?.text).toBe("you: @Earshot and low water?");
    const { operationId } = second ?? {};
    const again = await asking.client.call("context.window", {}, { operationId: operationId ?? "" });
    expect(again.threads).toEqual(second?.context?.threads);
  });

  it("carries no context where the grant does not allow reading it", async () => {
    const { sandbox, connect, bot } = await arrive();
    const narrow = await connect("narrow", { context: true }, { scopes: ["discord:send"] });
    sandbox.as("sarah").say("general", `${bot} when is high water?`);
    sandbox.as("sarah").say("general", "never mind");
    await until(() => narrow.heard.length === 2, "events are missing");
    expect(narrow.heard.map(({ context }) => context)).toEqual([null, null]);
    expect(narrow.heard[0]?.operationId).not.toBeNull();
  });

  it("costs no request to Discord where no client asks for context, and neither do other events", async () => {
    const { sandbox, connect, bot, rpc } = await arrive();
    const plain = await connect("plain");
    const asking = await connect("asking", { context: true });
    const calls = rpc.edge.discord.stats().restCalls;
    for (const text of ["hello", "tell me a joke"]) sandbox.as("sarah").say("general", text);
    await until(() => asking.heard.length === 2, "events are missing");
    expect(rpc.edge.discord.stats().restCalls).toBe(calls);
    await asking.client.close();
    sandbox.as("sarah").say("general", `${bot} hello`);
    await until(() => plain.heard.length === 3, "events are missing");
    expect(rpc.edge.discord.stats().restCalls).toBe(calls);
    expect(JSON.stringify(rpc.audited)).not.toContain("context.window");
  });
});

describe("a question with 🚫", () => {
  const ask = async () => {
    const { sandbox, rpc, connect, bot } = await arrive();
    sandbox.as("mark").say("general", "the tide table says 14:10");
    sandbox.as("mark").say("news", "the ferry is late");
    const { client, heard } = await connect("asking", { context: true });
    const { id } = sandbox.as("sarah").say("general", `🚫 ${bot} what is seven times six?`);
    await until(() => heard.some(({ payload }) => payload.message_id === id), "the event is missing");
    const { operationId, context } = heard.at(-1) ?? {};
    return { sandbox, rpc, client, id, context, operationId: operationId ?? "" };
  };

  it("is all that a client is given: it brings no window, of this channel or another", async () => {
    const { client, context, operationId } = await ask();
    expect(context).toMatchObject({ isolated: true, threads: [], facts: [], chain: { messages: [] } });
    expect(context?.turns.map(({ kind }) => kind)).toEqual(["request"]);
    const elsewhere = await client.call("context.window", { channel: "news" }, { operationId });
    expect(elsewhere).toMatchObject({ isolated: true, turns: [], threads: [], facts: [], starter: null });
  });

  it("bars searching, reading back and remembering within its operation, however that was opened, and no answer", async () => {
    const { sandbox, rpc, client, id, operationId } = await ask();
    const channel_id = sandbox.community.channels.get("general") ?? "";
    const opening = { actor: sandbox.as("sarah").id, channel_id, message_id: id };
    const opened = await client.call("operation.open", opening);
    const barred = rpc.gate.tools.filter(({ name, toolset }) => {
      return toolset === "search" || toolset === "memory" || /^discord\.(channel|dm)\.messages$/.test(name);
    });
    expect(barred.length).toBeGreaterThan(12);
    for (const within of [operationId, opened.operation_id])
      for (const { name } of barred)
        await expect(client.request(name, {}, { operationId: within }), name).rejects.toMatchObject({
          code: "forbidden",
          message: `The person asked with 🚫 for an answer from the question alone: ${name} is not used for it. Answer without it.`,
        });
    expect(rpc.audited).toContainEqual(
      expect.objectContaining({
        row: expect.objectContaining({ target: "tool:search_messages", reason: "question_alone" }),
      }),
    );
    const sent = client.call("discord.send", { channel: channel_id, text: "42", reply_to: id }, { operationId });
    await expect(sent).resolves.toBeDefined();
    const { operation_id: other } = await client.call("operation.open", { actor: opening.actor, channel_id });
    const found = await client.call("search_messages", { query: "tide table" }, { operationId: other });
    expect(found.hits).toHaveLength(1);
  });
});
