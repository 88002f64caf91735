import { OverwriteType, PermissionFlagsBits } from "discord-api-types/v10";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRestServer, type RestServer, refusalOf } from "../../test/support/rest-server.ts";
import { OPERATOR } from "../actions/access.ts";
import { setOverwrite } from "../actions/channels.ts";
import { setGuildAvailability } from "../actions/guilds.ts";
import { updateMember } from "../actions/members.ts";
import { createMessage } from "../actions/messages.ts";
import { addReaction } from "../actions/reactions.ts";
import { openThread } from "../actions/threads.ts";

let server: RestServer;

beforeEach(async () => {
  server = await openRestServer();
});

afterEach(() => server.close());

/** Takes permissions from the bot in one channel. */
function deny(channelId: string, deny: bigint): void {
  setOverwrite(server.world, OPERATOR, {
    channelId,
    id: server.bot.botId,
    type: OverwriteType.Member,
    allow: 0n,
    deny,
  });
}

const { ReadMessageHistory, SendMessages, AttachFiles, EmbedLinks, AddReactions, Connect } = PermissionFlagsBits;

describe("a channel the bot may not view", () => {
  it("is refused with 50001 on every route", async () => {
    const { channels } = server.client();
    const { staff } = server.channels;
    const calls = [
      channels.get(staff.id),
      channels.getMessages(staff.id),
      channels.getMessage(staff.id, "1"),
      channels.createMessage(staff.id, { content: "hi" }),
      channels.showTyping(staff.id),
      channels.getPins(staff.id),
    ];
    for (const call of calls) expect(await refusalOf(call)).toMatchObject({ status: 403, code: 50001 });
  });

  it("is left out of the guild's channels", async () => {
    const list = await server.client().guilds.getChannels(server.guild.id);
    expect(list.map(({ name }) => name)).not.toContain("staff");
    expect(list.map(({ name }) => name)).toContain("general");
  });
});

describe("the sandbox", () => {
  it("returns an empty history without READ_MESSAGE_HISTORY, and no single message", async () => {
    const { channels } = server.client();
    const { general } = server.channels;
    const said = createMessage(server.world, server.people.sam.id, {
      channelId: general.id,
      draft: { content: "old" },
    });
    deny(general.id, ReadMessageHistory);
    expect(await channels.getMessages(general.id)).toEqual([]);
    expect(await refusalOf(channels.getMessage(general.id, said.id))).toMatchObject({ status: 403, code: 50013 });
    const reply = channels.createMessage(general.id, { content: "re", message_reference: { message_id: said.id } });
    expect(await refusalOf(reply)).toMatchObject({ code: 160002 });
  });

  it("returns an empty history of a voice channel without CONNECT", async () => {
    const { voice } = server.channels;
    createMessage(server.world, server.people.sam.id, { channelId: voice.id, draft: { content: "in voice" } });
    expect(await server.client().channels.getMessages(voice.id)).toHaveLength(1);
    deny(voice.id, Connect);
    expect(await server.client().channels.getMessages(voice.id)).toEqual([]);
  });

  it.each([
    ["SEND_MESSAGES", SendMessages, { content: "x" }],
    ["EMBED_LINKS", EmbedLinks, { embeds: [{ title: "x" }] }],
    ["ATTACH_FILES", AttachFiles, { content: "x", files: [{ name: "a.txt", data: Buffer.from("a") }] }],
  ])("rejects a message that needs %s with 50013", async (_name, permission, body) => {
    deny(server.channels.general.id, permission);
    const call = server.client().channels.createMessage(server.channels.general.id, body);
    expect(await refusalOf(call)).toMatchObject({ status: 403, code: 50013 });
  });

  it("lets a bot join an existing reaction that it could not add", async () => {
    const { channels } = server.client();
    const { general } = server.channels;
    const said = await channels.createMessage(general.id, { content: "x" });
    addReaction(server.world, server.people.sam.id, { channelId: general.id, messageId: said.id, emoji: "👍" });
    deny(general.id, AddReactions);
    await channels.addMessageReaction(general.id, said.id, "👍");
    expect(await refusalOf(channels.addMessageReaction(general.id, said.id, "🎉"))).toMatchObject({ code: 50013 });
  });

  it("lets a member in timeout only view and read", async () => {
    const { channels } = server.client();
    const { general } = server.channels;
    const timedOutUntil = server.clock.now() + 60_000;
    updateMember(server.world, OPERATOR, { guildId: server.guild.id, userId: server.bot.botId, timedOutUntil });
    expect(await channels.getMessages(general.id)).toEqual([]);
    expect(await refusalOf(channels.createMessage(general.id, { content: "x" }))).toMatchObject({ code: 50013 });
    server.clock.advance(61_000);
    expect((await channels.createMessage(general.id, { content: "x" })).content).toBe("x");
  });

  it("hides a private thread from all but its members and moderators", async () => {
    const { sam } = server.people;
    const request = { channelId: server.channels.general.id, name: "quiet", isPrivate: true };
    const thread = openThread(server.world, sam.id, request);
    expect(await refusalOf(server.client().channels.get(thread.id))).toMatchObject({ code: 50001 });
    server.guild.ownerId = server.bot.botId;
    expect(await server.client().channels.get(thread.id)).toMatchObject({ type: 12, name: "quiet" });
  });
});

describe("a request for something that does not exist", () => {
  const nowhere = "123456789012345678";

  it("fails with a code for each kind of thing", async () => {
    const api = server.client();
    const { general } = server.channels;
    expect(await refusalOf(api.channels.get(nowhere))).toMatchObject({ status: 404, code: 10003 });
    expect(await refusalOf(api.channels.getMessage(general.id, nowhere))).toMatchObject({ status: 404, code: 10008 });
    expect(await refusalOf(api.guilds.get(nowhere))).toMatchObject({ status: 404, code: 10004 });
    expect(await refusalOf(api.guilds.getMember(server.guild.id, nowhere))).toMatchObject({ status: 404, code: 10007 });
    expect(await refusalOf(api.users.get(nowhere))).toMatchObject({ status: 404, code: 10013 });
  });

  it("fails with a form error if the id is malformed", async () => {
    const response = await server.fetch("/channels/general/messages");
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 50035, errors: { channel_id: { _errors: [{ code: "NUMBER_TYPE_COERCE" }] } } },
    ]);
  });

  it("fails differently for a wrong token, path, method and version", async () => {
    const stranger = await server.fetch("/users/@me", { headers: { authorization: "Bot nobody" } });
    expect([stranger.status, await stranger.json()]).toEqual([401, { message: "401: Unauthorized", code: 0 }]);
    expect((await server.fetch("/no/such/route")).status).toBe(404);
    expect((await server.fetch("/users/@me", { method: "DELETE" })).status).toBe(405);
    const older = await fetch(`${server.origin}/api/v6/gateway`);
    expect([older.status, await older.json()]).toMatchObject([400, { code: 50041 }]);
  });

  it("fails as overloaded, not as missing, for a guild in an outage", async () => {
    setGuildAvailability(server.world, OPERATOR, { guildId: server.guild.id, unavailable: true });
    const api = server.client();
    expect((await server.fetch(`/guilds/${server.guild.id}`)).status).toBe(503);
    expect((await server.fetch(`/channels/${server.channels.general.id}`)).status).toBe(503);
    setGuildAvailability(server.world, OPERATOR, { guildId: server.guild.id, unavailable: false });
    expect((await api.guilds.get(server.guild.id)).name).toBe("Harbour");
  });
});

describe("the privileged members intent", () => {
  it("is required for the member list, but not for single members and member search", async () => {
    const { guilds } = server.client();
    server.bot.privileged.members = false;
    expect(await refusalOf(guilds.getMembers(server.guild.id, { limit: 10 }))).toMatchObject({
      status: 403,
      code: 50001,
    });
    expect((await guilds.getMember(server.guild.id, server.people.sam.id)).user.username).toBe("sam");
    expect(await guilds.searchForMembers(server.guild.id, { query: "ri", limit: 5 })).toHaveLength(1);
    server.bot.privileged.members = true;
    expect(await guilds.getMembers(server.guild.id, { limit: 10 })).toHaveLength(4);
  });
});

it("the sandbox returns the guild, its roles, its member counts and the bot itself", async () => {
  const api = server.client();
  expect(await api.guilds.get(server.guild.id, { with_counts: true })).toMatchObject({
    name: "Harbour",
    approximate_member_count: 4,
  });
  expect((await api.guilds.getRoles(server.guild.id)).map(({ name }) => name)).toEqual(["@everyone", "Staff"]);
  expect(await api.users.getCurrent()).toMatchObject({ id: server.bot.botId, bot: true });
  expect(await api.users.getGuilds()).toMatchObject([{ id: server.guild.id, owner: false }]);
  expect(await api.applications.getCurrent()).toMatchObject({ id: server.bot.id, name: "Earshot" });
  expect(await api.gateway.getBot()).toMatchObject({
    shards: 1,
    session_start_limit: { max_concurrency: 1, remaining: 1000 },
  });
  expect(await api.channels.get(server.channels.gallery.id)).toMatchObject({ type: 16 });
});
