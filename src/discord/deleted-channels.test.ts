import { describe, expect, it } from "vitest";
import { rawMember, rawOverwrite, rawThread, rawUser } from "../../test/support/raw-guild.ts";
import {
  BOT,
  staffRoom as forStaff,
  GENERAL,
  GUILD,
  general,
  MARK,
  openDirectory,
  PRIVATE_THREAD,
  privateThread,
  SARAH,
  STAFF,
  smallGuild,
  VIEW,
} from "../../test/support/small-guild.ts";
import { type Audience, flows } from "../domain/audience.ts";
import type { ChannelId, UserId } from "../domain/ids.ts";
import { MAX_TOMBSTONES_PER_GUILD } from "./deleted-channels.ts";

const PUBLIC_THREAD = "31" as ChannelId;
const staffRoom = {
  ...forStaff,
  permission_overwrites: [...forStaff.permission_overwrites, rawOverwrite("member", BOT, { allow: VIEW })],
};
const publicThread = rawThread({
  ...{ id: PUBLIC_THREAD, guildId: GUILD, type: 11 },
  ...{ name: "side", parentId: STAFF, ownerId: "99" },
});
const guild = smallGuild({
  channels: [general, staffRoom],
  threads: [publicThread, privateThread],
  members: [
    rawMember({ id: BOT }),
    rawMember({ id: SARAH }, { roles: ["2"] }),
    rawMember({ id: MARK }, { roles: ["2"] }),
  ],
});
const withoutBot = { permission_overwrites: [rawOverwrite("member", BOT, { deny: VIEW })] };
const unseen = { ...staffRoom, ...withoutBot };

function open({ hearsMembers = true } = {}) {
  const directory = openDirectory(guild, {
    hearsMembers,
    ask: {
      channel: async () => publicThread,
      threadMembers: async (id) => [SARAH, BOT].map((member) => ({ id, user_id: member })),
    },
  });
  const describeGuild = (more: object = {}) => directory.apply("GUILD_CREATE", { ...guild, ...more });
  const remove = (id: ChannelId, type = id === STAFF || id === GENERAL ? "CHANNEL_DELETE" : "THREAD_DELETE") =>
    directory.apply(type, { id, guild_id: GUILD });
  const reaches = (id: ChannelId, people: readonly UserId[]) => {
    const source = directory.lastAudience(id);
    const readers: Audience = { kind: "people", people: new Set(people) };
    return source ? flows(source, readers) : "unknown";
  };
  return { directory, describeGuild, remove, reaches };
}

describe("a deleted channel or thread", () => {
  it("keeps its last overwrites but none of its names or texts", () => {
    const { directory, remove, reaches } = open();
    expect([directory.isDeleted(STAFF), directory.lastAudience(STAFF)]).toEqual([false, undefined]);
    remove(STAFF);
    expect([directory.isDeleted(STAFF), directory.channel(STAFF)]).toEqual([true, undefined]);
    expect([reaches(STAFF, [SARAH, MARK]), reaches(STAFF, ["93" as UserId])]).toEqual([true, false]);
    expect(JSON.stringify(directory.lastAudience(STAFF))).not.toMatch(/secret|staff/);
  });

  it("also marks its threads as deleted, which Discord does not report one by one", () => {
    const { directory, remove, reaches } = open();
    remove(STAFF);
    expect([directory.isDeleted(PUBLIC_THREAD), reaches(PUBLIC_THREAD, [SARAH])]).toEqual([true, true]);
    // A late or doubled report tells nothing new.
    remove(PUBLIC_THREAD);
    remove(STAFF);
    expect([reaches(PUBLIC_THREAD, [SARAH]), reaches(STAFF, [SARAH])]).toEqual([true, true]);
  });

  it("keeps its last overwrites when its parent channel changes or is deleted later", () => {
    const { directory, remove, reaches } = open();
    remove(PUBLIC_THREAD);
    directory.apply("CHANNEL_UPDATE", { ...staffRoom, permission_overwrites: [] });
    expect([directory.canRead(SARAH, STAFF), reaches(PUBLIC_THREAD, ["93" as UserId])]).toEqual([true, false]);
    remove(STAFF);
    expect([reaches(PUBLIC_THREAD, [SARAH, MARK]), reaches(PUBLIC_THREAD, ["93" as UserId])]).toEqual([true, false]);
  });

  it("has an audience that follows current roles and members", () => {
    const { directory, remove, reaches } = open();
    remove(STAFF);
    directory.apply("GUILD_MEMBER_UPDATE", { guild_id: GUILD, user: rawUser({ id: MARK }), roles: [] });
    expect([reaches(STAFF, [SARAH]), reaches(STAFF, [SARAH, MARK])]).toEqual([true, false]);
    directory.apply("GUILD_MEMBER_REMOVE", { guild_id: GUILD, user: rawUser({ id: SARAH }) });
    expect(reaches(STAFF, [SARAH])).toBe(false);
    directory.apply("GUILD_MEMBER_UPDATE", { guild_id: GUILD, user: rawUser({ id: MARK }), roles: ["2"] });
    expect(reaches(STAFF, [MARK])).toBe(true);
    // A deleted role has no members, even without an update of each member.
    directory.apply("GUILD_ROLE_DELETE", { guild_id: GUILD, role_id: "2" });
    expect(reaches(STAFF, [MARK])).toBe(false);
  });

  it("has its last thread members as its audience when it was a private thread", async () => {
    const { directory, remove, reaches } = open();
    await directory.learn(SARAH, PRIVATE_THREAD);
    remove(PRIVATE_THREAD);
    expect([reaches(PRIVATE_THREAD, [SARAH]), reaches(PRIVATE_THREAD, [SARAH, MARK])]).toEqual([true, false]);
    directory.apply("GUILD_MEMBER_REMOVE", { guild_id: GUILD, user: rawUser({ id: SARAH }) });
    directory.apply("GUILD_MEMBER_ADD", { guild_id: GUILD, user: rawUser({ id: SARAH }), roles: [] });
    expect(reaches(PRIVATE_THREAD, [SARAH])).toBe(false);
  });

  it("is never restored by an event that arrives after its deletion", async () => {
    const { directory, remove, describeGuild } = open();
    const learning = directory.learn(SARAH, "32" as ChannelId);
    remove(PUBLIC_THREAD);
    remove(GENERAL);
    await learning;
    directory.apply("THREAD_UPDATE", publicThread);
    directory.apply("CHANNEL_UPDATE", general);
    describeGuild();
    expect([directory.channel(PUBLIC_THREAD), directory.channel(GENERAL)]).toEqual([undefined, undefined]);
    expect([directory.channel(PRIVATE_THREAD), directory.isDeleted(GENERAL)]).toEqual([undefined, true]);
    expect(directory.canRead(BOT, STAFF)).toBe(true);
  });
});

describe("the audience of a deleted channel or thread is unknown", () => {
  it("when the bot could no longer read it", () => {
    const { directory, remove, reaches } = open();
    directory.apply("CHANNEL_UPDATE", unseen);
    expect([directory.isDeleted(STAFF), reaches(STAFF, [SARAH])]).toEqual([false, "unknown"]);
    remove(STAFF);
    expect([directory.isDeleted(STAFF), reaches(STAFF, [SARAH])]).toEqual([true, "unknown"]);
    expect([directory.isDeleted(PUBLIC_THREAD), reaches(PUBLIC_THREAD, [SARAH])]).toEqual([true, "unknown"]);
  });

  it("when it was a private thread that the bot had lost access to for a while", async () => {
    const { directory, remove, reaches } = open();
    await directory.learn(SARAH, PRIVATE_THREAD);
    const hidden = { ...general, ...withoutBot };
    directory.apply("CHANNEL_UPDATE", hidden);
    directory.apply("CHANNEL_UPDATE", general);
    remove(PRIVATE_THREAD);
    expect([directory.isDeleted(PRIVATE_THREAD), reaches(PRIVATE_THREAD, [SARAH])]).toEqual([true, "unknown"]);
  });

  it("when it was a private thread and the bot receives no member events", async () => {
    const { directory, remove, reaches } = open({ hearsMembers: false });
    await directory.learn(SARAH, PRIVATE_THREAD);
    remove(PRIVATE_THREAD);
    expect([directory.isDeleted(PRIVATE_THREAD), reaches(PRIVATE_THREAD, [SARAH])]).toEqual([true, "unknown"]);
  });

  it("when the deletion was missed, until the channel appears again", () => {
    const { directory, describeGuild, reaches } = open();
    describeGuild({ channels: [general], threads: [] });
    for (const id of [STAFF, PUBLIC_THREAD])
      expect([directory.isDeleted(id), reaches(id, [SARAH])]).toEqual([true, "unknown"]);
    // A private thread that is not listed may or may not be deleted.
    expect([directory.isDeleted(PRIVATE_THREAD), reaches(PRIVATE_THREAD, [SARAH])]).toEqual([false, "unknown"]);
    directory.apply("CHANNEL_CREATE", staffRoom);
    expect([directory.isDeleted(STAFF), directory.canRead(SARAH, STAFF)]).toEqual([false, true]);
    describeGuild();
    expect([directory.isDeleted(PUBLIC_THREAD), directory.canRead(SARAH, PUBLIC_THREAD)]).toEqual([false, true]);
  });

  it("while the server is unavailable, and permanently once the bot has left the server", async () => {
    const { directory, describeGuild, remove, reaches } = open();
    await directory.learn(SARAH, PRIVATE_THREAD);
    remove(PRIVATE_THREAD);
    remove(STAFF);
    directory.apply("GUILD_DELETE", { id: GUILD, unavailable: true });
    expect([directory.isDeleted(STAFF), reaches(STAFF, [SARAH])]).toEqual([true, "unknown"]);
    describeGuild();
    // A member may have left meanwhile and returned, which removes them from threads.
    expect([reaches(STAFF, [SARAH]), reaches(PRIVATE_THREAD, [SARAH])]).toEqual([true, "unknown"]);
    directory.apply("GUILD_DELETE", { id: GUILD });
    describeGuild({ channels: [general], threads: [] });
    expect([directory.isDeleted(STAFF), reaches(STAFF, [SARAH])]).toEqual([false, "unknown"]);
  });

  it("when too many other channels of the server were deleted after it", () => {
    const { directory, remove, reaches } = open();
    remove(PUBLIC_THREAD);
    for (let count = 1; count < MAX_TOMBSTONES_PER_GUILD; count += 1) remove(String(100_000 + count) as ChannelId);
    expect(reaches(PUBLIC_THREAD, [SARAH])).toBe(true);
    remove(STAFF);
    expect([directory.isDeleted(PUBLIC_THREAD), reaches(PUBLIC_THREAD, [SARAH])]).toEqual([false, "unknown"]);
    expect(reaches(STAFF, [SARAH])).toBe(true);
  });
});
