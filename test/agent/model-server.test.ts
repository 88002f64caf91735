import { describe, expect, it } from "vitest";
import { createChatModel } from "../../src/models/openai/create-chat-model.ts";
import { openTestAgent } from "../support/agent.ts";
import { openModelAnswerer } from "../support/model-answerer.ts";
import { type ModelReply, type ModelRequest, openModelServer } from "../support/model-server.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const SEARCH = { tool: "search_messages", args: { query: "boathouse keys" } };

/** The whole way: Discord, agent, gate, HTTP, and a server that answers as it likes. */
async function open(script: (request: ModelRequest, count: number) => ModelReply, { timeoutMs = 30_000 } = {}) {
  const server = await openModelServer((request) => script(request, server.requests.length));
  const model = createChatModel({ baseUrl: server.url, name: "test", timeoutMs });
  const answerer = openModelAnswerer(model);
  const sandbox = await openTestSandbox({ rateLimits: false });
  const world = await openTestAgent(sandbox, { answerer });
  const { botId } = world.edge.discord;
  sandbox.as("mark").say("pier", "the boathouse keys are under the mat");
  const said = (): string[] => {
    const { messages } = sandbox.world.channels.get(sandbox.community.channels.get("general") ?? "") ?? {};
    return [...(messages ?? [])].filter(({ authorId }) => authorId === botId).map(({ content }) => content);
  };
  const ask = async (text = "where are the boathouse keys?", as = "sarah") => {
    const { id } = sandbox.as(as).say("general", `<@${botId}> ${text}`);
    await expect.poll(() => world.store.find(id)).toMatchObject({ state: "done" });
    return said().at(-1) ?? "";
  };
  return { server, ...world, botId, ask, said };
}

/** The handle of the message with the answer, in the result of a tool. */
function cite(request: ModelRequest): string {
  const told = JSON.stringify(request.messages);
  return `Under the mat [${/(m\d+) \[[^\]]*\] \S+: the boathouse keys/.exec(told)?.[1]}].`;
}

describe("an agent on a model's server", () => {
  it.each<[string, ModelReply]>([
    ["in pieces", { calls: [SEARCH], argumentPieces: 3 }],
    ["whole", { calls: [SEARCH] }],
    [
      "all with index 0",
      {
        calls: [
          { ...SEARCH, index: 0 },
          { tool: "get_recent_messages", args: {}, index: 0 },
        ],
      },
    ],
    ["with finish_reason stop", { calls: [SEARCH], finish: "stop" }],
    ["with arguments as an object", { calls: [{ ...SEARCH, asObject: true }] }],
    ["as text", JSON.stringify({ name: SEARCH.tool, arguments: SEARCH.args })],
    ["after thinking aloud", { text: ["<thi", "nk>keys? secret thought</th", "ink>"], calls: [SEARCH] }],
    ["to a server that does not stream", { calls: [SEARCH], ignoresStream: true, usage: null }],
  ])("runs a call that comes %s, and answers with its source", async (_, reply) => {
    const { ask, said } = await open((request, count) => (count === 1 ? reply : cite(request)));
    expect(await ask()).toMatch(/^Under the mat \[1\]\(<https:/);
    expect(said()).toHaveLength(1);
    expect(said().join()).not.toContain("secret thought");
  });

  it.each<[string, ModelReply]>([
    ["refuses", { status: 500, body: "no" }],
    ["hangs up", { instead: "hang up" }],
    ["cuts the connection", { text: ["It is under", " the boat."], breaksOff: { afterEvents: 1, by: "cutting" } }],
    ["answers 200 with an error", { status: 200, body: '{"error":{"message":"overloaded"}}' }],
    ["breaks off with an error", { text: "It is", extraEvents: [{ error: { message: "overloaded" } }], finish: null }],
  ])("shows what is found without a model when its server %s, and says it once", async (_, reply) => {
    const { ask, said } = await open(() => reply);
    expect(await ask()).toMatch(
      /^The model cannot be reached just now\. This is what I found without it:\n[\s\S]*under the mat/,
    );
    expect(said()).toHaveLength(1);
  });

  it("says that the model took too long when its server is silent", async () => {
    const { ask } = await open(() => ({ instead: "silence" }), { timeoutMs: 50 });
    expect(await ask()).toMatch(/^The model took too long to answer\. This is what I found without it:/);
  });

  it("says that the model gave no answer when it only repeats its calls", async () => {
    const { ask, server } = await open((request) => (request.tool_choice === "none" ? "" : { calls: [SEARCH] }));
    expect(await ask()).toMatch(/^The model gave no answer\. This is what I found without it:/);
    expect(server.requests).toHaveLength(8);
  });

  it("puts what goes wrong in the place of what was visible already", async () => {
    const long = "The keys of the boathouse hang in the shed. ".repeat(10);
    const { ask, said } = await open((_, count) => {
      if (count === 1) return "Hello there.";
      return { text: [long, long, long], breaksOff: { afterEvents: 2, by: "cutting" }, pauseMs: 50 };
    });
    await ask("hello");
    expect(await ask()).toMatch(/^The model cannot be reached just now\. This is what I found/);
    expect(said()).toHaveLength(2);
    expect(said().join()).not.toContain("in the shed");
  });

  it("never shows thinking whose beginning is not marked", async () => {
    const thought = "The user wants the keys, hm, let me think about that. ".repeat(10);
    const shown: string[] = [];
    const { ask, edge } = await open(() => ({ text: [thought, thought, "</think>", "Under the mat."], pauseMs: 5 }));
    edge.discord.listen((event) => {
      if (event.type === "message" || event.type === "message_update") shown.push(event.message.content);
    });
    await ask();
    await ask("where are they now?");
    expect(shown.join()).toContain("Under the mat.");
    expect(shown.join()).not.toContain("let me think");
  });

  it("answers without the pictures that a server refuses, and says so", async () => {
    const { server, sandbox, botId, store, said } = await open((request) =>
      JSON.stringify(request.messages).includes("image_url") ? { status: 400, body: "no images" } : "A boat.",
    );
    const bytes = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const file = { filename: "boat.png", contentType: "image/png", bytes };
    const { id } = sandbox
      .as("sarah")
      .say("general", { content: `<@${botId}> what is in this picture?`, attachments: [file] });
    await expect.poll(() => store.find(id)).toMatchObject({ state: "done" });
    expect(said().at(-1)).toMatch(/^Without a source: A boat\.\n-# The model cannot see pictures/);
    expect(server.requests).toHaveLength(2);
  });
});
