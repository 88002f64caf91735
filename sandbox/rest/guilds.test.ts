import { ChannelFlags, ChannelType, OverwriteType, PermissionFlagsBits } from "discord-api-types/v10";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openRestServer, type RestServer, refusalOf } from "../../test/support/rest-server.ts";
import { OPERATOR } from "../actions/access.ts";
import { createBot, createUser } from "../actions/applications.ts";
import { updateChannel } from "../actions/channels.ts";
import { createMessage } from "../actions/messages.ts";

let server: RestServer;

beforeEach(async () => {
  server = await openRestServer();
});

afterEach(() => server.close());

/** Makes the bot able to do everything. */
function crown(): void {
  server.guild.ownerId = server.bot.botId;
}

describe("channels", () => {
  it("are created, changed and deleted by those with the permission", async () => {
    const api = server.client();
    const body = { name: "harbour", type: ChannelType.GuildText as const, topic: "Boats" };
    expect(await refusalOf(api.guilds.createChannel(server.guild.id, body))).toMatchObject({ code: 50013 });
    crown();
    const channel = await api.guilds.createChannel(server.guild.id, body);
    expect(await api.channels.edit(channel.id, { topic: "Ships", nsfw: true })).toMatchObject({
      topic: "Ships",
      nsfw: true,
    });
    const overwrite = { type: OverwriteType.Role, deny: PermissionFlagsBits.ViewChannel.toString() };
    await api.channels.editPermissionOverwrite(channel.id, server.guild.id, overwrite);
    expect(await api.channels.get(channel.id)).toMatchObject({
      permission_overwrites: [{ id: server.guild.id, deny: "1024" }],
    });
    await api.channels.deletePermissionOverwrite(channel.id, server.guild.id);
    await api.channels.delete(channel.id);
    expect(await refusalOf(api.channels.get(channel.id))).toMatchObject({ code: 10003 });
    const types = server.events.map(({ type }) => type);
    expect(types).toEqual(["CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_UPDATE", "CHANNEL_UPDATE", "CHANNEL_DELETE"]);
  });

  it("are obfuscated for a bot that may not view them", () => {
    const { staff, general } = server.channels;
    updateChannel(server.world, OPERATOR, { channelId: staff.id, topic: "secret" });
    updateChannel(server.world, OPERATOR, { channelId: general.id, topic: "open" });
    const hidden = { id: staff.id, name: "___hidden___", topic: null, flags: ChannelFlags.ChannelObfuscated };
    expect(server.heard("CHANNEL_UPDATE")).toMatchObject([hidden, { name: "general", topic: "open" }]);
  });
});

describe("roles and members", () => {
  it("are changed only below the caller's own rank", async () => {
    const api = server.client();
    crown();
    const role = await api.guilds.createRole(server.guild.id, { name: "Crew", permissions: "8" });
    expect(role).toMatchObject({ position: 1, permissions: "8" });
    await api.guilds.addRoleToMember(server.guild.id, server.people.sam.id, role.id);
    expect(await api.guilds.getMember(server.guild.id, server.people.sam.id)).toMatchObject({ roles: [role.id] });
    server.guild.ownerId = server.people.olga.id;
    expect(await refusalOf(api.guilds.editRole(server.guild.id, role.id, { name: "x" }))).toMatchObject({
      code: 50013,
    });
    server.guild.members.get(server.bot.botId)?.roles.add(role.id);
    expect(await refusalOf(api.guilds.editRole(server.guild.id, role.id, { name: "x" }))).toMatchObject({
      code: 50013,
    });
    crown();
    expect(await api.guilds.editRole(server.guild.id, role.id, { name: "Mates" })).toMatchObject({ name: "Mates" });
    await api.guilds.deleteRole(server.guild.id, role.id);
    expect(await api.guilds.getMember(server.guild.id, server.people.sam.id)).toMatchObject({ roles: [] });
  });

  it("can be renamed, timed out and kicked", async () => {
    const api = server.client();
    crown();
    const until = new Date(server.clock.now() + 60_000).toISOString();
    const member = await api.guilds.editMember(server.guild.id, server.people.sam.id, {
      nick: "Sammy",
      communication_disabled_until: until,
    });
    expect(member).toMatchObject({ nick: "Sammy" });
    expect(Date.parse(member.communication_disabled_until ?? "")).toBe(Date.parse(until));
    await api.guilds.removeMember(server.guild.id, server.people.sam.id);
    expect(await refusalOf(api.guilds.getMember(server.guild.id, server.people.sam.id))).toMatchObject({ code: 10007 });
    expect(server.heard("GUILD_MEMBER_REMOVE")).toMatchObject([{ user: { username: "sam" } }]);
  });
});

describe("bulk delete", () => {
  it("accepts 2 to 100 messages younger than two weeks", async () => {
    const api = server.client();
    const { general } = server.channels;
    crown();
    const old = createMessage(server.world, server.people.sam.id, { channelId: general.id, draft: { content: "old" } });
    server.clock.advance(15 * 24 * 3_600_000);
    const young = ["a", "b", "c"].map((content) =>
      createMessage(server.world, server.people.sam.id, { channelId: general.id, draft: { content } }),
    );
    const ids = young.map(({ id }) => id);
    expect(await refusalOf(api.channels.bulkDeleteMessages(general.id, ids.slice(0, 1)))).toMatchObject({
      code: 50016,
    });
    expect(await refusalOf(api.channels.bulkDeleteMessages(general.id, [...ids, old.id]))).toMatchObject({
      code: 50034,
    });
    await api.channels.bulkDeleteMessages(general.id, ids);
    expect(await api.channels.getMessages(general.id)).toMatchObject([{ id: old.id }]);
    expect(server.heard("MESSAGE_DELETE_BULK")).toMatchObject([{ ids }]);
  });
});

describe("DMs", () => {
  it("are opened once and reach anybody who shares a server", async () => {
    const api = server.client();
    const dm = await api.users.createDM(server.people.sam.id);
    expect(dm).toMatchObject({ type: 1, recipients: [{ username: "sam" }] });
    expect((await api.users.createDM(server.people.sam.id)).id).toBe(dm.id);
    expect(await api.channels.createMessage(dm.id, { content: "hello" })).toMatchObject({ content: "hello" });
    expect(server.events.at(-1)).toMatchObject({ guildId: null, onlyFor: [server.people.sam.id, server.bot.botId] });
    server.bot.privileged.messageContent = false;
    createMessage(server.world, server.people.sam.id, { channelId: dm.id, draft: { content: "private" } });
    expect(await api.channels.getMessages(dm.id, { limit: 1 })).toMatchObject([{ content: "private" }]);
  });

  it("are refused for strangers and other bots", async () => {
    const api = server.client();
    const stranger = createUser(server.world, { username: "stranger" });
    const other = createBot(server.world, { username: "other" });
    const toStranger = await api.users.createDM(stranger.id);
    const toBot = await api.users.createDM(other.botId);
    expect(await refusalOf(api.channels.createMessage(toStranger.id, { content: "x" }))).toMatchObject({ code: 50278 });
    expect(await refusalOf(api.channels.createMessage(toBot.id, { content: "x" }))).toMatchObject({ code: 50007 });
  });
});

describe("webhooks", () => {
  it("send under their own name, in the channel or a thread, and edit their messages", async () => {
    const api = server.client();
    crown();
    const { general } = server.channels;
    const webhook = await api.channels.createWebhook(general.id, { name: "Feed" });
    const token = webhook.token ?? "";
    const message = await api.webhooks.execute(webhook.id, token, { content: "tide", username: "Tides", wait: true });
    expect(message).toMatchObject({
      webhook_id: webhook.id,
      author: { id: webhook.id, username: "Tides", discriminator: "0000" },
    });
    const thread = await api.channels.createThread(general.id, { name: "t", type: ChannelType.PublicThread });
    const inside = await api.webhooks.execute(webhook.id, token, { content: "in", thread_id: thread.id, wait: true });
    expect(inside.channel_id).toBe(thread.id);
    expect(await api.webhooks.editMessage(webhook.id, token, message.id, { content: "tide!" })).toMatchObject({
      content: "tide!",
    });
    expect(await api.webhooks.getMessage(webhook.id, token, message.id)).toMatchObject({ content: "tide!" });
    await api.webhooks.deleteMessage(webhook.id, token, message.id);
    expect(await refusalOf(api.webhooks.getMessage(webhook.id, token, message.id))).toMatchObject({ code: 10008 });
    expect(await refusalOf(api.webhooks.execute(webhook.id, "wrong", { content: "x" }))).toMatchObject({
      status: 401,
      code: 50027,
    });
    expect(await api.guilds.getWebhooks(server.guild.id)).toHaveLength(1);
    await api.webhooks.delete(webhook.id);
    expect(await refusalOf(api.webhooks.get(webhook.id))).toMatchObject({ code: 10015 });
  });
});
