import { PermissionFlagsBits } from "discord-api-types/v10";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openRestServer, type RestServer } from "../../test/support/rest-server.ts";
import { OPERATOR } from "../actions/access.ts";
import { addSticker } from "../actions/applications.ts";
import { addMember, updateMember } from "../actions/members.ts";
import { createMessage } from "../actions/messages.ts";
import { createRole } from "../actions/roles.ts";

let server: RestServer;

beforeEach(async () => {
  server = await openRestServer();
});

afterEach(() => server.close());

async function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await server.fetch(path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
}

/** A role above all others, for the bot alone. */
function allowBot(permissions: bigint): void {
  const { id } = createRole(server.world, OPERATOR, { guildId: server.guild.id, permissions, position: 50 });
  updateMember(server.world, OPERATOR, { guildId: server.guild.id, userId: server.bot.botId, roles: [id] });
}

const PICTURE = "data:image/png;base64,iVBORw0KGgo=";

it("the sandbox creates, lists, renames and deletes emojis, and tells bots of each change", async () => {
  const path = `/guilds/${server.guild.id}/emojis`;
  expect(await ask("POST", path, { name: "anchor", image: PICTURE })).toMatchObject({ status: 403 });
  allowBot(PermissionFlagsBits.CreateGuildExpressions);
  const made = await ask("POST", path, { name: "anchor", image: PICTURE });
  expect(made).toMatchObject({
    status: 201,
    body: { name: "anchor", animated: false, user: { id: server.bot.botId } },
  });
  const { id } = made.body as { id: string };
  expect((await ask("GET", path)).body).toMatchObject([{ id, name: "anchor" }]);
  expect((await ask("GET", `/guilds/${server.guild.id}`)).body).toMatchObject({ emojis: [{ id }] });
  const picture = await fetch(`${server.origin}/emojis/${id}.png`);
  expect([picture.headers.get("content-type"), (await picture.arrayBuffer()).byteLength]).toEqual(["image/png", 8]);
  expect((await ask("PATCH", `${path}/${id}`, { name: "hook" })).body).toMatchObject({ id, name: "hook" });
  expect(await ask("DELETE", `${path}/${id}`)).toMatchObject({ status: 204 });
  expect(await ask("GET", `${path}/${id}`)).toMatchObject({ status: 404, body: { code: 10014 } });
  expect(server.heard("GUILD_EMOJIS_UPDATE")).toMatchObject([
    { emojis: [{ name: "anchor" }] },
    { emojis: [{ name: "hook" }] },
    { emojis: [] },
  ]);
  const wrong = await ask("POST", path, { name: "no spaces", image: "data:text/plain;base64,AAAA" });
  expect(wrong.body).toMatchObject({ code: 50035, errors: { name: {}, image: {} } });
});

it("the sandbox lists the stickers of a guild", async () => {
  const id = addSticker(server.world, server.guild.id, "wave");
  const path = `/guilds/${server.guild.id}/stickers`;
  expect((await ask("GET", path)).body).toMatchObject([{ id, name: "wave", guild_id: server.guild.id }]);
  expect((await ask("GET", `${path}/${id}`)).body).toMatchObject({ id });
  expect((await ask("GET", `/stickers/${id}`)).body).toMatchObject({ id, type: 2 });
  expect(await ask("GET", "/stickers/1")).toMatchObject({ status: 404, body: { code: 10060 } });
});

it("the sandbox bans a person with what they wrote lately, keeps them out, and lifts the ban", async () => {
  const { sam } = server.people;
  const guildId = server.guild.id;
  const say = (content: string) =>
    createMessage(server.world, sam.id, { channelId: server.channels.general.id, draft: { content } });
  const old = say("an hour ago");
  server.clock.advance(3_600_000);
  const recent = say("just now");
  const path = `/guilds/${guildId}/bans`;
  expect(await ask("PUT", `${path}/${sam.id}`, {})).toMatchObject({ status: 403, body: { code: 50013 } });
  allowBot(PermissionFlagsBits.BanMembers);
  const reason = { "x-audit-log-reason": encodeURIComponent("rude ⚓") };
  expect(await ask("PUT", `${path}/${sam.id}`, { delete_message_seconds: 60 }, reason)).toMatchObject({ status: 204 });
  expect(server.guild.members.has(sam.id)).toBe(false);
  const { messages } = server.channels.general;
  expect([messages.get(old.id)?.content, messages.get(recent.id)]).toEqual(["an hour ago", undefined]);
  expect((await ask("GET", path)).body).toMatchObject([{ user: { id: sam.id }, reason: "rude ⚓" }]);
  expect((await ask("GET", `${path}?after=${sam.id}`)).body).toEqual([]);
  expect(() => addMember(server.world, OPERATOR, { guildId, userId: sam.id })).toThrow("banned");
  expect(await ask("DELETE", `${path}/${sam.id}`)).toMatchObject({ status: 204 });
  expect(await ask("GET", `${path}/${sam.id}`)).toMatchObject({ status: 404, body: { code: 10026 } });
  addMember(server.world, OPERATOR, { guildId, userId: sam.id });
  expect(await ask("PUT", `${path}/${server.people.olga.id}`, {})).toMatchObject({ status: 403 });
  const told = ["GUILD_BAN_ADD", "GUILD_MEMBER_REMOVE", "GUILD_BAN_REMOVE"].map((type) => server.heard(type));
  expect(told).toMatchObject([[{ user: { id: sam.id } }], [{ user: { id: sam.id } }], [{ user: { id: sam.id } }]]);
});

it("the sandbox makes invites that expire, and shows them to those who manage the channel or the guild", async () => {
  const inChannel = `/channels/${server.channels.general.id}/invites`;
  allowBot(PermissionFlagsBits.CreateInstantInvite);
  const made = await ask("POST", inChannel, { max_age: 60 });
  expect(made.body).toMatchObject({ max_age: 60, uses: 0, channel: { name: "general" }, guild: { name: "Harbour" } });
  const { code } = made.body as { code: string };
  expect((await ask("POST", inChannel, { max_age: 60 })).body).toMatchObject({ code });
  expect((await ask("POST", inChannel, { max_age: 60, unique: true })).body).not.toMatchObject({ code });
  expect(server.heard("INVITE_CREATE")).toEqual([null, null]);
  expect(await ask("GET", inChannel)).toMatchObject({ status: 403 });
  expect((await ask("GET", `/invites/${code}?with_counts=true`)).body).toMatchObject({
    code,
    approximate_member_count: 4,
  });
  allowBot(PermissionFlagsBits.ManageChannels | PermissionFlagsBits.ManageGuild);
  expect((await ask("GET", inChannel)).body).toHaveLength(2);
  expect((await ask("DELETE", `/invites/${code}`)).body).toMatchObject({ code });
  expect(server.heard("INVITE_DELETE")).toMatchObject([{ code, channel_id: server.channels.general.id }]);
  expect((await ask("GET", `/guilds/${server.guild.id}/invites`)).body).toHaveLength(1);
  server.clock.advance(60_000);
  expect((await ask("GET", `/guilds/${server.guild.id}/invites`)).body).toEqual([]);
  expect(await ask("GET", `/invites/${code}`)).toMatchObject({ status: 404, body: { code: 10006 } });
});
