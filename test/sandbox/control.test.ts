import { request } from "node:http";
import { Client, GatewayIntentBits, type Interaction, Partials } from "discord.js";
import { PermissionFlagsBits } from "discord-api-types/v10";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Sandbox, type SandboxOptions, sampleCommunity } from "../../sandbox/index.ts";
import { LONGEST_WAIT_MS } from "../support/edge.ts";
import { openTestSandbox } from "../support/sandbox.ts";

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function openControlled(options: SandboxOptions = {}) {
  const sandbox = await openTestSandbox(options);
  const post = async (action: string, body: unknown = {}): Promise<Answer> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${sandbox.url}/sandbox/${action}`, {
      method: "POST",
      headers,
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Answer["body"] };
  };
  return { sandbox, post };
}

/** A clock that stands still: a bot on a slow machine misses no deadline. */
function withoutHaste(): SandboxOptions {
  const now = Date.now();
  return { clock: { now: () => now }, rateLimits: false };
}

/** A bot as anybody would write it: replies to "ping", and has a command that leads to a button, a form and a word of thanks. */
async function connectBot(sandbox: Sandbox): Promise<Client> {
  const { Guilds, GuildMessages, MessageContent, DirectMessages } = GatewayIntentBits;
  const client = new Client({
    intents: [Guilds, GuildMessages, MessageContent, DirectMessages],
    partials: [Partials.Channel],
    rest: { api: sandbox.api },
  });
  onTestFinished(() => client.destroy());
  client.on("error", () => undefined);
  client.on("messageCreate", async (message) => {
    if (!message.author.bot && message.content === "ping") await message.reply("pong");
  });
  client.on("interactionCreate", answer);
  const ready = new Promise((resolve) => client.once("clientReady", resolve));
  await client.login(sandbox.token);
  await ready;
  await client.application?.commands.set([
    { name: "greet", description: "Greets", options: [{ type: 6, name: "who", description: "Whom?", required: true }] },
    { name: "Count letters", type: 3 },
  ]);
  return client;
}

async function answer(interaction: Interaction): Promise<void> {
  if (interaction.isChatInputCommand()) {
    const components = [{ type: 1, components: [{ type: 2, style: 1, label: "Tell more", custom_id: "more" }] }];
    await interaction.reply({ content: `Hello ${interaction.options.getUser("who")}`, components });
  } else if (interaction.isMessageContextMenuCommand()) {
    await interaction.reply({ content: String(interaction.targetMessage.content.length), flags: 64 });
  } else if (interaction.isButton()) {
    const field = { type: 4, custom_id: "story", style: 2, label: "Story" } as const;
    await interaction.showModal({
      custom_id: "form",
      title: "Tell us",
      components: [{ type: 1, components: [field] }],
    });
  } else if (interaction.isModalSubmit()) {
    await interaction.reply({ content: `Noted: ${interaction.fields.getTextInputValue("story")}`, flags: 64 });
  }
}

describe("the control API of the sandbox", () => {
  it("lets a person talk to a bot, and waits for what it answers", async () => {
    const { sandbox, post } = await openControlled(withoutHaste());
    await connectBot(sandbox);
    const said = await post("say", { as: "sarah", in: "general", text: "ping" });
    const { message_id: after } = said.body;
    const reply = await post("wait", { in: "general", after, timeout_ms: LONGEST_WAIT_MS });
    expect(reply).toMatchObject({
      status: 200,
      body: { text: "pong", message: { message_reference: { message_id: after } } },
    });
    const dm = await post("dm", { as: "mark", text: "ping" });
    expect((await post("wait", { after: dm.body["message_id"], timeout_ms: LONGEST_WAIT_MS })).body).toMatchObject({
      text: "pong",
      channel_id: dm.body["channel_id"],
    });
  });

  it("runs a command with names for ids, presses the button, and fills in the form", async () => {
    const { sandbox, post } = await openControlled(withoutHaste());
    await connectBot(sandbox);
    const ran = await post("run", {
      as: "sarah",
      in: "general",
      command: "greet",
      options: { who: "mark" },
      timeout_ms: LONGEST_WAIT_MS,
    });
    expect(ran.body).toMatchObject({ kind: "message", text: `Hello <@${sandbox.as("mark").id}>`, ephemeral: false });
    const { message_id } = ran.body;
    const wrong = await post("press", { as: "sarah", message_id, label: "Tell mroe" });
    expect(wrong).toMatchObject({ status: 404, body: { type: "unknown", candidates: ["Tell more"] } });
    const pressed = await post("press", { as: "sarah", message_id, label: "Tell more", timeout_ms: LONGEST_WAIT_MS });
    expect(pressed.body).toMatchObject({ kind: "modal", modal: { title: "Tell us" } });
    const form = { as: "sarah", interaction_id: pressed.body["interaction_id"] };
    const empty = await post("submit", { ...form, values: {} });
    expect(empty).toMatchObject({ status: 400, body: { type: "refused", code: 50035 } });
    expect(empty.body["message"]).toContain("story: This field is required");
    const sent = await post("submit", { ...form, values: { story: "Once" }, timeout_ms: LONGEST_WAIT_MS });
    expect(sent.body).toMatchObject({ kind: "message", text: "Noted: Once", ephemeral: true });
    expect((await post("submit", { ...form, values: { story: "Twice" } })).status).toBe(404);
  });

  it("uses a command in the menu of a message", async () => {
    const { sandbox, post } = await openControlled(withoutHaste());
    await connectBot(sandbox);
    const { message_id } = (await post("say", { as: "mark", in: "general", text: "twelve words" })).body;
    const used = { as: "sarah", message_id, timeout_ms: LONGEST_WAIT_MS };
    const answered = await post("menu", { ...used, command: "Count letters" });
    expect(answered).toMatchObject({ status: 200, body: { kind: "message", text: "12", ephemeral: true } });
    expect(await post("menu", { ...used, command: "greet" })).toMatchObject({ status: 404, body: { code: 10063 } });
    expect((await post("menu", { ...used, command: "Count letters", message_id: "5" })).status).toBe(404);
  });

  it("edits, deletes and reacts as a person", async () => {
    const { sandbox, post } = await openControlled();
    const { body } = await post("say", { as: "sarah", in: "general", text: "first" });
    const message_id = String(body["message_id"]);
    const message = () => sandbox.world.channels.get(String(body["channel_id"]))?.messages.get(message_id);
    await post("edit", { as: "sarah", message_id, text: "second" });
    await post("react", { as: "mark", message_id, emoji: "👍" });
    expect(message()).toMatchObject({ content: "second" });
    expect([...(message()?.more?.reactions?.keys() ?? [])]).toEqual(["👍"]);
    await post("react", { as: "mark", message_id, emoji: "👍", remove: true });
    expect(message()?.more?.reactions?.size ?? 0).toBe(0);
    expect(await post("delete", { as: "mark", message_id })).toMatchObject({
      status: 403,
      body: { type: "refused", code: 50013 },
    });
    await post("delete", { as: "sarah", message_id });
    expect(message()).toBeUndefined();
  });

  it("changes roles and what is allowed in a channel", async () => {
    const { sandbox, post } = await openControlled();
    const hello = { as: "mark", in: "staff-room", text: "let me in" };
    expect((await post("say", hello)).status).toBe(403);
    await post("overwrite", { channel: "staff-room", who: "person:mark", allow: ["ViewChannel", "SendMessages"] });
    expect((await post("say", hello)).status).toBe(200);
    await post("overwrite", { channel: "staff-room", who: "person:mark", remove: true });
    expect((await post("say", hello)).status).toBe(403);
    const [role] = [...sandbox.community.guild.roles.values()].filter(({ id }) => id !== sandbox.community.guild.id);
    expect((await post("roles", { person: "mark", roles: [role?.name] })).body).toEqual({ roles: [role?.id] });
    const typo = await post("overwrite", { channel: "general", who: "everyone", deny: ["SendMesages"] });
    expect(typo).toMatchObject({ status: 404, body: { type: "unknown" } });
    expect((typo.body["candidates"] as string[])[0]).toBe("SendMessages");
  });

  it("moves the clock forward, so that a deadline passes", async () => {
    const { sandbox, post } = await openControlled();
    sandbox.admin.timeout("mark", 5);
    const hello = { as: "mark", in: "general", text: "hello?" };
    expect((await post("say", hello)).status).toBe(403);
    const before = sandbox.world.clock.now();
    expect((await post("time", { advance_seconds: 301 })).status).toBe(200);
    expect(sandbox.world.clock.now() - before).toBeGreaterThanOrEqual(301_000);
    expect((await post("say", hello)).status).toBe(200);
    expect((await post("time", { advance_seconds: -1 })).status).toBe(400);
  });

  it("orders faults and ends them", async () => {
    const { sandbox, post } = await openControlled();
    const headers = { authorization: `Bot ${sandbox.token}` };
    const ask = async () => (await fetch(`${sandbox.api}/v10/users/@me`, { headers })).status;
    await post("fault", { fault: "fail_rest", status: 503, times: 2, match: "GET /users/@me" });
    expect(await ask()).toBe(503);
    await post("fault", { fault: "clear" });
    expect(await ask()).toBe(200);
    const typo = await post("fault", { fault: "fial_rest" });
    expect(typo).toMatchObject({ status: 400, body: { type: "invalid" } });
    expect((typo.body["candidates"] as string[])[0]).toBe("fail_rest");
    const unsendable = await post("fault", { fault: "cut_socket", code: 1006 });
    expect([unsendable.status, unsendable.body["message"]]).toEqual([400, expect.stringContaining("`code`")]);
    expect((await post("fault", { fault: "fail_rest", status: 503, tmies: 2 })).body["message"]).toContain("`tmies`");
  });

  it("resets everything but registered commands: the same ids and tokens, and a bot that reconnects by itself", async () => {
    const { sandbox, post } = await openControlled(withoutHaste());
    await connectBot(sandbox);
    const info = async () => (await (await fetch(`${sandbox.url}/sandbox/info`)).json()) as object;
    const before = await info();
    const { body } = await post("say", { as: "sarah", in: "general", text: "hello" });
    await post("time", { advance_seconds: 86_400 });
    await post("roles", { person: "sarah", roles: [] });
    expect((await post("reset")).status).toBe(200);
    const after = await info();
    expect({ ...after, now: "" }).toEqual({ ...before, now: "" });
    expect(sandbox.world.channels.get(String(body["channel_id"]))?.messages.size).toBe(0);
    const ran = { as: "sarah", in: "general", command: "greet", options: { who: "mark" } };
    await expect.poll(async () => (await post("run", ran)).status).toBe(200);
  });

  it("ends a wait when it is reset", async () => {
    const { post } = await openControlled();
    let ended: Answer | undefined;
    void post("wait", { in: "general" }).then((answered) => {
      ended = answered;
    });
    while (!ended) await post("reset");
    expect(ended).toMatchObject({ status: 409, body: { type: "reset" } });
  });

  it("times out when the bot says nothing", async () => {
    const { post } = await openControlled();
    expect(await post("wait", { in: "general", timeout_ms: 20 })).toMatchObject({
      status: 504,
      body: { type: "timeout" },
    });
  });
});

describe("the control API rejects", () => {
  it("what is not JSON, too long, incomplete or unknown, each with its own type", async () => {
    const { sandbox, post } = await openControlled();
    expect(await post("say", "{")).toMatchObject({
      status: 400,
      body: { type: "invalid", message: "The body is not JSON." },
    });
    expect(await post("say", "[".repeat(100_000))).toMatchObject({ status: 400, body: { type: "invalid" } });
    expect(await post("say", { as: "sarah" })).toMatchObject({
      status: 400,
      body: { message: "`in` is missing." },
    });
    expect(await post("say", { as: "sarah", in: "general", text: "x".repeat(17_000_000) })).toMatchObject({
      status: 413,
      body: { type: "too_large" },
    });
    const typo = await post("say", { as: "sarha", in: "general", text: "hi" });
    expect(typo).toMatchObject({ status: 404, body: { type: "unknown", code: 10013 } });
    expect((typo.body["candidates"] as string[])[0]).toBe("sarah");
    expect((await post("sya")).body).toMatchObject({ type: "unknown", candidates: expect.arrayContaining(["say"]) });
    expect((await fetch(`${sandbox.url}/sandbox/say`)).status).toBe(405);
    const posted = { status: 405, body: { type: "invalid", message: "Send a GET request without a body." } };
    expect(await post("info")).toMatchObject(posted);
    const plain = await fetch(`${sandbox.url}/sandbox/reset`, { method: "POST", body: "{}" });
    expect(plain.status).toBe(415);
  });

  it.each([
    ["a page of another site", { origin: "https://example.com" }],
    ["a sandboxed page or a file", { origin: "null" }],
    ["a link or image on another site", { "sec-fetch-site": "cross-site" }],
    [
      "another port of this machine, opened in a browser",
      { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" },
    ],
    ["a name that was made to lead here", { host: "attacker.example:7788" }],
  ])("requests of %s", async (_, headers) => {
    const { sandbox } = await openControlled();
    for (const [method, path] of [
      ["GET", "info"],
      ["POST", "reset"],
    ] as const) {
      const status = await new Promise((resolve, reject) => {
        const sent = request(`${sandbox.url}/sandbox/${path}`, {
          method,
          headers: { "content-type": "application/json", ...headers },
        });
        sent.on("response", (response) => resolve(response.resume().statusCode));
        sent.on("error", reject);
        sent.end(method === "POST" ? "{}" : undefined);
      });
      expect(status).toBe(403);
    }
  });
});

describe("the bot's permissions in the sandbox", () => {
  it.each([
    ["names", ["ViewChannel"] as const],
    ["a number", PermissionFlagsBits.ViewChannel],
  ])("can be chosen, as %s", async (_, botPermissions) => {
    const { sandbox } = await openControlled({ botPermissions, community: sampleCommunity() });
    const general = sandbox.community.channels.get("general");
    const response = await fetch(`${sandbox.api}/v10/channels/${general}/messages`, {
      method: "POST",
      headers: { authorization: `Bot ${sandbox.token}`, "content-type": "application/json" },
      body: '{"content":"hi"}',
    });
    expect(await response.json()).toMatchObject({ code: 50013 });
    const own = [...sandbox.community.guild.roles.values()].find(({ botId }) => botId !== undefined);
    expect(own).toMatchObject({ managed: true, permissions: PermissionFlagsBits.ViewChannel });
    sandbox.admin.updateRole(own?.id ?? "", { permissions: ["ViewChannel", "SendMessages"] });
    expect(() => sandbox.as("earshot").say("general", "now I may")).not.toThrow();
  });
});
