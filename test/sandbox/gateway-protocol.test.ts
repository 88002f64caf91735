import { setTimeout as sleep } from "node:timers/promises";
import { GatewayIntentBits as Intent, GatewayOpcodes as Op } from "discord-api-types/v10";
import { describe, expect, it } from "vitest";
import { generateCommunity } from "../../sandbox/index.ts";
import { ALL_INTENTS } from "../support/intents.ts";
import { RawGateway } from "../support/raw-gateway.ts";
import { openTestSandbox } from "../support/sandbox.ts";

describe("the gateway closes the connection", () => {
  it.each([
    ["4002 on a payload that is not JSON", "{", 4002],
    ["4002 on a payload that is too long", { op: Op.Heartbeat, d: "x".repeat(4096) }, 4002],
    ["4002 on a payload of the wrong form", { op: Op.Identify, d: { token: 5 } }, 4002],
    ["4001 on an opcode that does not exist", { op: 99, d: null }, 4001],
    ["4003 on a request before the handshake", { op: Op.PresenceUpdate, d: {} }, 4003],
    ["4004 on a wrong token", { op: Op.Identify, d: { token: "no", intents: 0, properties: {} } }, 4004],
    ["4004 on a resume with a wrong token", { op: Op.Resume, d: { token: "no", session_id: "x", seq: 1 } }, 4004],
  ])("with %s", async (_, payload, code) => {
    const gateway = new RawGateway(await openTestSandbox());
    await gateway.say(payload);
    expect(await gateway.closed).toMatchObject({ code });
  });

  it.each([
    ["4010 on a shard that does not exist", { shard: [2, 2] }, 4010],
    ["4010 on half a shard", { shard: [0] }, 4010],
    ["4013 on an intent that does not exist", { intents: 1 << 30 }, 4013],
  ])("with %s", async (_, more, code) => {
    const gateway = new RawGateway(await openTestSandbox());
    await gateway.identify(more);
    expect(await gateway.closed).toMatchObject({ code });
  });

  it.each([
    ["members", Intent.GuildMembers],
    ["messageContent", Intent.MessageContent],
    ["presences", Intent.GuildPresences],
  ])("with 4014 when the privileged intent for %s is not switched on", async (privilege, intents) => {
    const sandbox = await openTestSandbox();
    sandbox.admin.setPrivileged("earshot", { [privilege]: false });
    const gateway = new RawGateway(sandbox);
    await gateway.identify({ intents });
    expect(await gateway.closed).toMatchObject({ code: 4014 });
  });

  it("with 4005 on a second handshake", async () => {
    const gateway = new RawGateway(await openTestSandbox());
    await gateway.ready();
    await gateway.identify();
    expect(await gateway.closed).toMatchObject({ code: 4005 });
  });

  it("with 4008 on the 121st event within a minute", async () => {
    const gateway = new RawGateway(await openTestSandbox());
    await gateway.ready();
    for (let sent = 1; sent < 121; sent += 1) await gateway.say({ op: Op.Heartbeat, d: null });
    expect(await gateway.closed).toMatchObject({ code: 4008 });
  });

  it("with 4009 on a client that sends no heartbeats", async () => {
    const gateway = new RawGateway(await openTestSandbox({ heartbeatMs: 30 }));
    expect((await gateway.op(Op.Hello)).d).toMatchObject({ heartbeat_interval: 30 });
    expect(await gateway.closed).toMatchObject({ code: 4009 });
  });

  it("with 4012 on another version of the protocol", async () => {
    const gateway = new RawGateway(await openTestSandbox(), "v=6&encoding=json");
    expect(await gateway.closed).toMatchObject({ code: 4012 });
  });
});

describe("a session", () => {
  it("answers each heartbeat", async () => {
    const gateway = new RawGateway(await openTestSandbox());
    await gateway.say({ op: Op.Heartbeat, d: null });
    expect(await gateway.op(Op.HeartbeatAck)).toMatchObject({ op: Op.HeartbeatAck });
  });

  it("is refused a second time within five seconds", async () => {
    const sandbox = await openTestSandbox();
    await new RawGateway(sandbox).ready();
    const second = new RawGateway(sandbox);
    await second.identify();
    expect((await second.op(Op.InvalidSession)).d).toBe(false);
  });

  it("is resumed from any sequence number, with every later event once", async () => {
    const sandbox = await openTestSandbox();
    const first = new RawGateway(sandbox);
    const { sessionId } = await first.ready();
    await first.dispatch("GUILD_CREATE");
    const said = ["one", "two"].map((text) => sandbox.as("sarah").say("general", text).id);
    await first.find(({ d }) => d?.id === said[1]);
    await first.vanish();
    const missed = sandbox.as("sarah").say("general", "three").id;
    const second = new RawGateway(sandbox);
    await second.resume(sessionId, 3);
    await second.dispatch("RESUMED");
    const messages = second.frames.filter(({ t }) => t === "MESSAGE_CREATE");
    expect(messages.map(({ s, d }) => [s, d?.id])).toEqual([
      [4, said[1]],
      [5, missed],
    ]);
  });

  it("takes over from a connection that is still open", async () => {
    const sandbox = await openTestSandbox();
    const first = new RawGateway(sandbox);
    const { sessionId } = await first.ready();
    const second = new RawGateway(sandbox);
    await second.resume(sessionId, 2);
    await second.dispatch("RESUMED");
    await first.closed;
    sandbox.as("sarah").say("general", "still here?");
    await second.dispatch("MESSAGE_CREATE");
  });

  it("survives a connection that went silent, which receives nothing until the session is resumed by another", async () => {
    const sandbox = await openTestSandbox({ heartbeatMs: 1_500 });
    const first = new RawGateway(sandbox);
    const { sessionId } = await first.ready();
    const { s } = await first.dispatch("GUILD_CREATE");
    sandbox.faults.goSilent();
    sandbox.faults.clear();
    const heard = first.frames.length;
    const missed = sandbox.as("sarah").say("general", "anyone?").id;
    await first.say({ op: Op.Heartbeat, d: s });
    // A client that missed its heartbeats for so long would be sent away.
    expect(await Promise.race([first.closed, sleep(2_500, "open")])).toBe("open");
    expect(first.frames).toHaveLength(heard);
    const second = new RawGateway(sandbox);
    await second.resume(sessionId, s ?? 0);
    await second.dispatch("RESUMED");
    expect(second.frames.filter(({ t }) => t === "MESSAGE_CREATE").map(({ d }) => d?.id)).toEqual([missed]);
    await first.closed;
    expect(first.frames).toHaveLength(heard);
  });

  it.each([
    ["unknown", async (_: RawGateway, id: string) => `${id}x`],
    ["closed by the client itself", async (gateway: RawGateway, id: string) => gateway.leave(1000).then(() => id)],
  ])("cannot be resumed if it is %s", async (_, end) => {
    const sandbox = await openTestSandbox();
    const first = new RawGateway(sandbox);
    const { sessionId } = await first.ready();
    const id = await end(first, sessionId);
    const second = new RawGateway(sandbox);
    await second.resume(id, 1);
    expect((await second.op(Op.InvalidSession)).d).toBe(false);
  });

  it("cannot be resumed after some minutes, nor by another bot, nor from the future", async () => {
    let now = 1_790_000_000_000;
    const sandbox = await openTestSandbox({ clock: { now: () => now } });
    const first = new RawGateway(sandbox);
    const { sessionId } = await first.ready();
    await first.vanish();
    const gabriel = [...sandbox.world.applications.values()].find(({ name }) => name === "gabriel");
    const stranger = new RawGateway(sandbox);
    await stranger.resume(sessionId, 1, gabriel?.token);
    expect((await stranger.op(Op.InvalidSession)).d).toBe(false);
    const early = new RawGateway(sandbox);
    await early.resume(sessionId, 999);
    expect(await early.closed).toMatchObject({ code: 4007 });
    now += 60 * 60_000;
    const late = new RawGateway(sandbox);
    await late.resume(sessionId, 1);
    expect((await late.op(Op.InvalidSession)).d).toBe(false);
  });

  it("cannot be resumed after more missed events than are kept", async () => {
    const sandbox = await openTestSandbox();
    const first = new RawGateway(sandbox);
    const { sessionId } = await first.ready();
    await first.vanish();
    const { guild, channels } = sandbox.community;
    const channel = sandbox.world.channels.get(channels.get("general") ?? "");
    for (let missed = 0; missed < 20_000; missed += 1) {
      sandbox.world.emit({ type: "TYPING_START", guildId: guild.id, ...(channel && { channel }), data: { missed } });
    }
    const second = new RawGateway(sandbox);
    await second.resume(sessionId, 2);
    expect((await second.op(Op.InvalidSession)).d).toBe(false);
  });

  it("is closed when the client does not read what it is sent", async () => {
    const sandbox = await openTestSandbox();
    const gateway = new RawGateway(sandbox);
    await gateway.ready();
    gateway.stopReading();
    const data = { content: "x".repeat(4_000_000) };
    for (let sent = 0; sent < 40; sent += 1) {
      sandbox.world.emit({ type: "GUILD_UPDATE", guildId: sandbox.community.guild.id, data });
    }
    gateway.readOn();
    expect(await gateway.closed).toMatchObject({ code: 1006 });
  });

  it("receives only events of the guilds of its shard", async () => {
    const sandbox = await openTestSandbox({ rateLimits: false });
    const shards = [0, 1].map((id) => ({ id, gateway: new RawGateway(sandbox) }));
    const mine = Number((BigInt(sandbox.community.guild.id) >> 22n) % 2n);
    for (const { id, gateway } of shards) {
      const { guilds } = await gateway.ready({ shard: [id, 2] });
      expect(guilds).toHaveLength(id === mine ? 1 : 0);
    }
    sandbox.as("sarah").say("general", "to one of you");
    sandbox.as("sarah").dm("to the first of you");
    const heard = await shards[mine]?.gateway.dispatch("MESSAGE_CREATE");
    expect(heard?.d?.content).toBe("to one of you");
    await shards[0]?.gateway.find(({ d }) => d?.content === "to the first of you");
    const other = shards[1 - mine]?.gateway.frames.filter(({ d }) => d?.content === "to one of you");
    expect(other).toEqual([]);
  });
});

describe("a bot without MESSAGE_CONTENT", () => {
  it("gets the content only of its own messages, of those that mention it, and of DMs", async () => {
    const sandbox = await openTestSandbox();
    const gateway = new RawGateway(sandbox);
    await gateway.ready({ intents: ALL_INTENTS & ~Intent.MessageContent });
    const earshot = sandbox.as("earshot");
    const sarah = sandbox.as("sarah");
    sarah.say("general", { content: "to nobody", embeds: [{ title: "hidden" }] });
    sarah.say("general", `to <@${earshot.id}>`);
    const own = earshot.say("general", "my own words");
    sarah.reply(own, "in reply");
    sarah.dm("between us");
    await gateway.find(({ d }) => d?.content === "between us");
    const heard = gateway.frames.filter(({ t }) => t === "MESSAGE_CREATE").map(({ d }) => d?.content);
    expect(heard).toEqual(["", `to <@${earshot.id}>`, "my own words", "in reply", "between us"]);
    expect(gateway.frames.find(({ t }) => t === "MESSAGE_CREATE")?.d?.embeds).toEqual([]);
  });
});

describe("a bot without GUILD_MEMBERS", () => {
  it("receives events of its own membership and thread joins, not of those of others", async () => {
    const sandbox = await openTestSandbox();
    const gateway = new RawGateway(sandbox);
    await gateway.ready({ intents: ALL_INTENTS & ~Intent.GuildMembers });
    sandbox.admin.setRoles("mark", ["crew"]);
    sandbox.admin.setRoles("earshot", ["crew"]);
    const thread = sandbox.as("sarah").openThread({ in: "general" }, "Ropes");
    sandbox.as("mark").joinThread(thread.id);
    sandbox.as("earshot").joinThread(thread.id);
    const joined = await gateway.dispatch("THREAD_MEMBERS_UPDATE");
    const { id } = sandbox.as("earshot");
    expect(joined.d?.added_members).toMatchObject([{ user_id: id }]);
    const updates = gateway.frames.filter(({ t }) => t === "GUILD_MEMBER_UPDATE");
    expect(updates.map(({ d }) => d?.user?.id)).toEqual([id]);
  });
});

describe("member chunks", () => {
  const request = (d: object) => ({ op: Op.RequestGuildMembers, d });

  it("contain all members, a thousand at a time, and are not repeated within half a minute", async () => {
    const community = generateCommunity({ seed: 3, messages: 0, people: 1500 });
    const sandbox = await openTestSandbox({ community });
    const gateway = new RawGateway(sandbox);
    await gateway.ready();
    const all = request({ guild_id: sandbox.community.guild.id, query: "", limit: 0, nonce: "n1" });
    await gateway.say(all);
    const last = await gateway.find(({ t, d }) => t === "GUILD_MEMBERS_CHUNK" && d?.chunk_index === 1);
    expect(last.d).toMatchObject({ chunk_count: 2, nonce: "n1" });
    expect(last.d?.members).toHaveLength(501);
    await gateway.say(all);
    const refusal = await gateway.dispatch("RATE_LIMITED");
    expect(refusal.d).toMatchObject({ opcode: 8, meta: { guild_id: sandbox.community.guild.id, nonce: "n1" } });
  });

  it("contain members by id or by the beginning of a name", async () => {
    const sandbox = await openTestSandbox();
    const gateway = new RawGateway(sandbox);
    await gateway.ready();
    const guild_id = sandbox.community.guild.id;
    const sarah = sandbox.as("sarah").id;
    await gateway.say(request({ guild_id, user_ids: [sarah, "1"], nonce: "by id" }));
    const byId = await gateway.find(({ d }) => d?.nonce === "by id");
    expect(byId.d).toMatchObject({ members: [{ user: { id: sarah } }], not_found: ["1"] });
    await gateway.say(request({ guild_id, query: "skip", limit: 5, nonce: "by name" }));
    const byName = await gateway.find(({ d }) => d?.nonce === "by name");
    expect(byName.d?.members).toMatchObject([{ user: { id: sarah }, nick: "Skipper" }]);
  });

  it("are also given for ids that were sent as numbers, one or several, without losing a digit", async () => {
    const sandbox = await openTestSandbox();
    const gateway = new RawGateway(sandbox);
    await gateway.ready();
    const guildId = sandbox.community.guild.id;
    const [sarah, mark] = [sandbox.as("sarah").id, sandbox.as("mark").id];
    await gateway.say(`{"op":8,"d":{"guild_id":${guildId},"user_ids":[${sarah},${mark}],"limit":0,"nonce":"several"}}`);
    const several = await gateway.find(({ d }) => d?.nonce === "several");
    expect(several.d).toMatchObject({ members: [{ user: { id: sarah } }, { user: { id: mark } }], not_found: [] });
    await gateway.say(`{"op":8,"d":{"guild_id":[${guildId}],"user_ids":${sarah},"limit":0,"nonce":"one"}}`);
    const one = await gateway.find(({ d }) => d?.nonce === "one");
    expect(one.d).toMatchObject({ guild_id: guildId, members: [{ user: { id: sarah } }] });
  });

  it.each(["-5", "1.5", "1e400", "null"])("are refused with 4002 for a member id of %s", async (number) => {
    const sandbox = await openTestSandbox();
    const gateway = new RawGateway(sandbox);
    await gateway.ready();
    await gateway.say(`{"op":8,"d":{"guild_id":${sandbox.community.guild.id},"user_ids":[${number}],"limit":0}}`);
    expect(await gateway.closed).toMatchObject({ code: 4002 });
  });
});
