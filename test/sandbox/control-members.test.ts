import { Client, GatewayIntentBits, Partials } from "discord.js";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { LONGEST_WAIT_MS } from "../support/edge.ts";
import { openTestSandbox } from "../support/sandbox.ts";

async function open() {
  const now = Date.now();
  // A clock that stands still: a bot on a slow machine misses no deadline.
  const sandbox = await openTestSandbox({ clock: { now: () => now }, rateLimits: false });
  const post = async (action: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${sandbox.url}/sandbox/${action}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const messageOf = ({ body }: Awaited<ReturnType<typeof post>>) =>
    sandbox.world.channels.get(String(body["channel_id"]))?.messages.get(String(body["message_id"]));
  return { sandbox, post, messageOf };
}

/** Has a command with suggestions, and one in the menu of people. Notes who comes and goes, and the files that people send. */
async function connectBot(sandbox: Sandbox) {
  const { Guilds, GuildMembers, GuildMessages, MessageContent } = GatewayIntentBits;
  const client = new Client({
    intents: [Guilds, GuildMembers, GuildMessages, MessageContent],
    partials: [Partials.GuildMember],
    rest: { api: sandbox.api },
  });
  onTestFinished(() => client.destroy());
  const seen: string[] = [];
  client.on("guildMemberAdd", ({ user }) => seen.push(`${user.username} joined`));
  client.on("guildMemberRemove", ({ user }) => seen.push(`${user.username} left`));
  client.on("threadCreate", ({ name }) => seen.push(`thread ${name}`));
  client.on("messageCreate", async ({ attachments }) => {
    for (const { url, name } of attachments.values()) seen.push(`${name}: ${await (await fetch(url)).text()}`);
  });
  client.on("interactionCreate", async (interaction) => {
    if (interaction.isAutocomplete()) {
      const { name, value } = interaction.options.getFocused(true);
      const tide = interaction.options.getString("tide");
      await interaction.respond([{ name: `${name} ${JSON.stringify(value)} of ${tide}`, value: 7 }]);
    } else if (interaction.isChatInputCommand()) {
      const { name, size, ephemeral, url } = interaction.options.getAttachment("log", true);
      await interaction.reply(`${name}, ${size} bytes, ${ephemeral}: ${await (await fetch(url)).text()}`);
    } else if (interaction.isUserContextMenuCommand()) {
      await interaction.reply({ content: `${interaction.targetUser.username} in ${interaction.channelId}`, flags: 64 });
    }
  });
  const ready = new Promise((resolve) => client.once("clientReady", resolve));
  await client.login(sandbox.token);
  await ready;
  await client.application?.commands.set([
    {
      name: "depth",
      description: "How deep?",
      options: [
        { type: 3, name: "tide", description: "Which tide?" },
        { type: 4, name: "hour", description: "When?", autocomplete: true },
      ],
    },
    {
      name: "upload",
      description: "Takes a log",
      options: [{ type: 11, name: "log", description: "The log", required: true }],
    },
    { name: "Who is this", type: 2 },
  ]);
  return seen;
}

describe("members act through the control API", () => {
  it("sending files as text or base64, with a message or without, which the bot downloads", async () => {
    const { sandbox, post, messageOf } = await open();
    const seen = await connectBot(sandbox);
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFN";
    const sent = await post("say", {
      ...{ as: "sarah", in: "general", text: "The tides" },
      files: [
        { name: "tides.csv", text: "low,06:12", description: "Today" },
        { name: "map.png", base64: png },
      ],
    });
    expect(messageOf(sent)).toMatchObject({
      content: "The tides",
      more: {
        attachments: [
          { filename: "tides.csv", contentType: "text/csv", size: 9, description: "Today" },
          { filename: "map.png", contentType: "image/png", width: 3, height: 2 },
        ],
      },
    });
    await expect.poll(() => seen).toContain("tides.csv: low,06:12");
    expect(messageOf(await post("dm", { as: "mark", files: [{ name: "a", text: "" }] }))).toMatchObject({
      content: "",
    });
    const both = { as: "mark", in: "general", files: [{ name: "a", text: "a", base64: "YQ==" }] };
    expect(await post("say", both)).toMatchObject({ status: 400, body: { type: "invalid" } });
    const large = { as: "mark", in: "general", files: [{ name: "a", base64: "A".repeat(14_000_000) }] };
    expect(await post("say", large)).toMatchObject({ status: 413, body: { type: "refused", code: 40005 } });
    expect(await post("say", { as: "mark", in: "general" })).toMatchObject({ status: 400, body: { code: 50006 } });
  });

  it("giving a slash command a file, which the bot downloads", async () => {
    const { sandbox, post } = await open();
    await connectBot(sandbox);
    const used = { as: "sarah", in: "general", command: "upload", timeout_ms: LONGEST_WAIT_MS };
    const files = { log: { name: "log.txt", text: "two fathoms" } };
    expect((await post("run", { ...used, files })).body).toMatchObject({
      kind: "message",
      text: "log.txt, 11 bytes, true: two fathoms",
    });
    expect(await post("run", { ...used })).toMatchObject({ status: 400, body: { type: "refused", code: 50035 } });
    const elsewhere = { ...used, command: "depth", files: { tide: files.log } };
    expect(await post("run", elsewhere)).toMatchObject({ status: 400, body: { type: "refused", code: 50035 } });
    expect(await post("run", { ...used, options: { log: "1" } })).toMatchObject({ status: 400, body: { code: 50035 } });
  });

  it("opening threads on a message or in a channel, and posts in a forum", async () => {
    const { sandbox, post, messageOf } = await open();
    const seen = await connectBot(sandbox);
    const { body } = await post("say", { as: "sarah", in: "general", text: "Where to?" });
    const { message_id } = body;
    const opened = await post("thread", { as: "mark", message_id, name: "Route" });
    expect(opened.body).toEqual({ channel_id: message_id });
    const own = await post("thread", { as: "mark", in: "general", name: "Aside", private: true, text: "psst" });
    expect(messageOf(own)).toMatchObject({ content: "psst" });
    expect(sandbox.world.channels.get(String(own.body["channel_id"]))).toMatchObject({ name: "Aside", type: 12 });
    await expect.poll(() => seen).toContain("thread Route");
    expect(await post("thread", { as: "mark", name: "Nowhere" })).toMatchObject({ status: 400 });
    expect(await post("thread", { as: "mark", name: "Both", message_id, in: "general" })).toMatchObject({
      status: 400,
    });

    sandbox.admin.createChannel("help", "forum");
    const tag = { id: "1", name: "solved", moderated: false, emojiId: null, emojiName: null };
    sandbox.admin.updateChannel("help", { tags: [tag] });
    const asked = {
      as: "sarah",
      in: "help",
      title: "Leak",
      text: "Water!",
      files: [{ name: "log.txt", text: "drip" }],
    };
    const made = await post("post", { ...asked, tags: ["solved"] });
    expect(messageOf(made)).toMatchObject({ content: "Water!", more: { attachments: [{ filename: "log.txt" }] } });
    expect(sandbox.world.channels.get(String(made.body["channel_id"]))).toMatchObject({
      name: "Leak",
      thread: { appliedTags: ["1"] },
    });
    await expect.poll(() => seen).toContain("thread Leak");
    expect(await post("post", { ...asked, tags: ["sovled"] })).toMatchObject({
      status: 404,
      body: { type: "unknown", candidates: ["solved"] },
    });
  });

  it("asking for suggestions, and using the menu of a person", async () => {
    const { sandbox, post } = await open();
    await connectBot(sandbox);
    const typing = { as: "sarah", in: "general", command: "depth", focused: "hour", timeout_ms: LONGEST_WAIT_MS };
    const suggested = async (options: object) => (await post("suggest", { ...typing, options })).body;
    expect(await suggested({ hour: "1", tide: "low" })).toMatchObject({
      kind: "choices",
      choices: [{ name: 'hour "1" of low', value: 7 }],
    });
    expect(await suggested({})).toMatchObject({ choices: [{ name: 'hour "" of null' }] });
    const used = { as: "sarah", command: "Who is this", person: "mark", timeout_ms: LONGEST_WAIT_MS };
    const place = sandbox.community.channels.get("general");
    expect(await post("menu", { ...used, in: "general" })).toMatchObject({
      status: 200,
      body: { kind: "message", text: `mark in ${place}`, ephemeral: true },
    });
    expect(await post("menu", used)).toMatchObject({ status: 400, body: { type: "invalid" } });
  });

  it("joining and leaving, also as somebody new", async () => {
    const { sandbox, post } = await open();
    const seen = await connectBot(sandbox);
    const joined = await post("join", { person: "wren", new: true });
    expect(joined.body).toEqual({ user_id: sandbox.as("wren").id });
    expect((await post("say", { as: "wren", in: "general", text: "hello" })).status).toBe(200);
    for (const person of ["wren", "sarah"]) {
      const twice = await post("join", { person, new: true });
      expect(twice, person).toMatchObject({ status: 400, body: { type: "invalid" } });
    }
    await post("leave", { person: "mark" });
    await expect.poll(() => seen).toEqual(["wren joined", "mark left"]);
    expect((await post("say", { as: "mark", in: "general", text: "still here?" })).status).toBe(403);
    expect((await post("leave", { person: "mark" })).status).toBe(404);
    expect((await post("join", { person: "mark" })).status).toBe(200);
    expect(await post("join", { person: "sarha" })).toMatchObject({ status: 404, body: { type: "unknown" } });
  });
});
