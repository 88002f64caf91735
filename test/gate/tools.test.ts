import { describe, expect, it } from "vitest";
import { z } from "zod";
import { mentionsOf } from "../../sandbox/render/mentions.ts";
import type { Message } from "../../src/domain/message.ts";
import { tools } from "../../src/tools/index.ts";
import { openWorld } from "../support/gate.ts";

interface Result {
  messages: Message[];
  scanned: number;
  has_more: boolean;
  cursor: string | null;
}

async function arrive() {
  const world = await openWorld();
  const read = async (name: string, args: object, where = { as: "sarah", in: "general" }) =>
    (await world.call(name, args, where)) as Result;
  return { ...world, read };
}

describe("the tools, through the gate", () => {
  it("each have a JSON Schema with a description of every argument", () => {
    for (const tool of tools) {
      const schema = z.toJSONSchema(tool.input, { io: "input" });
      z.toJSONSchema(tool.output, { io: "output" });
      expect(tool.name).toMatch(
        /^((discord|context|directory)(\.[a-z0-9]+)+|memory_(read|write)(\.[a-z_]+)|[a-z]+(_[a-z]+)+)$/,
      );
      expect(tool.about.length).toBeGreaterThan(20);
      for (const [name, property] of Object.entries(schema.properties ?? {})) {
        expect(JSON.stringify(property), `${tool.name} ${name}`).toContain("description");
      }
    }
  });

  it("read the messages of a channel: the latest, before, after and around one, page by page", async () => {
    const { sandbox, id, read } = await arrive();
    const said = Array.from({ length: 12 }, (_, index) => sandbox.as("sarah").say("general", String(index)).id);
    const texts = async (args: object) =>
      (await read("discord.channel.messages", { channel_id: id("general"), ...args })).messages.map(
        ({ content }) => content,
      );
    expect(await texts({ limit: 3 })).toEqual(["11", "10", "9"]);
    expect(await texts({ limit: 2, before: said[5] })).toEqual(["4", "3"]);
    expect(await texts({ limit: 2, after: said[5] })).toEqual(["7", "6"]);
    expect(await texts({ limit: 3, around: said[5] })).toEqual(["6", "5", "4"]);
    expect(await texts({ limit: 2, cache: false })).toEqual(["11", "10"]);
    const first = await read("discord.channel.messages", { channel_id: id("general"), limit: 5 });
    expect(first.has_more).toBe(true);
    expect(await texts({ limit: 5, cursor: first.cursor })).toEqual(["6", "5", "4", "3", "2"]);
  });

  it("reject invalid arguments, and name the field", async () => {
    const { id, read } = await arrive();
    const problem = (args: object, name = "discord.channel.messages") =>
      read(name, args).then(String, (error: Error) => error.message);
    expect(await problem({ channel_id: 5 })).toMatch(/^`channel` must be /);
    expect(await problem({ channel_id: id("general"), limit: "five" })).toBe(
      "`limit` must be a whole number from 1 to 100 (got text).",
    );
    expect(await problem({ channel_id: id("general"), before: "1", after: "2" })).toContain(
      "at most one of `before`, `after`",
    );
    expect(await problem({ channel_id: id("general"), colour: "red" })).toContain("colour");
    expect(await problem({ channel_id: id("general"), cursor: "nonsense" })).toMatch(/cursor/i);
    expect(await problem({}, "discord.search.window")).toMatch(/^`query` is missing/);
    expect(await problem({}, "discord.fly")).toMatch(/^There is no tool `discord.fly`; the list of tools/);
    expect(await problem({}, "serach_messages")).toBe(
      "There is no tool `serach_messages`; did you mean `search_messages`?",
    );
  });

  it("find words in a channel and say how far back they searched", async () => {
    const { sandbox, id, read } = await arrive();
    for (let index = 0; index < 30; index += 1)
      sandbox.as("mark").say("general", index === 3 ? "a Turtle by the dock" : `line ${index}`);
    const found = await read("discord.search.window", { channel_id: id("general"), query: "turtle" });
    expect(found.messages.map(({ content }) => content)).toEqual(["a Turtle by the dock"]);
    expect(found.scanned).toBe(30);
    const short = await read("discord.search.window", { channel_id: id("general"), query: "turtle", scan: 10 });
    expect(short).toMatchObject({ messages: [], scanned: 10, has_more: true });
  });

  it("show only what the actor may read, and what is denied looks absent", async () => {
    const { sandbox, edge, id, read, call, settle } = await arrive();
    sandbox.admin.setOverwrite("staff-room", "person:earshot", { allow: ["ViewChannel"] });
    await settle();
    sandbox.as("mei").say("staff-room", "salaries");
    const problem = (channel: string) =>
      read("discord.channel.messages", { channel_id: channel }).then(
        String,
        (error: { code: string; message: string }) => `${error.code} ${error.message}`,
      );
    expect(await problem(id("staff-room"))).toBe(await problem("123456"));
    const asMei = (place: string) =>
      read("discord.channel.messages", { channel_id: id("staff-room") }, { as: "mei", in: place });
    expect((await asMei("staff-room")).messages).toHaveLength(1);
    await expect(asMei("general")).rejects.toMatchObject({ code: "not_found" });
    const { channelId: dm } = sandbox.as("mei").dm("privately");
    await edge.find("message", ({ message }) => message.channel_id === dm);
    expect((await asMei(dm)).messages).toHaveLength(1);
    const { channels } = (await call(
      "discord.guild.channels",
      { guild_id: sandbox.community.guild.id },
      { as: "sarah", in: "general" },
    )) as { channels: { name: string }[] };
    expect(channels.map(({ name }) => name)).toEqual(["general", "news", "help", "pier"]);
    const { guilds } = (await call("discord.guilds", {}, { as: "sarah", in: "general" })) as { guilds: unknown[] };
    expect(guilds).toEqual([{ guild_id: sandbox.community.guild.id, name: "Quay" }]);
    expect(
      await call("discord.channel.info", { channel_id: id("help") }, { as: "sarah", in: "general" }),
    ).toMatchObject({ kind: "forum", tags: ["tools", "solved"] });
  });

  it("name another server only where nobody else can read it", async () => {
    const { sandbox, edge, call, settle } = await arrive();
    const other = sandbox.admin.createGuild("Secret society", "olga");
    for (const person of ["sarah", "earshot"]) sandbox.admin.addMember(person, other.id);
    const { channelId: dm } = sandbox.as("sarah").dm("where am I?");
    await settle();
    await edge.find("guild", ({ guildId }) => guildId === (other.id as never));
    const names = async (place: string) => {
      const { guilds } = (await call("discord.guilds", {}, { as: "sarah", in: place })) as {
        guilds: { name: string }[];
      };
      return guilds.map(({ name }) => name).sort();
    };
    expect(await names("general")).toEqual(["Quay"]);
    expect(await names(dm)).toEqual(["Quay", "Secret society"]);
    const list = call("discord.guild.channels", { guild_id: other.id }, { as: "sarah", in: "general" });
    await expect(list).rejects.toMatchObject({ code: "not_found" });
  });

  it("send once for each key, ping nobody unless asked to, and suppress link previews", async () => {
    const { sandbox, id, call } = await arrive();
    const [sarah, mark] = [sandbox.community.people.get("sarah"), sandbox.community.people.get("mark")];
    const question = sandbox.as("sarah").say("general", "anyone?");
    const where = { as: "sarah", in: "general" };
    const args = {
      channel_id: id("general"),
      text: `<@${sarah}> <@${mark}> @everyone https://example.com`,
      reply_to: question.id,
      mentions: [mark],
    };
    const sent = (await call("discord.send", args, where)) as { message_id: string; ts: string };
    const channel = sandbox.world.channels.get(id("general"));
    const record = channel?.messages.get(sent.message_id);
    expect(record).toMatchObject({ flags: 4, more: { reference: { messageId: question.id } } });
    expect(record?.more?.mentionEveryone ?? false).toBe(false);
    expect(record && mentionsOf(sandbox.world, record)).toMatchObject({ users: [mark], roles: [] });
    const unasked = (await call("discord.send", { ...args, mentions: [] }, where)) as { message_id: string };
    const silent = channel?.messages.get(unasked.message_id);
    expect(silent && mentionsOf(sandbox.world, silent)).toMatchObject({ users: [], roles: [] });
    const ungranted = call("discord.send", args, { ...where, grant: { mentions: false } });
    await expect(ungranted).rejects.toMatchObject({ code: "forbidden" });
    const [shown] = ((await call("discord.channel.messages", { channel_id: id("general"), limit: 1 }, where)) as Result)
      .messages;
    expect(shown?.message_id).toBe(unasked.message_id);
    expect(sent.ts).toBe(new Date(record?.timestamp ?? 0).toISOString());
  });

  it("make a sent message readable at once, and announce it once", async () => {
    const { sandbox, edge, id, gate, open, settle } = await arrive();
    sandbox.as("sarah").say("general", "anyone?");
    const operation = await open("sarah", "general");
    const call = async (name: string, args: object) =>
      (await gate.callTool({ name, args: { channel_id: id("general"), ...args }, operation })).value;
    await call("discord.channel.messages", {});
    sandbox.faults.delayEvents(200);
    await call("discord.send", { text: "I am here" });
    const { messages } = (await call("discord.channel.messages", {})) as Result;
    expect(messages[0]?.content).toBe("I am here");
    await settle();
    expect(edge.said().filter((text) => text === "I am here")).toHaveLength(1);
  });

  it("send a long text as several messages, in order, once for each key", async () => {
    const { sandbox, id, gate, open } = await arrive();
    const operation = await open("sarah", "general");
    const text = Array.from({ length: 900 }, (_, index) => `word${index}`).join(" ");
    const args = { channel_id: id("general"), text, key: "answer" };
    const [first, second] = await Promise.all(
      [1, 2].map(() => gate.callTool({ name: "discord.send", args, operation })),
    );
    expect(first).toEqual(second);
    const { message_ids: ids } = (first ?? { value: {} }).value as { message_ids: string[] };
    expect(ids.length).toBeGreaterThan(3);
    const channel = sandbox.world.channels.get(id("general"));
    expect(ids.map((one) => channel?.messages.get(one)?.content).join(" ")).toBe(text);
    expect(channel?.messages.size).toBe(ids.length);
  });

  it("send nothing for an actor who may not send, and nothing where the bot may not", async () => {
    const { sandbox, id, call, settle } = await arrive();
    sandbox.admin.setOverwrite("news", "person:sarah", { deny: ["SendMessages"] });
    await settle();
    const say = (channel: string, where: { as: string; in: string }) =>
      call("discord.send", { channel_id: id(channel), text: "hi" }, where);
    await expect(say("news", { as: "sarah", in: "general" })).rejects.toMatchObject({ code: "forbidden" });
    await expect(say("staff-room", { as: "sarah", in: "general" })).rejects.toMatchObject({ code: "not_found" });
    sandbox.admin.setOverwrite("general", "person:earshot", { deny: ["SendMessages"] });
    await settle();
    await expect(say("general", { as: "mark", in: "general" })).rejects.toMatchObject({ code: "forbidden" });
    await expect(
      call("discord.send", { channel_id: id("news"), text: " \n " }, { as: "mark", in: "general" }),
    ).rejects.toMatchObject({ code: "invalid" });
  });

  it("react to a message", async () => {
    const { sandbox, id, call } = await arrive();
    const message = sandbox.as("sarah").say("general", "well?");
    await call(
      "discord.react",
      { channel_id: id("general"), message_id: message.id, emoji: "👍" },
      { as: "sarah", in: "general" },
    );
    expect([...(message.more?.reactions?.keys() ?? [])]).toHaveLength(1);
    await expect(
      call(
        "discord.react",
        { channel_id: id("general"), message_id: "1", emoji: "👍" },
        { as: "sarah", in: "general" },
      ),
    ).rejects.toMatchObject({ code: "not_found" });
  });

  it("read a direct conversation only within itself, and only the actor's own", async () => {
    const { sandbox, edge, id, call } = await arrive();
    const { channelId } = sandbox.as("sarah").dm("my secret");
    await edge.find("message");
    const [sarah, mark] = [sandbox.community.people.get("sarah"), sandbox.community.people.get("mark")];
    const own = (await call("discord.dm.messages", { user_id: sarah }, { as: "sarah", in: channelId })) as Result;
    expect(own.messages.map(({ content }) => content)).toEqual(["my secret"]);
    const search = (await call(
      "discord.search.window",
      { scope: "dm", user_id: sarah, query: "secret" },
      { as: "sarah", in: channelId },
    )) as Result;
    expect(search.messages).toHaveLength(1);
    for (const [tool, args, where] of [
      ["discord.dm.messages", { user_id: sarah }, { as: "sarah", in: "general" }],
      ["discord.dm.messages", { user_id: sarah }, { as: "mark", in: "general" }],
      ["discord.channel.messages", { channel_id: channelId }, { as: "mark", in: "general" }],
      ["discord.channel.messages", { channel_id: channelId }, { as: "sarah", in: "general" }],
      ["discord.dm.messages", { user_id: mark }, { as: "sarah", in: channelId }],
    ] as const) {
      await expect(call(tool, args, where), JSON.stringify([tool, where])).rejects.toMatchObject({ code: "not_found" });
    }
    expect(id("general")).not.toBe(channelId);
  });

  it("return readable attachments, also when their link has expired, and no others", async () => {
    const { sandbox, id, read, call, settle } = await arrive();
    sandbox.admin.setOverwrite("staff-room", "person:earshot", { allow: ["ViewChannel"] });
    await settle();
    const bytes = new TextEncoder().encode("tide table");
    const file = (filename: string, contentType: string) => ({ filename, contentType, bytes });
    sandbox
      .as("sarah")
      .say("general", { attachments: [file("tides.txt", "text/plain"), file("run.exe", "application/x-msdownload")] });
    sandbox.as("mei").say("staff-room", { attachments: [file("pay.txt", "text/plain")] });
    const attachments = async (channel: string, as: string) =>
      (await read("discord.channel.messages", { channel_id: id(channel), limit: 1 }, { as, in: channel })).messages[0]
        ?.attachments ?? [];
    const [tides, program] = await attachments("general", "sarah");
    const [pay] = await attachments("staff-room", "mei");
    const fetch = (url: string | undefined, where = { as: "sarah", in: "general" }) =>
      call("discord.attachment.base64", { url }, where);
    const wanted = { content_type: "text/plain", base64: Buffer.from(bytes).toString("base64") };
    expect(await fetch(tides?.url)).toEqual(wanted);
    expect(await fetch(tides?.url.split("?")[0])).toEqual(wanted);
    await expect(fetch(program?.url)).rejects.toMatchObject({ code: "unsupported" });
    await expect(fetch(pay?.url)).rejects.toMatchObject({ code: "not_found" });
    expect(await fetch(pay?.url, { as: "mei", in: "staff-room" })).toEqual(wanted);
    await expect(fetch("https://example.com/attachments/1/2/x.png")).rejects.toMatchObject({ code: "not_found" });
    await expect(fetch("file:///etc/passwd")).rejects.toMatchObject({ code: "invalid" });
  });

  it("renew an attachment link that has expired since the message was read", async () => {
    let later = 0;
    const { sandbox, call } = await openWorld({ sandbox: { clock: { now: () => Date.now() + later } } });
    const bytes = new TextEncoder().encode("tide table");
    sandbox.as("sarah").say("general", { attachments: [{ filename: "tides.txt", contentType: "text/plain", bytes }] });
    const where = { as: "sarah", in: "general" };
    const read = (await call(
      "discord.channel.messages",
      { channel_id: sandbox.community.channels.get("general") },
      where,
    )) as Result;
    const [message] = read.messages;
    const url = message?.attachments[0]?.url ?? "";
    later = 30 * 86_400_000;
    expect((await fetch(url)).ok).toBe(false);
    const wanted = { content_type: "text/plain", base64: Buffer.from(bytes).toString("base64") };
    expect(await call("discord.attachment.base64", { url }, where)).toEqual(wanted);
    const named = { url, channel_id: message?.channel_id, message_id: message?.message_id };
    expect(await call("discord.attachment.base64", named, where)).toEqual(wanted);
    await expect(call("discord.attachment.base64", { ...named, message_id: "5" }, where)).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("respect the client's grant", async () => {
    const { sandbox, id, call } = await arrive();
    sandbox.as("sarah").say("general", "hello");
    const read = (grant: object) =>
      call("discord.channel.messages", { channel_id: id("general") }, { as: "sarah", in: "general", grant });
    await expect(read({ scopes: [] })).rejects.toMatchObject({ code: "forbidden" });
    await expect(read({ toolsets: ["memory"] })).rejects.toMatchObject({ code: "forbidden" });
    await expect(read({ toolsets: ["discord"] })).resolves.toBeDefined();
    await expect(read({ guilds: ["1"] })).rejects.toMatchObject({ code: "not_found" });
    await expect(read({ channels: [id("news")] })).rejects.toMatchObject({ code: "not_found" });
    await expect(read({ actors: [sandbox.community.people.get("mark")] })).rejects.toMatchObject({ code: "forbidden" });
  });

  it("repeat nothing to people who could not have read it", async () => {
    const { sandbox, id, gate, open, settle } = await arrive();
    sandbox.admin.setOverwrite("staff-room", "person:earshot", { allow: ["ViewChannel", "SendMessages"] });
    await settle();
    sandbox.as("mei").say("staff-room", "salaries");
    const operation = await open("mei", "staff-room");
    const call = (name: string, args: object) => gate.callTool({ name, args, operation });
    await call("discord.channel.messages", { channel_id: id("staff-room") });
    await expect(call("discord.send", { channel_id: id("general"), text: "salaries" })).rejects.toMatchObject({
      code: "forbidden",
    });
    await expect(call("discord.send", { channel_id: id("staff-room"), text: "salaries" })).resolves.toBeDefined();
    expect(sandbox.world.channels.get(id("general"))?.messages.size).toBe(0);
  });

  it("record what was read in the operation's label", async () => {
    const { sandbox, id, gate, open } = await arrive();
    sandbox.as("sarah").say("news", "news");
    const operation = await open("sarah", "general");
    await gate.callTool({ name: "discord.channel.messages", args: { channel_id: id("news") }, operation });
    expect([...operation.label.channels.keys()]).toEqual([id("news")]);
  });
});
