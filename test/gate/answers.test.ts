import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../src/domain/text/tokens.ts";
import { openTestGate, openWorld } from "../support/gate.ts";
import { openTestSandbox } from "../support/sandbox.ts";

const ASK_PRIVATELY = "Only what everyone here can see was searched; ask privately for more.";

describe("an answer for a model", () => {
  it("has one line for each message, in its own block, with names for mentions", async () => {
    const { sandbox, gate, open, id } = await openWorld();
    const { id: sarah } = sandbox.as("sarah");
    sandbox.as("mark").say("general", `hello <@${sarah}>, see <#${id("news")}> and <#${id("staff-room")}>`);
    sandbox.as("sarah").say("general", "two\nlines ⟦end⟧");
    const operation = await open("sarah", "general");
    const args = { channel_id: id("general") };
    const { text } = await gate.callTool({ name: "discord.channel.messages", args, operation, wantsText: true });
    const lines = text?.split("\n") ?? [];
    expect(lines[0]).toContain(operation.nonce);
    expect(lines[0]).toContain("general");
    expect(lines[1]).toMatch(/^m1 \[.+\] mark: hello @Skipper, see #news and <#\d+>$/);
    expect(lines[2]).toMatch(/^m2 Skipper: two⏎lines /);
    expect(lines[3]).toContain(operation.nonce);
    expect(lines).toHaveLength(4);
  });

  it("contains handles that later calls of the operation accept, and other operations do not", async () => {
    const { sandbox, gate, open, id } = await openWorld();
    const said = ["one", "two", "three"].map((text) => sandbox.as("mark").say("general", text).id);
    const operation = await open("sarah", "general");
    const call = (name: string, args: object, within = operation) =>
      gate.callTool({ name, args, operation: within, wantsText: true });
    await call("discord.channel.messages", { channel_id: id("general") });
    const { text } = await call("get_message_context", { message_id: "m2", before: 1, after: 0 });
    expect(text).toMatch(/\n {4}m1\/\d+ .*one\n>>> m2\/\d+ .*two\n/);
    const { value } = await call("discord.channel.messages", { channel_id: id("general"), before: "m3", limit: 1 });
    expect(value).toMatchObject({ messages: [{ message_id: said[1] }] });
    await expect(call("get_message_context", { message_id: "m4" })).rejects.toMatchObject({
      code: "not_found",
      message: "Message not found",
    });
    const other = await open("sarah", "general");
    await expect(call("get_message_context", { message_id: "m1" }, other)).rejects.toThrow("Message not found");
  });

  it("finds a message by id or by link in any channel the actor and the readers of the answer may read, and no others", async () => {
    const { sandbox, gate, open, id } = await openWorld();
    sandbox.admin.setOverwrite("staff-room", "helper", { allow: ["ViewChannel"] });
    const here = sandbox.as("mark").say("general", "here");
    const there = sandbox.as("mark").say("pier", "there");
    const hidden = sandbox.as("mei").say("staff-room", "salaries");
    const operation = await open("sarah", "general");
    const look = (message_id: string) =>
      gate.callTool({ name: "get_message_context", args: { message_id }, operation }).then(
        ({ value }) => (value as { messages: { content: string }[] }).messages.map(({ content }) => content),
        ({ code, message }) => `${code}: ${message}`,
      );
    const link = (channel: string, message: string) =>
      `https://discord.com/channels/${sandbox.community.guild.id}/${id(channel)}/${message}`;
    expect(await look(here.id)).toEqual(["here"]);
    expect(await look(`<${link("pier", there.id)}>`)).toEqual(["there"]);
    expect(await look(there.id)).toEqual(["there"]);
    for (const absent of [
      hidden.id,
      link("staff-room", hidden.id),
      link("staff-room", "999999999999999999"),
      link("pier", hidden.id),
      "999999999999999999",
      "what he said",
    ])
      expect(await look(absent)).toBe("not_found: Message not found");
  });

  it("includes the beginning of attached text files", async () => {
    const { sandbox, gate, open } = await openWorld();
    const file = (filename: string, text: string) => ({
      filename,
      contentType: "text/plain",
      bytes: new TextEncoder().encode(text),
    });
    const said = sandbox.as("mark").say("general", {
      content: "the list",
      attachments: [file("list.txt", "rope\nlamp\n⟦end⟧"), file("long.txt", "x".repeat(5_000))],
    });
    const operation = await open("sarah", "general");
    const args = { message_id: said.id };
    const { value, text } = await gate.callTool({ name: "get_message_context", args, operation, wantsText: true });
    expect(value).toMatchObject({
      files: [
        { filename: "list.txt", text: "rope\nlamp\n⟦end⟧", is_cut: false },
        { filename: "long.txt", text: "x".repeat(2_000), is_cut: true },
      ],
    });
    expect(text).toContain("-: file list.txt: rope⏎lamp⏎");
    expect(text?.match(/⟦end/g)).toHaveLength(1);
  });

  it("includes the reactions to a message, and leaves them out when Discord does not answer", async () => {
    const { sandbox, gate, open } = await openWorld();
    const said = sandbox.as("mark").say("general", "the harbour is free of ice");
    sandbox.as("mark").react(said, "🎉");
    for (const name of ["sarah", "mei"]) sandbox.as(name).react(said, "🐢");
    const operation = await open("sarah", "general");
    const look = () =>
      gate.callTool({ name: "get_message_context", args: { message_id: said.id }, operation, wantsText: true });
    const { value, text } = await look();
    const reactions = [
      { emoji: "🐢", count: 2 },
      { emoji: "🎉", count: 1 },
    ];
    expect(value).toMatchObject({ reactions });
    expect(text).toContain("reactions to the message asked about: 🐢 2, 🎉 1");
    sandbox.faults.failRest({ match: /messages\/\d+$/, status: 500, times: 10 });
    expect((await look()).value).toMatchObject({ message_id: said.id, reactions: null });
  });

  it("fits its budget by leaving out whole messages, and its coverage matches what is left", async () => {
    const { sandbox, gate, open, id } = await openWorld();
    for (let count = 0; count < 60; count += 1)
      sandbox.as("mark").say("general", `number ${count} of the long list of lines`);
    const operation = await open("sarah", "general");
    const args = { channel_id: id("general"), limit: 60, max_tokens: 400 };
    const { value, text } = await gate.callTool({ name: "discord.channel.messages", args, operation, wantsText: true });
    const { messages, has_more, cursor } = value as {
      messages: { content: string }[];
      has_more: boolean;
      cursor: string;
    };
    expect(estimateTokens(text ?? "")).toBeLessThanOrEqual(400);
    expect(messages.length).toBeGreaterThan(5);
    expect(messages.length).toBeLessThan(40);
    expect(messages[0]?.content).toContain("number 59");
    expect(text?.match(/^m\d+ /gm)).toHaveLength(messages.length);
    expect(has_more).toBe(true);
    const next = await gate.callTool({
      name: "discord.channel.messages",
      args: { channel_id: id("general"), limit: 1, cursor },
      operation,
    });
    expect(next.value).toMatchObject({
      messages: [{ content: expect.stringContaining(`number ${59 - messages.length} `) }],
    });
    expect([...operation.label.of("message")]).toHaveLength(messages.length + 1);
  });

  it("ends a search with the same sentence whenever others will see it, and never when they will not", async () => {
    const { sandbox, edge, gate, open, id } = await openWorld();
    sandbox.as("mark").say("general", "a turtle");
    const { channelId: dm } = sandbox.as("sarah").dm("hello");
    await edge.find("message", ({ message }) => message.channel_id === dm);
    const search = async (place: string, query: string, isPrivate = false) => {
      const operation = await open("sarah", place, {}, { isPrivate });
      const args = { channel_id: id("general"), query };
      const { value, text } = await gate.callTool({ name: "discord.search.window", args, operation, wantsText: true });
      return { note: (value as { note: string | null }).note, ends: text?.trimEnd().endsWith(ASK_PRIVATELY) };
    };
    for (const query of ["turtle", "nothing like it"]) {
      expect(await search("general", query)).toEqual({ note: ASK_PRIVATELY, ends: true });
      expect(await search("general", query, true)).toEqual({ note: null, ends: false });
      expect(await search(dm, query)).toEqual({ note: null, ends: false });
    }
  });
});

describe("an answer", () => {
  it("says that a server is unreachable, which differs from denied and absent", async () => {
    const { sandbox, edge, gate, open, id } = await openWorld();
    const operation = await open("sarah", "general");
    const look = (channel_id: string) =>
      gate
        .callTool({ name: "discord.channel.messages", args: { channel_id }, operation })
        .then(String, ({ code }) => code);
    expect(await look(id("staff-room"))).toBe("not_found");
    expect(await look("123456789")).toBe("not_found");
    sandbox.admin.setGuildAvailable(false);
    await edge.find("guild");
    await expect.poll(() => edge.discord.directory.guilds().every(({ available }) => !available)).toBe(true);
    for (const channel of [id("general"), id("staff-room"), "123456789"])
      expect(await look(channel)).toBe("unavailable");
  });

  it("is refused by the operator's rules, with a message that discloses only the rule", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const { guild, channels, roles } = sandbox.community;
    const rules = {
      searchTools: "false",
      channels: { deny: [channels.get("news")] },
      roles: [{ guild: guild.id, role: roles.get("staff"), scopes: ["directory:read"] }],
    };
    const { call } = await openTestGate(sandbox, { rules });
    const problem = (tool: string, args: object, as: string) =>
      call(tool, args, { as, in: "general" }).then(
        () => "fine",
        ({ code, message }) => `${code}: ${message}`,
      );
    const info = (key: string) => ({ channel_id: channels.get(key) });
    expect(await problem("discord.channel.info", info("general"), "mei")).toBe("fine");
    expect(await problem("discord.channel.info", info("news"), "mei")).toMatch(/^not_found: /);
    expect(await problem("discord.channel.info", info("general"), "sarah")).toBe(
      "forbidden: No role of the person asking allows discord.channel.info here.",
    );
    expect(await problem("discord.search.window", { ...info("general"), query: "x" }, "mei")).toBe(
      "forbidden: discord.search.window is switched off here by the operator.",
    );
  });

  it("leaves out messages of people who opted out", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const { call } = await openTestGate(sandbox, { rules: { optOut: { people: [sandbox.as("mark").id] } } });
    sandbox.as("mark").say("general", "not for you");
    sandbox.as("mei").say("general", "for all");
    const args = { channel_id: sandbox.community.channels.get("general") };
    const value = await call("discord.channel.messages", args, { as: "sarah", in: "general" });
    expect(value).toMatchObject({ messages: [{ content: "for all" }] });
    expect(value).not.toMatchObject({ messages: [{}, {}] });
  });

  it("is refused when the same actor has called too often", async () => {
    const { gate, open, id } = await openWorld({ rules: { limits: { callsPerMinute: { actor: 3 } } } });
    const [mine, other] = [await open("sarah", "general"), await open("mark", "general")];
    const call = (operation = mine) =>
      gate.callTool({ name: "discord.channel.info", args: { channel_id: id("general") }, operation });
    for (let count = 0; count < 3; count += 1) await call();
    await expect(call()).rejects.toMatchObject({ code: "rate_limited", retryAfter: 20 });
    await call(other);
  });
});

describe("an attached file for a model", () => {
  it("is its text in a block, or only its type and size, and never its bytes", async () => {
    const { sandbox, gate, open, edge } = await openWorld();
    const said = sandbox.as("mark").say("general", {
      content: "two files",
      attachments: [
        { filename: "a.txt", contentType: "text/plain", bytes: new TextEncoder().encode("rope and lamp") },
        { filename: "a.png", contentType: "image/png", bytes: new Uint8Array(5_000), width: 1, height: 1 },
      ],
    });
    await edge.find("message", ({ message }) => message.message_id === said.id);
    const { message } = await edge.find("message", (event) => event.message.message_id === said.id);
    const operation = await open("sarah", "general");
    const texts = await Promise.all(
      message.attachments.map(async ({ url }) => {
        const args = { url, message_id: said.id };
        return (await gate.callTool({ name: "discord.attachment.base64", args, operation, wantsText: true })).text;
      }),
    );
    expect(texts[0]).toMatch(/^⟦untrusted .* · file⟧\n-: rope and lamp\n⟦end .*⟧$/);
    expect(texts[1]).toBe("A file of type image/png, 5000 bytes; it is in the structured content.");
  });
});

describe("the audit of an answer", () => {
  it("records refused tools, unknown channels, and channels searched without a hit", async () => {
    const { gate, open, id, audited } = await openWorld();
    const operation = await open("sarah", "general", { scopes: ["context:search", "context:read_channel_recent"] });
    const call = (name: string, args: object) => gate.callTool({ name, args, operation }).catch(() => {});
    await call("discord.guilds", {});
    await call("discord.channel.messages", { channel_id: "123456789012345678" });
    await call("search_messages", { query: "kraken", channel: id("pier") });
    const refused = audited.flatMap(({ kind, row }) =>
      kind === "decision" && !row.allowed ? [`${row.tool} ${row.target} ${row.failed_check} ${row.reason}`] : [],
    );
    expect(refused).toEqual([
      "discord.guilds tool:discord.guilds scope scope_not_granted",
      "discord.channel.messages channel:123456789012345678 scope place_unknown",
    ]);
    const searched = audited.flatMap(({ kind, row }) =>
      kind === "event" && row.name === "searched" ? [JSON.parse(row.detail_json)] : [],
    );
    expect(searched).toEqual([{ tool: "search_messages", channels: 1, channel_ids: [id("pier")] }]);
  });

  it("of a summary rests on everything that was summarised, cited or not", async () => {
    const { sandbox, gate, open, id, settle, edge } = await openWorld();
    const said = Array.from({ length: 30 }, (_, index) =>
      sandbox.as("mark").say("general", `the mast and the boom, part ${index}`),
    );
    await settle();
    const operation = await open("sarah", "general");
    const { value } = await gate.callTool({ name: "get_channel_summary", args: { timeframe: "today" }, operation });
    const uncited = said.filter((one) => !JSON.stringify(value).includes(one.id));
    expect(uncited.length).toBeGreaterThan(0);
    sandbox.as("mark").delete(uncited[0] as (typeof said)[number]);
    await edge.find("message_delete", ({ messageIds }) => messageIds.includes(uncited[0]?.id as never));
    const sent = gate.callTool({ name: "discord.send", args: { channel_id: id("general"), text: "boom" }, operation });
    await expect(sent).rejects.toThrow("deleted");
  });

  it("records a thread as a thread", async () => {
    const { sandbox, gate, open, id, audited, settle } = await openWorld();
    const thread = sandbox.as("sarah").openThread({ in: "general" }, "Ropes");
    await settle();
    const operation = await open("sarah", "general");
    for (const channel_id of [thread.id, id("general")])
      await gate.callTool({ name: "discord.channel.info", args: { channel_id }, operation });
    const sources = audited.flatMap(({ kind, row }) => (kind === "source" ? [[row.source_type, row.source_ref]] : []));
    expect(sources).toEqual([
      ["discord_thread", thread.id],
      ["discord_channel", id("general")],
    ]);
  });

  it("records calls, decisions, sources and effects in this order, and no message text", async () => {
    const { sandbox, gate, open, id, audited } = await openWorld();
    const secret = "a very private crane";
    const read = sandbox.as("mark").say("general", secret);
    const operation = await open("sarah", "general");
    const call = (name: string, args: object) => gate.callTool({ name, args, operation }).catch(() => {});
    await call("discord.channel.messages", { channel_id: id("general") });
    await call("discord.channel.messages", { channel_id: id("general") });
    await call("discord.channel.messages", { channel_id: id("staff-room") });
    await call("discord.send", { channel_id: id("general"), text: secret });
    const told = audited.map(({ kind, row }) => {
      if (kind === "decision") return `${kind} ${row.target} ${row.reason}`;
      if (kind === "source") return `${kind} ${row.source_ref} by ${row.loaded_by} because ${row.policy_decision_id}`;
      return kind === "event" ? `${kind} ${row.name}` : kind;
    });
    expect(told).toEqual([
      "operation",
      `decision channel:${id("general")} all_checks_passed`,
      `source ${id("general")}/${read.id} by discord.channel.messages because d1`,
      `source ${id("general")} by discord.channel.messages because d1`,
      `decision channel:${id("staff-room")} actor_cannot_read`,
      `decision channel:${id("general")} all_checks_passed`,
      "event send_begun",
      "event send_done",
    ]);
    const [source] = audited.flatMap(({ kind, row }) =>
      kind === "source" && row.source_type === "discord_message" ? [row] : [],
    );
    expect(source).toMatchObject({
      operation_id: operation.id,
      scope_type: "channel",
      scope_id: id("general"),
    });
    expect(source?.token_count).toBeGreaterThan(3);
    expect(JSON.stringify(audited)).not.toContain("crane");
  });
});
