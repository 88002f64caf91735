import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Message } from "../../src/domain/message.ts";
import type { Grant } from "../../src/policy/grant.ts";
import type { Operation } from "../../src/policy/operation.ts";
import type { Tool } from "../../src/tools/define-tool.ts";
import { tools } from "../../src/tools/index.ts";
import { openWorld } from "../support/gate.ts";

interface Result {
  readonly messages: Message[];
  readonly note: string | null;
}

/** A staff room that the bot and Mei may enter, and Sarah may not. */
async function arrive() {
  const test = await openWorld({ botSees: ["staff-room"] });
  const within = async (operation: Operation, name: string, args: object) =>
    test.gate.callTool({ name, args, operation, wantsText: true });
  const read = async (args: object, name = "discord.channel.messages") =>
    (await within(await test.open("sarah", "general"), name, args)).value as Result;
  const problem = (called: Promise<unknown>) =>
    called.then(
      () => "none",
      ({ code, message }) => `${code} ${message}`,
    );
  /** Sarah alone reads the answer, and asks from outside of Discord. */
  const fromNowhere = (grant: Partial<Grant> = {}) =>
    test.operations.open(
      { name: "test", grant: { ...(OPEN as Grant), ...grant } },
      { actor: test.person("sarah"), isPrivate: true },
    );
  return { ...test, within, read, problem, fromNowhere };
}

const OPEN: Partial<Grant> = {
  scopes: [
    "context:read_channel_recent",
    "context:read_user_recent_self",
    "context:search",
    "directory:read",
    "discord:send",
    "discord:react",
    "memory:read_project",
  ],
  guilds: "all",
  channels: "all",
  directMessages: true,
  events: "none",
  actors: "anyone",
};

const contents = ({ messages }: Result) => messages.map(({ content }) => content);

describe("a channel in the arguments of a tool", () => {
  it("is named by its name, a mention, its id, or the handle of a message in it", async () => {
    const { sandbox, id, open, within } = await arrive();
    sandbox.as("mark").say("pier", "the crane is blue");
    const operation = await open("sarah", "general");
    for (const channel of ["pier", "#pier", `<#${id("pier")}>`, id("pier"), "m1"]) {
      const { value, text } = await within(operation, "discord.channel.messages", { channel });
      expect(contents(value as Result), channel).toEqual(["the crane is blue"]);
      expect(text).toContain("m1 ");
    }
    const info = await within(operation, "discord.channel.info", { channel: "m1" });
    expect(info.value).toMatchObject({ name: "pier" });
    const found = await within(operation, "discord.search.window", { channel: "pier", query: "crane" });
    expect(contents(found.value as Result)).toEqual(["the crane is blue"]);
  });

  it("that is hidden looks like one that is absent, by name, mention and id", async () => {
    const { sandbox, id, read, problem } = await arrive();
    sandbox.as("mei").say("staff-room", "salaries");
    for (const name of ["discord.channel.messages", "discord.channel.info"]) {
      const hidden = await problem(read({ channel: "staff-room" }, name));
      expect(hidden).toBe("not_found Could not find channel 'staff-room'");
      expect(hidden.replace("staff", "stuff")).toBe(await problem(read({ channel: "stuff-room" }, name)));
      for (const form of [(one: string) => one, (one: string) => `<#${one}>`])
        expect(await problem(read({ channel: form(id("staff-room")) }, name))).toBe(
          await problem(read({ channel: form("123456") }, name)),
        );
    }
    const send = (channel: string) => problem(read({ channel, text: "hello" }, "discord.send"));
    expect(await send("staff-room")).toBe((await send("stuff-room")).replace("stuff", "staff"));
    expect(await send(id("staff-room"))).toBe(await send("123456"));
  });

  it("can be spoken in by its name", async () => {
    const { sandbox, open, within, id } = await arrive();
    await within(await open("sarah", "general"), "discord.send", { channel: "#general", text: "ahoy" });
    const said = [...(sandbox.world.channels.get(id("general"))?.messages ?? [])];
    expect(said.map(({ content }) => content)).toEqual(["ahoy"]);
  });

  it("is the one of the request when it is left out, where there is one", async () => {
    const { sandbox, read, open, fromNowhere, within, problem } = await arrive();
    sandbox.as("mark").say("general", "the crane is blue");
    expect(contents(await read({ query: "crane" }, "discord.search.window"))).toEqual(["the crane is blue"]);
    const operation = await fromNowhere();
    for (const name of ["get_recent_messages", "get_channel_summary"])
      expect(await problem(within(operation, name, {}))).toMatch(/^invalid `channel` is missing: /);
    const { value } = await within(operation, "get_recent_messages", { channel: "general" });
    expect(contents(value as Result)).toEqual(["the crane is blue"]);
    const quiet = async (by: Operation) => (await within(by, "get_recent_messages", { channel: "pier" })).text;
    expect(await quiet(operation)).toBe("No recent activity in that channel.");
    expect(await quiet(await open("sarah", "pier"))).toBe("No recent activity in this channel.");
  });
});

describe("a thread in the arguments of a tool", () => {
  it("can be searched from anywhere by its name, and from within without one", async () => {
    const { sandbox, open, within, problem, fromNowhere, settle } = await arrive();
    const starter = sandbox.as("mark").say("general", "about the crane");
    const thread = sandbox.as("mark").openThread({ on: starter }, "Crane repair");
    sandbox.as("mark").say(thread.id, "the hook is bent");
    await settle();
    const hook = { query: "hook" };
    const found = async (operation: Operation, args: object) => {
      const { value } = await within(operation, "search_thread_messages", args);
      return (value as { hits: { message: Message }[] }).hits.map(({ message }) => message.content);
    };
    const here = await open("sarah", "general");
    for (const name of ["Crane repair", `<#${thread.id}>`, thread.id])
      expect(await found(here, { thread: name, ...hook })).toEqual(["the hook is bent"]);
    expect(await found(await fromNowhere(), { thread: "crane repair", ...hook })).toEqual(["the hook is bent"]);
    expect(await found(await open("sarah", thread.id), hook)).toEqual(["the hook is bent"]);
    const sentence = "unsupported This tool only works in threads. Use search_channel_messages instead.";
    expect(await problem(within(here, "search_thread_messages", hook))).toBe(sentence);
    expect(await problem(within(await fromNowhere(), "search_thread_messages", hook))).toBe(sentence);
  });
});

describe("a server in the arguments of a tool", () => {
  it("need not be named when there is only one, and is found by name or id", async () => {
    const { sandbox, within, fromNowhere } = await arrive();
    const operation = await fromNowhere();
    for (const args of [{}, { server: "quay" }, { guild_id: sandbox.community.guild.id }]) {
      const { value } = await within(operation, "discord.guild.channels", args);
      expect((value as { channels: { name: string }[] }).channels.map(({ name }) => name)).toContain("general");
    }
  });

  it("has to be named when there are several, of which only those are told that may be", async () => {
    const { sandbox, edge, within, fromNowhere, problem, settle } = await arrive();
    const [far, secret] = ["Far shore", "Secret society"].map((name) => sandbox.admin.createGuild(name, "olga"));
    sandbox.admin.addMember("sarah", far?.id ?? "");
    for (const guild of [far, secret]) sandbox.admin.addMember("earshot", guild?.id ?? "");
    await settle();
    for (const guild of [far, secret]) await edge.find("guild", ({ guildId }) => guildId === (guild?.id as never));
    const operation = await fromNowhere();
    const several = await problem(within(operation, "discord.guild.channels", {}));
    expect(several).toMatch(/^invalid Several could be meant; ask which, or use an id:/);
    expect(several).toContain("Far shore");
    expect(several).not.toContain("Secret");
    const hidden = await problem(within(operation, "discord.guild.channels", { server: "Secret society" }));
    expect(hidden).toBe("not_found Could not find server 'Secret society'");
    const byId = (id: string) => problem(within(operation, "discord.guild.channels", { server: id }));
    expect(await byId(secret?.id ?? "")).toBe((await byId("123456")).replace("123456", secret?.id ?? ""));
    expect([...operation.label.of("server").keys()]).toContain(far?.id);
  });
});

describe("a message in the arguments of a tool", () => {
  it("is enough for a reaction, by handle, link or id", async () => {
    const { sandbox, open, within, id } = await arrive();
    const asked = sandbox.as("sarah").say("general", "react, please");
    const link = `https://discord.com/channels/${sandbox.community.guild.id}/${id("general")}/${asked.id}`;
    const reactions = () => sandbox.world.channels.get(id("general"))?.messages.get(asked.id)?.more?.reactions;
    const emojis = ["👍", "🎉", "⚓"];
    for (const [index, message] of [link, asked.id, "m1"].entries()) {
      const operation = await open("sarah", "general", {}, { messageId: asked.id as never });
      await within(operation, "get_recent_messages", {});
      await within(operation, "discord.react", { message, emoji: emojis[index] });
    }
    expect(JSON.stringify([...(reactions()?.entries() ?? [])])).toMatch(/👍.*🎉.*⚓/s);
  });

  it("and the name of its file are enough for an attachment", async () => {
    const { sandbox, open, within, problem } = await arrive();
    const file = (filename: string) => ({ filename, contentType: "text/plain", bytes: Buffer.from(`in ${filename}`) });
    sandbox.as("mark").say("general", { content: "both", attachments: [file("crane.txt"), file("hook.txt")] });
    sandbox.as("mark").say("general", { content: "one", attachments: [file("tide.txt")] });
    sandbox.as("mark").say("general", "none");
    const operation = await open("sarah", "general");
    await within(operation, "discord.channel.messages", { channel: "general" });
    const fetch = async (args: object) => {
      const { value } = await within(operation, "discord.attachment.base64", args);
      return Buffer.from((value as { base64: string }).base64, "base64").toString();
    };
    const { value } = await within(operation, "discord.channel.messages", { channel: "general" });
    const handles = ["m1", "m2", "m3"];
    expect((value as Result).messages).toHaveLength(handles.length);
    expect(await fetch({ message_id: "m1", filename: "hook.txt" })).toBe("in hook.txt");
    expect(await fetch({ message_id: "m2" })).toBe("in tide.txt");
    expect(await problem(fetch({ message_id: "m1" }))).toMatch(/^invalid `filename` is missing.*crane\.txt.*hook\.txt/);
    expect(await problem(fetch({ message_id: "m3" }))).toBe("not_found No file is attached to that message.");
    expect(await problem(fetch({ message_id: "m1", filename: "x" }))).toMatch(
      /^not_found There is no file 'x'\. The files/,
    );
    expect(await problem(fetch({}))).toMatch(/^invalid `message_id` is missing/);
  });
});

describe("the arguments of tools", () => {
  it("may be spelt as in the documents, with hyphens and as ids", async () => {
    const { sandbox, id, read } = await arrive();
    sandbox.as("mark").say("general", "the crane is blue");
    for (const args of [{ "channel-id": id("general") }, { channel_id: id("general") }, { channel: id("general") }])
      expect(contents(await read(args))).toEqual(["the crane is blue"]);
    const asked = sandbox.as("sarah").say("general", "which colour?");
    const draft = { "channel-id": id("general"), text: "blue", "reply-to-message-id": asked.id };
    const sent = (await read(draft, "discord.send")) as unknown as { message_id: string };
    const answer = sandbox.world.channels.get(id("general"))?.messages.get(sent.message_id);
    expect(answer?.more?.reference?.messageId).toBe(asked.id);
    const own = { "user-id": sandbox.as("sarah").id };
    expect(await read(own, "discord.dm.messages").catch(({ code }) => code)).toBe("not_found");
  });

  it("may not be given twice with different values", async () => {
    const { id, read, problem } = await arrive();
    const both = (channel_id: string) => problem(read({ channel: id("general"), channel_id }));
    expect(await both(id("general"))).toBe("none");
    expect(await both(id("pier"))).toBe("invalid `channel` and `channel_id` are the same argument; give one.");
  });

  it("may be null where they may be left out, and nowhere else", async () => {
    const { sandbox, id, within, open, problem, read } = await arrive();
    sandbox.as("mark").say("general", "the crane is blue");
    const operation = await open("sarah", "general");
    const required: Readonly<Record<string, object>> = {
      "discord.channel.messages": { channel: id("general") },
      get_recent_messages: {},
      search_messages: { query: "crane" },
      "memory_read.search_context": { query: "crane" },
    };
    for (const [name, args] of Object.entries(required)) {
      const tool = (tools as readonly Tool[]).find((one) => one.name === name);
      const { properties = {} } = z.toJSONSchema(tool?.input ?? z.object(), { io: "input" });
      const nulls = Object.fromEntries(Object.keys(properties).map((field) => [field, null]));
      const { value } = await within(operation, name, { ...nulls, ...args });
      expect(value, name).toEqual((await within(operation, name, args)).value);
    }
    expect(await problem(read({ channel: null }))).toMatch(/^invalid `channel` must be text.*\(got null\)\.$/);
  });

  it("are brought within their bounds where they are numbers, and the answer says so", async () => {
    const { sandbox, id, open, within, problem } = await arrive();
    sandbox.as("mark").say("general", "the crane is blue");
    const operation = await open("sarah", "general");
    const { value, text } = await within(operation, "discord.channel.messages", {
      channel: id("general"),
      limit: 500,
      max_tokens: 10,
    });
    const note = "limit: 500 is more than 100; 100 was used. max_tokens: 10 is less than 200; 200 was used.";
    expect(value).toMatchObject({ note, messages: [{ content: "the crane is blue" }] });
    expect(text).toContain(note);
    const window = await within(operation, "context.window", { max_tokens: 1_000_000 });
    expect(window.value).toMatchObject({ note: "max_tokens: 1000000 is more than 100000; 100000 was used." });
    expect(window.text).toContain("100000 was used.");
    const fact = { key: "boat", value: "Kittiwake", days: 100_000 };
    expect(await problem(within(operation, "memory_write.remember_fact", fact))).toMatch(/^invalid `days` must be/);
  });

  it("may be numbers written as text", async () => {
    const { sandbox, id, open, within } = await arrive();
    for (const text of ["one", "two", "three"]) sandbox.as("mark").say("general", text);
    const operation = await open("sarah", "general");
    const read = (limit: string) => within(operation, "discord.channel.messages", { channel: id("general"), limit });
    expect((await read("2")).value).toMatchObject({ messages: [{ content: "three" }, { content: "two" }] });
    expect((await read("500")).value).toMatchObject({ note: "limit: 500 is more than 100; 100 was used." });
    for (const limit of ["", "2 messages", "1e1", "0x2"]) await expect(read(limit)).rejects.toThrow("`limit` must be");
  });

  it("that may be brought within bounds belong to tools whose answer has a note", () => {
    for (const { name, effect, input, output } of tools as readonly Tool[]) {
      const { properties = {} } = z.toJSONSchema(input, { io: "input" });
      const isBounded = Object.values(properties).some((one) => typeof one === "object" && one.maximum !== undefined);
      if (effect === "read" && isBounded)
        expect(Object.keys(z.toJSONSchema(output, { io: "output" }).properties ?? {}), name).toContain("note");
    }
  });
});

describe("the tools of a client", () => {
  it("are without the one for direct messages where the client may not read those", async () => {
    const { gate } = await arrive();
    const names = (directMessages: boolean) =>
      gate.tools
        .filter((tool) => gate.isFor(tool, { name: "test", grant: { ...(OPEN as Grant), directMessages } }))
        .map(({ name }) => name);
    expect(names(true)).toContain("discord.dm.messages");
    expect(names(false)).not.toContain("discord.dm.messages");
  });
});
