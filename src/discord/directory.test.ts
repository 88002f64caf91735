import { describe, expect, it } from "vitest";
import { obfuscated, rawMember, rawOverwrite, rawUser } from "../../test/support/raw-guild.ts";
import {
  BOT,
  everyone,
  GENERAL,
  GUILD,
  general,
  MARK,
  openDirectory,
  privateThread,
  SARAH,
  STAFF,
  smallGuild,
  staffRole,
  staffRoom,
  PRIVATE_THREAD as THREAD,
  VIEW,
} from "../../test/support/small-guild.ts";
import { flows } from "../domain/audience.ts";
import type { ChannelId, GuildId, RoleId, UserId } from "../domain/ids.ts";

const MANAGE_THREADS = String(1n << 34n);
const guild = smallGuild({
  members: [rawMember({ id: BOT, username: "earshot" }, { roles: ["2"] }), rawMember({ id: SARAH, username: "sarah" })],
});

function open({ hearsMembers = true, threadMembers = [SARAH, BOT] as readonly string[] } = {}) {
  let now = 0;
  const asked: string[] = [];
  const directory = openDirectory(guild, {
    hearsMembers,
    clock: { now: () => now },
    ask: {
      channel: async (id) => {
        asked.push(`channel ${id}`);
        return id === "31" ? { id, guild_id: GUILD, type: 11, name: "old", parent_id: GENERAL } : null;
      },
      member: async (_, id) => {
        asked.push(`member ${id}`);
        return id === "92" ? { user: rawUser({ id, username: "mark" }), roles: [] } : null;
      },
      threadMembers: async (id) => {
        asked.push(`thread ${id}`);
        return threadMembers.map((member) => ({ id, user_id: member }));
      },
    },
  });
  const pass = (ms: number) => {
    now += ms;
  };
  return { directory, asked, pass };
}

describe("GuildDirectory", () => {
  it("knows the guild, its channels and who may read them", () => {
    const { directory } = open();
    expect(directory.guilds()).toMatchObject([{ name: "Harbourside", available: true, memberCount: 2 }]);
    expect(directory.canRead(SARAH, GENERAL)).toBe(true);
    expect(directory.canRead(SARAH, STAFF)).toBe(false);
    expect(directory.canRead(BOT, STAFF)).toBe(true);
  });

  it("reports lost access, not a deletion, when a channel becomes hidden", () => {
    const { directory } = open();
    const hidden = obfuscated(staffRoom);
    expect(directory.apply("CHANNEL_UPDATE", hidden)).toContainEqual({
      type: "access_lost",
      channelId: STAFF,
      guildId: GUILD,
      lineage: [STAFF],
    });
    expect(directory.channel(STAFF)?.hidden).toBe(true);
    expect(directory.canRead(BOT, STAFF)).toBe(false);
  });

  it("recognises a hidden channel by its flag, not by its name", () => {
    const { directory } = open();
    directory.apply("CHANNEL_UPDATE", { ...general, guild_id: GUILD, name: "___hidden___" });
    expect(directory.canRead(SARAH, GENERAL)).toBe(true);
  });

  it.each([
    ["a role of the bot is deleted", "GUILD_ROLE_DELETE", { guild_id: GUILD, role_id: "2" }],
    [
      "the bot loses a role",
      "GUILD_MEMBER_UPDATE",
      { guild_id: GUILD, user: rawUser({ id: BOT, username: "earshot" }), roles: [] },
    ],
  ])("reports lost access when %s", (_, type, data) => {
    const { directory } = open();
    expect(directory.apply(type, data)).toContainEqual({
      type: "access_lost",
      channelId: STAFF,
      guildId: GUILD,
      lineage: [STAFF],
    });
  });

  it("ignores the overwrite of a deleted role for members who still list that role", () => {
    const { directory } = open();
    directory.apply("GUILD_MEMBER_UPDATE", {
      guild_id: GUILD,
      user: rawUser({ id: SARAH, username: "sarah" }),
      roles: ["2"],
    });
    expect(directory.canRead(SARAH, STAFF)).toBe(true);
    directory.apply("GUILD_ROLE_DELETE", { guild_id: GUILD, role_id: "2" });
    expect(directory.canRead(SARAH, STAFF)).toBe(false);
  });

  it("denies access to a channel whose permissions it cannot parse", () => {
    const { directory } = open();
    const { permission_overwrites, ...bare } = general;
    for (const unreadable of [
      bare,
      { ...bare, permission_overwrites: [rawOverwrite("role", "x", { deny: VIEW })] },
      { ...bare, permission_overwrites: [{ id: "1", type: 0, allow: "0", deny: 1024 }] },
      { ...bare, permission_overwrites: null },
    ]) {
      directory.apply("CHANNEL_UPDATE", unreadable);
      expect(directory.canRead(SARAH, GENERAL)).toBe(false);
    }
    directory.apply("CHANNEL_UPDATE", { ...bare, permission_overwrites: [] });
    expect(directory.canRead(SARAH, GENERAL)).toBe(true);
    directory.apply("GUILD_ROLE_UPDATE", { guild_id: GUILD, role: { ...everyone, permissions: null } });
    expect(directory.canRead(SARAH, GENERAL)).toBe(false);
  });

  it("denies access while it receives no events about changes", () => {
    const { directory } = open();
    directory.setTrusted([0, 1], false);
    expect(directory.canRead(SARAH, GENERAL)).toBe(false);
    directory.setTrusted([0, 1], true);
    expect(directory.canRead(SARAH, GENERAL)).toBe(true);
    directory.apply("READY", { guilds: [{ id: GUILD, unavailable: true }] });
    expect(directory.canRead(SARAH, GENERAL)).toBe(false);
  });

  it("reports no lost access while a guild is not described or its changes are not heard, and what was lost once they are", () => {
    const { directory } = open();
    expect(directory.isComplete).toBe(true);
    directory.apply("READY", { guilds: [{ id: GUILD, unavailable: true }, { id: "77" }] });
    const role = { guild_id: GUILD, role: everyone };
    expect([directory.apply("GUILD_ROLE_UPDATE", role), directory.isComplete]).toEqual([[], false]);
    const second = open().directory;
    second.setTrusted([0, 1], false);
    expect([second.apply("GUILD_ROLE_UPDATE", role), second.isComplete]).toEqual([[], false]);
    expect(second.apply("CHANNEL_UPDATE", obfuscated(staffRoom))).toEqual([{ type: "channel", channelId: STAFF }]);
    expect(second.setTrusted([0, 1], true)).toMatchObject([{ type: "access_lost", channelId: STAFF }]);
  });

  it("forgets a guild that removed the bot, and keeps one that is only unavailable", () => {
    const { directory } = open();
    expect(directory.apply("GUILD_DELETE", { id: GUILD, unavailable: true })).toEqual([]);
    expect(directory.guild(GUILD)?.available).toBe(false);
    directory.apply("READY", { guilds: [{ id: GUILD }, { id: "9" }] });
    expect([GUILD, "9" as GuildId].map((id) => directory.hasLeft(id))).toEqual([false, false]);
    const [event] = directory.apply("GUILD_DELETE", { id: GUILD });
    expect(event).toMatchObject({ type: "guild_removed", guildId: GUILD });
    expect(directory.channel(GENERAL)).toBeUndefined();
    // Also one that was announced and never described.
    directory.apply("GUILD_DELETE", { id: "9" });
    expect([GUILD, "9" as GuildId].map((id) => directory.hasLeft(id))).toEqual([true, true]);
  });

  it("no longer knows a DM once its channel is deleted", () => {
    const { directory } = open();
    const dm = directory.noteDm({ id: "70", type: 1, recipients: [{ id: "80" }] }, "80" as UserId);
    expect(directory.directMessages("80" as UserId)).toBe(dm);
    directory.apply("CHANNEL_DELETE", { id: dm, type: 1 });
    expect(directory.directMessages("80" as UserId)).toBeUndefined();
    expect(directory.channel(dm)).toBeUndefined();
  });

  it("reports after a reconnect that a guild or a channel is gone", () => {
    const { directory } = open();
    directory.apply("READY", { guilds: [{ id: GUILD }] });
    const events = directory.apply("GUILD_CREATE", { ...guild, channels: [general], threads: [] });
    expect(events).toContainEqual({ type: "channel_deleted", channelId: STAFF, guildId: GUILD, lineage: [STAFF] });
    expect(events).toContainEqual({
      type: "access_lost",
      channelId: THREAD,
      guildId: GUILD,
      lineage: [THREAD, GENERAL],
    });
    // Its current members are unknown.
    expect(directory.channel(THREAD)).toBeUndefined();
    expect(directory.apply("READY", { guilds: [] })).toMatchObject([{ type: "guild_removed", guildId: GUILD }]);
  });

  it("lets only members read a private thread, once the members are known", async () => {
    const { directory, asked } = open();
    expect(directory.canRead(SARAH, THREAD)).toBe(false);
    expect(directory.canRead(BOT, THREAD)).toBe(true);
    await directory.learn(SARAH, THREAD);
    expect(directory.canRead(SARAH, THREAD)).toBe(true);
    await directory.learn(SARAH, THREAD);
    expect(asked).toEqual([`thread ${THREAD}`]);
    directory.apply("THREAD_MEMBERS_UPDATE", { id: THREAD, guild_id: GUILD, removed_member_ids: [SARAH] });
    expect(directory.canRead(SARAH, THREAD)).toBe(false);
    directory.apply("THREAD_MEMBERS_UPDATE", { id: THREAD, guild_id: GUILD, added_members: [{ user_id: SARAH }] });
    expect(directory.canRead(SARAH, THREAD)).toBe(true);
  });

  it("reports lost access to a private thread when the bot is removed from it, unless the bot manages threads", () => {
    const { directory } = open();
    const removal = { id: THREAD, guild_id: GUILD, removed_member_ids: [BOT] };
    expect(directory.apply("THREAD_MEMBERS_UPDATE", removal)).toEqual([
      { type: "access_lost", channelId: THREAD, guildId: GUILD, lineage: [THREAD, GENERAL] },
    ]);
    directory.apply("GUILD_ROLE_UPDATE", { guild_id: GUILD, role: { ...staffRole, permissions: MANAGE_THREADS } });
    expect(directory.canRead(BOT, THREAD)).toBe(true);
  });

  const unseen = { ...general, guild_id: GUILD, permission_overwrites: [rawOverwrite("role", "2", { deny: VIEW })] };
  const seen = { ...general, guild_id: GUILD };

  it.each<[string, [string, object][], [string, object][]]>([
    ["its channel is hidden from the bot", [["CHANNEL_UPDATE", unseen]], [["CHANNEL_UPDATE", seen]]],
    [
      "the bot is removed from it",
      [["THREAD_MEMBERS_UPDATE", { id: THREAD, guild_id: GUILD, removed_member_ids: [BOT] }]],
      [["THREAD_CREATE", privateThread]],
    ],
    [
      "a thread list restores the bot's access",
      [["CHANNEL_UPDATE", unseen]],
      [
        ["CHANNEL_UPDATE", seen],
        ["THREAD_LIST_SYNC", { guild_id: GUILD, threads: [privateThread], members: [{ id: THREAD }] }],
      ],
    ],
    [
      "a role loses the right to manage threads, and gets it back",
      [
        ["GUILD_ROLE_UPDATE", { guild_id: GUILD, role: { ...staffRole, permissions: MANAGE_THREADS } }],
        ["THREAD_MEMBERS_UPDATE", { id: THREAD, guild_id: GUILD, removed_member_ids: [BOT] }],
        ["GUILD_ROLE_UPDATE", { guild_id: GUILD, role: staffRole }],
      ],
      [["GUILD_ROLE_UPDATE", { guild_id: GUILD, role: { ...staffRole, permissions: MANAGE_THREADS } }]],
    ],
  ])("fetches the members of a private thread again after %s", async (_, losing, regaining) => {
    const members: string[] = [SARAH, BOT];
    const { directory } = open({ threadMembers: members });
    await directory.learn(SARAH, THREAD);
    expect(directory.canRead(SARAH, THREAD)).toBe(true);
    for (const [type, data] of losing) directory.apply(type, data);
    expect(directory.canRead(BOT, THREAD)).toBe(false);
    // The bot receives no event about this.
    members.splice(members.indexOf(SARAH), 1);
    for (const [type, data] of regaining) directory.apply(type, data);
    expect(directory.canRead(BOT, THREAD)).toBe(true);
    expect(directory.canRead(SARAH, THREAD)).toBe(false);
    expect(directory.place(THREAD)?.thread?.thread?.members).toBeNull();
    await directory.learn(SARAH, THREAD);
    expect(directory.canRead(SARAH, THREAD)).toBe(false);
  });

  it("does not ask again at once for the members of a private thread that it was not told", async () => {
    let asked = 0;
    let now = 0;
    const refuse = async () => {
      asked += 1;
      return null;
    };
    const directory = openDirectory(guild, { clock: { now: () => now }, ask: { threadMembers: refuse } });
    for (let time = 0; time < 3; time += 1) await directory.learn(SARAH, THREAD);
    expect([asked, directory.canRead(SARAH, THREAD)]).toEqual([1, false]);
    now += 30_000;
    await directory.learn(SARAH, THREAD);
    expect(asked).toBe(2);
  });

  it("discards the members of a private thread that were requested before the bot lost access to it", async () => {
    const members: string[] = [SARAH, BOT];
    const { directory, asked } = open({ threadMembers: members });
    const learning = directory.learn(SARAH, THREAD);
    directory.apply("CHANNEL_UPDATE", unseen);
    members.splice(0, 1);
    directory.apply("CHANNEL_UPDATE", seen);
    await learning;
    expect(directory.canRead(SARAH, THREAD)).toBe(false);
    expect(asked.length).toBeGreaterThan(1);
  });

  it("denies a private thread to a member who left the server and rejoined", async () => {
    const members: string[] = [SARAH, BOT];
    const { directory } = open({ threadMembers: members });
    await directory.learn(SARAH, THREAD);
    directory.apply("GUILD_MEMBER_REMOVE", { guild_id: GUILD, user: rawUser({ id: SARAH, username: "sarah" }) });
    members.splice(members.indexOf(SARAH), 1);
    expect(directory.canRead(SARAH, THREAD)).toBe(false);
    directory.apply("GUILD_MEMBER_ADD", {
      guild_id: GUILD,
      user: rawUser({ id: SARAH, username: "sarah" }),
      roles: [],
    });
    expect(directory.canRead(SARAH, GENERAL)).toBe(true);
    expect(directory.canRead(SARAH, THREAD)).toBe(false);
    await directory.learn(SARAH, THREAD);
    expect(directory.canRead(SARAH, THREAD)).toBe(false);
  });

  it("fetches thread members again when a change arrives during the request", async () => {
    const { directory, asked } = open();
    const learning = directory.learn(SARAH, THREAD);
    directory.apply("THREAD_MEMBERS_UPDATE", { id: THREAD, guild_id: GUILD, removed_member_ids: [] });
    await learning;
    expect(asked).toEqual([`thread ${THREAD}`, `thread ${THREAD}`]);
  });

  it("fetches members one by one without member events, and caches each for a limited time", async () => {
    const { directory, asked, pass } = open({ hearsMembers: false });
    const mark = "92" as UserId;
    expect(directory.canRead(mark, GENERAL)).toBe(false);
    await directory.learn(mark, GENERAL);
    expect(directory.canRead(mark, GENERAL)).toBe(true);
    pass(31_000);
    expect(directory.canRead(mark, GENERAL)).toBe(false);
    await directory.learn("93" as UserId, GENERAL);
    expect(directory.canRead("93" as UserId, GENERAL)).toBe(false);
    expect(asked).toEqual(["member 92", "member 93"]);
  });

  it("fetches the members of a private thread again after a limited time without member events", async () => {
    const members: string[] = ["92", BOT];
    const { directory, pass } = open({ hearsMembers: false, threadMembers: members });
    const mark = "92" as UserId;
    await directory.learn(mark, THREAD);
    expect(directory.canRead(mark, THREAD)).toBe(true);
    members.splice(0, 1);
    pass(31_000);
    await directory.learnMember(mark, GUILD);
    expect(directory.canRead(mark, GENERAL)).toBe(true);
    expect(directory.canRead(mark, THREAD)).toBe(false);
    await directory.learn(mark, THREAD);
    expect(directory.canRead(mark, THREAD)).toBe(false);
  });

  it("fetches an archived thread on demand", async () => {
    const { directory } = open();
    const archived = "31" as ChannelId;
    expect(directory.canRead(SARAH, archived)).toBe(false);
    await directory.learn(SARAH, archived);
    expect(directory.canRead(SARAH, archived)).toBe(true);
  });

  it("fetches an archived thread again after the bot was out of its server, however short that was", async () => {
    const { directory } = open();
    const archived = "31" as ChannelId;
    await directory.learn(SARAH, archived);
    directory.apply("GUILD_DELETE", { id: GUILD });
    directory.apply("GUILD_CREATE", guild);
    expect(directory.channel(archived)).toBeUndefined();
    await directory.learn(SARAH, archived);
    expect(directory.canRead(SARAH, archived)).toBe(true);
  });

  it("lets only the two participants read a direct message", () => {
    const { directory } = open();
    const dm = "70" as ChannelId;
    directory.apply("MESSAGE_CREATE", {
      id: "1",
      channel_id: dm,
      author: rawUser({ id: SARAH, username: "sarah" }),
      content: "",
    });
    expect([SARAH, BOT, "92" as UserId].map((id) => directory.canRead(id, dm))).toEqual([true, true, false]);
  });
});

describe("the members of a server as a source", () => {
  const SCREENING = ["MEMBER_VERIFICATION_GATE_ENABLED"];
  const role = staffRole.id as RoleId;

  it("are unknown, so that nothing flows, for an unknown or unavailable server or an unknown role", () => {
    const { directory } = open();
    expect(directory.members(GUILD, null)).toMatchObject({ kind: "members", role: null });
    expect(directory.members(GUILD, role)).toMatchObject({ kind: "members", role });
    expect(directory.members("5" as GuildId, null)).toEqual({ kind: "world" });
    expect(directory.members(GUILD, "5" as RoleId)).toEqual({ kind: "world" });
    directory.apply("GUILD_ROLE_DELETE", { guild_id: GUILD, role_id: role });
    expect(directory.members(GUILD, role)).toEqual({ kind: "world" });
    directory.setTrusted([0, 1], false);
    expect(directory.members(GUILD, null)).toEqual({ kind: "world" });
    directory.setTrusted([0, 1], true);
    directory.apply("GUILD_DELETE", { id: GUILD, unavailable: true });
    expect(directory.members(GUILD, null)).toEqual({ kind: "world" });
    directory.apply("GUILD_DELETE", { id: GUILD });
    expect(directory.members(GUILD, null)).toEqual({ kind: "world" });
  });

  it("may be pending by the latest features of the server, and where these cannot be read", () => {
    const { directory } = open();
    const hasScreening = () => directory.members(GUILD, null);
    expect(hasScreening()).toMatchObject({ hasScreening: false });
    for (const [features, expected] of [
      [SCREENING, true],
      [[], false],
      [undefined, true],
    ] as const) {
      directory.apply("GUILD_UPDATE", { ...guild, features });
      expect(hasScreening()).toMatchObject({ hasScreening: expected });
    }
  });

  it("are those who are known to be members, as long as that is current", async () => {
    const { directory, pass } = open({ hearsMembers: false });
    const flowsTo = (id: UserId) => flows(directory.members(GUILD, null), { kind: "people", people: new Set([id]) });
    expect([MARK, SARAH].map(flowsTo)).toEqual([false, false]);
    await directory.learnMember(MARK, GUILD);
    expect(flowsTo(MARK)).toBe(true);
    pass(31_000);
    expect(flowsTo(MARK)).toBe(false);
  });
});

describe("the preferred locale of a server", () => {
  it("is the latest that Discord told, and null where that is missing or unknown", () => {
    const { directory } = open();
    const preferred = () => directory.guild(GUILD)?.preferredLocale;
    expect(preferred()).toBeNull();
    for (const [preferred_locale, expected] of [
      ["de", "de"],
      ["en-US", "en-US"],
      [null, null],
      [7, null],
      ["xx", null],
      [undefined, null],
    ] as const) {
      directory.apply("GUILD_UPDATE", { ...guild, preferred_locale });
      expect(preferred()).toBe(expected);
    }
  });
});

describe("an unknown channel id", () => {
  it("is looked up at most once per 30 seconds", async () => {
    let now = 1_000_000;
    const asked: string[] = [];
    const directory = openDirectory(guild, {
      clock: { now: () => now },
      ask: {
        channel: async (id) => {
          asked.push(id);
          return null;
        },
      },
    });
    const learn = (id: string) => directory.learn("7" as UserId, id as ChannelId);
    await learn("1");
    await learn("1");
    expect(asked).toEqual(["1"]);
    now += 30_000;
    await learn("1");
    expect(asked).toEqual(["1", "1"]);
  });
});
