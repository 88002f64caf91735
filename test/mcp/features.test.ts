import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import type { Tool } from "../../src/tools/define-tool.ts";
import { tools } from "../../src/tools/index.ts";
import { toToolSchema } from "../../src/tools/tool-schema.ts";
import { arrive, codeOf, textOf, WAYS } from "./arrive.ts";
import { connectNew, overHttp } from "./clients.ts";

/** Of the names, descriptions and input schemas of all tools together; and with what their output schemas take. */
const MAX_TOKENS = { all: 2_500, withOutputs: 4_000, each: 140, outputOfEach: 60 };

describe("the tools offered over MCP", () => {
  it("take a model few tokens, each of them and all together", async () => {
    const { address } = await arrive();
    const { client } = await connectNew(overHttp(address("sarah")));
    const { tools: listed } = await client.listTools();
    const canWork = ({ isForPrograms, readsDirectMessages }: Tool) => !isForPrograms && !readsDirectMessages;
    expect(listed).toHaveLength(tools.filter(canWork).length);
    expect(listed.map(({ name }) => name)).not.toContain("discord_dm_messages");
    const count = (value: unknown) => encode(JSON.stringify(value)).length;
    const known = listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    for (const tool of known) expect(count(tool), tool.name).toBeLessThanOrEqual(MAX_TOKENS.each);
    for (const { name, outputSchema } of listed)
      expect(count({ outputSchema }), name).toBeLessThanOrEqual(MAX_TOKENS.outputOfEach);
    expect(count(known)).toBeLessThanOrEqual(MAX_TOKENS.all);
    expect(count(listed)).toBeLessThanOrEqual(MAX_TOKENS.withOutputs);
  });

  it("say what `query` is, and how many results there are by default and at most", async () => {
    const { address } = await arrive();
    const { client } = await connectNew(overHttp(address("sarah")));
    const { tools: listed } = await client.listTools();
    for (const { name, inputSchema } of listed) {
      const { query, limit } = (inputSchema.properties ?? {}) as Record<string, object | undefined>;
      if (query) expect(query, name).toMatchObject({ description: expect.any(String) });
      if (!limit) continue;
      expect(limit, name).toMatchObject({ description: "How many", maximum: expect.any(Number) });
      // How many messages a summary is made of follows from its time frame.
      if (name !== "get_channel_summary") expect(limit, name).toHaveProperty("default", expect.any(Number));
    }
  });

  it("never speak of this channel, for there is none, and need a channel or thread where others do without", async () => {
    const { address } = await arrive();
    const { client } = await connectNew(overHttp(address("sarah")));
    const { tools: listed } = await client.listTools();
    for (const tool of listed) expect(JSON.stringify(tool)).not.toMatch(/\b(?:this|here)\b/i);
    for (const { name, hereField } of tools as readonly Tool[]) {
      const { inputSchema } = listed.find((tool) => tool.name === name.replaceAll(".", "_")) ?? {};
      if (inputSchema && hereField) expect(inputSchema.required, name).toContain(hereField);
    }
  });

  it("declare whether they only read", async () => {
    const { address } = await arrive();
    const { client } = await connectNew(overHttp(address("sarah")));
    const { tools: listed } = await client.listTools();
    const hints = Object.fromEntries(listed.map(({ name, annotations }) => [name, annotations]));
    expect(hints["discord_send"]).toEqual({ readOnlyHint: false, destructiveHint: false });
    expect(hints["discord_delete"]).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(hints["discord_search_window"]).toEqual({ readOnlyHint: true });
    expect(listed.every(({ name }) => /^\w{1,64}$/.test(name))).toBe(true);
  });

  it("have schemas without the fields that only the gate needs, and with all that a model needs", () => {
    const messages = tools.find(({ name }) => name === "discord.channel.messages");
    if (!messages) throw new Error("there is no such tool");
    const { input, output } = toToolSchema(messages);
    expect(input).toMatchObject({
      type: "object",
      required: ["channel"],
      properties: {
        channel: { type: "string", description: "Name or id" },
        limit: { type: "integer", default: 50, maximum: 100, description: "How many" },
        before: { type: "string" },
      },
    });
    expect(JSON.stringify([input, output])).not.toMatch(
      /\$schema|additionalProperties|"pattern"|"minimum"|9007199254740991/,
    );
  });

  it("are those in the grant, and of these only the ones that the host selects", async () => {
    const { address, token, id } = await arrive();
    const narrow = token("narrow", { toolsets: ["search", "discord.guilds"] });
    const list = async (more: object) => {
      const client = await connectNew(overHttp(address("sarah", more)));
      return { ...client, names: (await client.client.listTools()).tools.map(({ name }) => name) };
    };
    const granted = await list({ token: narrow });
    expect(granted.names).toContain("discord_guilds");
    expect(granted.names).toContain("get_message_context");
    expect(granted.names).not.toContain("discord_send");
    const wanted = await list({ token: narrow, toolsets: "discord, get_message_context" });
    expect(wanted.names.toSorted()).toEqual(["discord_guilds", "discord_search_window", "get_message_context"]);
    const draft = { channel_id: id("general"), text: "hello" };
    expect(codeOf(await wanted.call("discord_send", draft))).toBe("forbidden");
    await expect(list({ toolsets: "search, serach" })).rejects.toThrow(/There is no toolset .+serach/);
    const all = await list({ toolsets: "search" });
    expect(codeOf(await all.call("discord_send", draft))).toBe("forbidden");
  });

  it("return a picture as an image, and its bytes only once", async () => {
    const { sandbox, address, id } = await arrive();
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
      "base64",
    );
    sandbox
      .as("mark")
      .say("general", { attachments: [{ filename: "crane.png", contentType: "image/png", bytes: png }] });
    const client = await connectNew(overHttp(address("sarah")));
    const { structuredContent } = await client.call("discord_channel_messages", { channel_id: id("general") });
    const { messages } = structuredContent as { messages: { attachments: { url: string }[] }[] };
    const result = await client.call("discord_attachment_base64", { url: messages[0]?.attachments[0]?.url });
    expect(result.content).toEqual([{ type: "image", mimeType: "image/png", data: png.toString("base64") }]);
    expect(result.structuredContent).toEqual({ content_type: "image/png" });
  });
});

describe.each(Object.entries(WAYS))("over MCP %s", (_, connect) => {
  it("channels and messages can be read by their URI, and hidden ones look absent", async () => {
    const { sandbox, address, id } = await arrive();
    sandbox.as("mark").say("general", "before");
    const message = sandbox.as("mark").say("general", "the crane is blue");
    sandbox.as("mei").say("staff-room", "behind the chart");
    const { client } = await connect(address("sarah"));
    const read = async (uri: string) =>
      client.readResource({ uri }).then(
        ({ contents: [first] }) => (first && "text" in first ? first.text : "nothing"),
        (error: Error) => `${error.message}`.replaceAll(uri, "it"),
      );
    expect(await read(`earshot://channel/${id("general")}`)).toContain("the crane is blue");
    expect(await read(`earshot://thread/${id("general")}`)).toContain("the crane is blue");
    expect(await read(`earshot://message/${id("general")}/${message.id}`)).toContain("before");
    expect(await read(`earshot://summary/${id("general")}/past%20week`)).toContain("the crane is blue");
    const absent = await read("earshot://channel/1");
    for (const hidden of ["1", id("staff-room")]) expect(await read(`earshot://summary/${hidden}/today`)).toBe(absent);
    expect(absent).toContain("There is no such channel");
    expect(await read(`earshot://channel/${id("staff-room")}`)).toBe(absent);
    expect(await read(`earshot://message/${id("staff-room")}/1`)).toBe(
      await read(`earshot://message/${id("general")}/1`),
    );
    for (const uri of [
      "earshot://channel/",
      "earshot://channel/1/2",
      "earshot://guild/1",
      "earshot://summary/1/%zz",
      "file:///etc/passwd",
    ])
      expect(await read(uri)).toMatch(/not found/i);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["earshot://privacy"]);
    expect(await read("earshot://privacy")).toContain("Your messages are used.");
    expect((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "earshot://channel/{id}",
      "earshot://thread/{id}",
      "earshot://message/{channel}/{message}",
      "earshot://summary/{channel}/{timeframe}",
    ]);
  });

  it("prompts for frequent questions are listed, and can be filled in", async () => {
    const { sandbox, address } = await arrive();
    sandbox.as("mark").say("general", "the crane is blue");
    sandbox.as("mei").say("staff-room", "behind the chart");
    const { client } = await connect(address("sarah"));
    const { prompts } = await client.listPrompts();
    const names = ["catch_me_up", "what_did_we_decide", "join_the_conversation", "start_over"];
    expect(prompts.map(({ name }) => name)).toEqual(names);
    const ask = async (name: string, args: Record<string, string>) => {
      const { messages } = await client.getPrompt({ name, arguments: args });
      return messages.map(({ content }) => (content.type === "text" ? content.text : "")).join("\n");
    };
    expect(await ask("catch_me_up", {})).toContain("since this time yesterday");
    expect(await ask("catch_me_up", { since: "Monday", focus: "the crane" })).toMatch(/since Monday[\s\S]*the crane/);
    expect(await ask("what_did_we_decide", { about: "the crane" })).toContain("the crane");
    await expect(ask("what_did_we_decide", {})).rejects.toThrow("about: is needed");
    const room = await ask("join_the_conversation", { channel: "general" });
    expect(room).toMatch(/^⟦untrusted [\w-]+ · window of channel "general"/);
    expect(room).toContain("standalone (mark):\n  the crane is blue");
    for (const hidden of ["staff-room", "nowhere"])
      await expect(ask("join_the_conversation", { channel: hidden })).rejects.toThrow("Could not find channel");
    await expect(ask("sing", {})).rejects.toThrow("There is no prompt `sing`; `prompts/list`");
  });
});

it("an unforeseen error over MCP is answered with `internal`, and its message is neither answered nor logged", async () => {
  const { sandbox, address, id, logged, timelines } = await arrive();
  sandbox.as("mark").say("general", "the crane is blue");
  const client = await connectNew(overHttp(address("sarah")));
  Object.assign(timelines, {
    recent: async () => {
      throw new TypeError("cannot read the crane is blue");
    },
  });
  const result = await client.call("discord_channel_messages", { channel_id: id("general") });
  expect(codeOf(result)).toBe("internal");
  expect(textOf(result)).not.toContain("crane");
  expect(logged.join("\n")).toContain("discord.channel.messages failed unexpectedly");
  expect(logged.join("\n")).not.toContain("crane");
});
