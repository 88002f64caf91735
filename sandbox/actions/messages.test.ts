import { MessageFlags, MessageReferenceType, PermissionFlagsBits } from "discord-api-types/v10";
import { beforeEach, describe, expect, it } from "vitest";
import { mentionsOf } from "../render/mentions.ts";
import type { ChannelRecord, GuildRecord, UserRecord } from "../world/records.ts";
import { World, type WorldEvent } from "../world/world.ts";
import { OPERATOR } from "./access.ts";
import { createBot, createUser } from "./applications.ts";
import { createChannel, setOverwrite, updateChannel } from "./channels.ts";
import { deleteMessage } from "./delete-messages.ts";
import { DiscordError } from "./errors.ts";
import { createGuild } from "./guilds.ts";
import { addMember, updateMember } from "./members.ts";
import { createMessage, editMessage, previewLinks } from "./messages.ts";
import { endPoll, unvotePoll, votePoll } from "./polls.ts";
import { createRole } from "./roles.ts";

let now: number;
let world: World;
let guild: GuildRecord;
let sam: UserRecord;
let general: ChannelRecord;
let events: WorldEvent[];

beforeEach(() => {
  now = Date.UTC(2026, 10, 15);
  world = new World({ now: () => now });
  const olga = createUser(world, { username: "olga" });
  sam = createUser(world, { username: "sam" });
  guild = createGuild(world, olga.id, { name: "Harbour", ownerId: olga.id });
  addMember(world, OPERATOR, { guildId: guild.id, userId: sam.id });
  general = createChannel(world, OPERATOR, { guildId: guild.id, name: "general", type: 0 });
  events = [];
  world.listen((event) => events.push(event));
});

function say(content: string, by = sam.id) {
  return createMessage(world, by, { channelId: general.id, draft: { content } });
}

function codeOf(act: () => unknown): number | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof DiscordError) return error.code;
    throw error;
  }
  return undefined;
}

describe("the sandbox applies the rules for bots to people, too:", () => {
  it("it rejects messages that are too long, empty, or in a channel where they may not send", () => {
    expect(codeOf(() => say("x".repeat(2001)))).toBe(50035);
    expect(codeOf(() => say("🐢".repeat(2000)))).toBeUndefined();
    expect(codeOf(() => say(" "))).toBe(50006);
    const { SendMessages } = PermissionFlagsBits;
    setOverwrite(world, OPERATOR, { channelId: general.id, id: guild.id, type: 0, allow: 0n, deny: SendMessages });
    expect(codeOf(() => say("hello"))).toBe(50013);
    expect(codeOf(() => say("hello", guild.ownerId))).toBeUndefined();
  });

  it("it enforces slow mode, except for people who may bypass it", () => {
    updateChannel(world, OPERATOR, { channelId: general.id, slowmodeSeconds: 30 });
    say("one");
    expect(codeOf(() => say("two"))).toBe(20016);
    now += 30_000;
    expect(codeOf(() => say("two"))).toBeUndefined();
    say("one", guild.ownerId);
    expect(codeOf(() => say("two", guild.ownerId))).toBeUndefined();
  });

  it("it lets them delete their own messages, and lets only them edit these", () => {
    const said = say("hello");
    const edit = (by: string) =>
      editMessage(world, by, { channelId: general.id, messageId: said.id, patch: { content: "changed" } });
    expect(codeOf(() => edit(guild.ownerId))).toBe(50005);
    expect(edit(sam.id).content).toBe("changed");
    deleteMessage(world, sam.id, { channelId: general.id, messageId: said.id });
    expect(general.messages.size).toBe(0);
    expect(events.at(-1)).toMatchObject({ type: "MESSAGE_DELETE", data: { id: said.id } });
  });

  it("it pings a role only if the role may be mentioned", () => {
    const role = createRole(world, OPERATOR, { guildId: guild.id, name: "Crew" });
    expect(say(`<@&${role.id}>`).more?.mentions?.roles).toEqual([]);
    role.mentionable = true;
    expect(say(`<@&${role.id}>`).more).toBeNull();
    expect(say("@everyone").more?.mentionEveryone).toBeUndefined();
    expect(say("@everyone", guild.ownerId).more?.mentionEveryone).toBe(true);
  });
});

it("the sandbox accepts a voice message only as one audio file with its waveform", () => {
  const sound = { filename: "voice.ogg", contentType: "audio/ogg", bytes: new Uint8Array(9) };
  const speak = (draft: object) =>
    createMessage(world, guild.ownerId, {
      channelId: general.id,
      draft: { flags: MessageFlags.IsVoiceMessage, ...draft },
    });
  expect(codeOf(() => speak({ content: "x", attachments: [sound] }))).toBe(50159);
  expect(codeOf(() => speak({ attachments: [sound, sound] }))).toBe(50160);
  expect(codeOf(() => speak({ attachments: [sound] }))).toBe(50161);
  const whole = { ...sound, durationSeconds: 2, waveform: "AAAA" };
  expect(speak({ attachments: [whole] }).flags).toBe(MessageFlags.IsVoiceMessage);
  const draft = { flags: MessageFlags.IsVoiceMessage, attachments: [whole] };
  expect(codeOf(() => createMessage(world, sam.id, { channelId: general.id, draft }))).toBe(50013);
});

describe("a message update", () => {
  it("brings link previews without marking an edit, unless embeds are suppressed", () => {
    const said = say("https://tides.example");
    const embeds = [{ title: "Tides" }];
    previewLinks(world, OPERATOR, { channelId: general.id, messageId: said.id, embeds });
    expect(said).toMatchObject({ editedAt: null, more: { embeds } });
    const quiet = createMessage(world, sam.id, {
      channelId: general.id,
      draft: { content: "https://tides.example", flags: MessageFlags.SuppressEmbeds },
    });
    previewLinks(world, OPERATOR, { channelId: general.id, messageId: quiet.id, embeds });
    expect(quiet.more).toBeNull();
  });

  it("parses mentions again when the content changes, and keeps them when it does not", () => {
    const draft = { content: `<@${sam.id}>`, allowedMentions: { parse: [] } };
    const said = createMessage(world, sam.id, { channelId: general.id, draft });
    const address = { channelId: general.id, messageId: said.id };
    expect(said.more?.mentions?.users).toEqual([]);
    editMessage(world, sam.id, { ...address, patch: { embeds: [{ title: "t" }] } });
    expect(said.more?.mentions?.users).toEqual([]);
    editMessage(world, sam.id, { ...address, patch: { content: `hello <@${sam.id}>` } });
    expect(mentionsOf(world, said).users).toEqual([sam.id]);
  });

  it("lets a moderator suppress embeds on messages of others, and nothing more", () => {
    const said = say("look");
    const patch = { flags: MessageFlags.SuppressEmbeds };
    const address = { channelId: general.id, messageId: said.id };
    expect(codeOf(() => editMessage(world, sam.id, { ...address, patch: { content: "" } }))).toBe(50006);
    editMessage(world, guild.ownerId, { ...address, patch });
    expect(said).toMatchObject({ flags: MessageFlags.SuppressEmbeds, editedAt: null });
  });
});

describe("forwards", () => {
  it("cannot contain a message that the sender cannot read", () => {
    const { ViewChannel, ReadMessageHistory } = PermissionFlagsBits;
    const other = createChannel(world, OPERATOR, { guildId: guild.id, name: "other", type: 0 });
    const said = createMessage(world, guild.ownerId, { channelId: other.id, draft: { content: "secret" } });
    const forward = () =>
      createMessage(world, sam.id, {
        channelId: general.id,
        draft: { reference: { type: MessageReferenceType.Forward, messageId: said.id, channelId: other.id } },
      });
    const take = (deny: bigint) =>
      setOverwrite(world, OPERATOR, { channelId: other.id, id: guild.id, type: 0, allow: 0n, deny });
    take(ViewChannel);
    expect(codeOf(forward)).toBe(50001);
    take(ReadMessageHistory);
    expect(codeOf(forward)).toBe(160014);
    take(0n);
    expect(forward().more?.snapshots).toMatchObject([{ content: "secret" }]);
  });

  it("do not nest: a forward of a forward contains the first message", () => {
    const first = say("first");
    const pass = (messageId: string) =>
      createMessage(world, sam.id, {
        channelId: general.id,
        draft: { reference: { type: MessageReferenceType.Forward, messageId, channelId: general.id } },
      });
    expect(pass(pass(first.id).id).more?.snapshots).toMatchObject([{ content: "first", more: {} }]);
  });

  it("are refused to a bot that cannot read the content", () => {
    const bot = createBot(world, { username: "bot", privileged: { messageContent: false } });
    addMember(world, OPERATOR, { guildId: guild.id, userId: bot.botId });
    const reference = { type: MessageReferenceType.Forward as const, messageId: say("x").id, channelId: general.id };
    expect(codeOf(() => createMessage(world, bot.botId, { channelId: general.id, draft: { reference } }))).toBe(160014);
  });
});

describe("polls", () => {
  it("accept one vote per person unless several are allowed, none from bots, and end with a notice", () => {
    const poll = { question: "Sail?", answers: [{ text: "Yes" }, { text: "No" }] };
    const message = createMessage(world, sam.id, { channelId: general.id, draft: { poll } });
    const address = { channelId: general.id, messageId: message.id };
    votePoll(world, sam.id, { ...address, answerId: 1 });
    votePoll(world, sam.id, { ...address, answerId: 2 });
    expect(message.more?.poll?.votes.get(1)?.size).toBe(0);
    votePoll(world, guild.ownerId, { ...address, answerId: 2 });
    unvotePoll(world, guild.ownerId, { ...address, answerId: 2 });
    const bot = createBot(world, { username: "bot" });
    addMember(world, OPERATOR, { guildId: guild.id, userId: bot.botId });
    expect(codeOf(() => votePoll(world, bot.botId, { ...address, answerId: 1 }))).toBe(520000);
    endPoll(world, sam.id, address);
    expect(codeOf(() => votePoll(world, sam.id, { ...address, answerId: 1 }))).toBe(520001);
    const fields = general.messages.newest?.more?.embeds?.[0]?.fields;
    expect(fields).toContainEqual({ name: "victor_answer_text", value: "No", inline: false });
    expect(fields).toContainEqual({ name: "total_votes", value: "1", inline: false });
  });
});

it("the sandbox lets nobody time out members of their own rank or above", () => {
  const mod = createUser(world, { username: "mod" });
  const role = createRole(world, OPERATOR, {
    guildId: guild.id,
    name: "Mod",
    permissions: PermissionFlagsBits.ModerateMembers,
  });
  addMember(world, OPERATOR, { guildId: guild.id, userId: mod.id, roles: [role.id] });
  const timeout = (userId: string) =>
    updateMember(world, mod.id, { guildId: guild.id, userId, timedOutUntil: now + 1000 });
  expect(codeOf(() => timeout(sam.id))).toBeUndefined();
  expect(codeOf(() => timeout(guild.ownerId))).toBe(50013);
  expect(codeOf(() => timeout(mod.id))).toBe(50013);
});
