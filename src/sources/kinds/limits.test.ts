import { describe, expect, it } from "vitest";
import type { Audience, AudienceRef } from "../../domain/audience.ts";
import type { Channel, Member } from "../../domain/guild.ts";
import type { ChannelId, GuildId, RoleId, UserId } from "../../domain/ids.ts";
import type { Kept } from "../../domain/source.ts";
import { isSubjectThere, toAudience, toGuildId } from "./limits.ts";
import { profile } from "./profile.ts";

const [GUILD, OTHER] = ["1" as GuildId, "2" as GuildId];
const [SARAH, MARK, BOT] = ["31" as UserId, "32" as UserId, "39" as UserId];
const [GENERAL, DM, HIDDEN] = ["11" as ChannelId, "12" as ChannelId, "13" as ChannelId];
const STAFF = "21" as RoleId;

const directory = {
  member: (guildId: GuildId, userId: UserId) =>
    guildId === GUILD && userId === SARAH ? ({ id: SARAH } as Member) : undefined,
  channel: (id: ChannelId) =>
    ({ [GENERAL]: { guildId: GUILD } as Channel, [DM]: { guildId: null } as Channel })[id as string],
  canRead: (userId: UserId, id: ChannelId) => userId === BOT && id === GENERAL,
  audience: (id: ChannelId) => ({ kind: "people", people: new Set([`readers of ${id}`]) }) as unknown as Audience,
  members: (guildId: GuildId, roleId: RoleId | null) =>
    ({ kind: "people", people: new Set([`${roleId} in ${guildId}`]) }) as unknown as Audience,
};
const person: AudienceRef = { kind: "person", id: SARAH };
const guild: AudienceRef = { kind: "guild", id: GUILD };
const role: AudienceRef = { kind: "role", guildId: OTHER, id: STAFF };
const channel = (id: ChannelId): AudienceRef => ({ kind: "channel", id });

describe("somebody whom something is about", () => {
  it("has to be in the server in which it is shared, and nowhere for what is private or about nobody", () => {
    expect(isSubjectThere({ subjectId: SARAH, guildId: GUILD }, directory)).toBe(true);
    expect(isSubjectThere({ subjectId: MARK, guildId: GUILD }, directory)).toBe(false);
    expect(isSubjectThere({ subjectId: SARAH, guildId: OTHER }, directory)).toBe(false);
    expect(isSubjectThere({ subjectId: null, guildId: OTHER }, directory)).toBe(true);
    expect(isSubjectThere({ subjectId: MARK, guildId: null }, directory)).toBe(true);
  });

  it("has to be in every server of those who may hear a profile", () => {
    const about = (guildId: GuildId | null, audiences: readonly AudienceRef[] | null) =>
      profile
        .subjects?.({ subjectId: SARAH, guildId, audiences } as Kept<"profile">, directory)
        .map((one) => [one.subjectId, one.guildId]);
    expect(about(GUILD, null)).toEqual([[SARAH, GUILD]]);
    expect(about(GUILD, [guild, channel(GENERAL)])).toEqual([[SARAH, GUILD]]);
    expect(about(null, [role, channel(GENERAL)])).toEqual([
      [SARAH, null],
      [SARAH, OTHER],
      [SARAH, GUILD],
    ]);
  });
});

describe("those to whom something is limited", () => {
  it("are in a server, except for one person, a direct conversation and a channel that is not known", () => {
    const found = [person, guild, role, channel(GENERAL), channel(DM), channel(HIDDEN)];
    expect(found.map((ref) => toGuildId(ref, directory))).toEqual([null, GUILD, OTHER, GUILD, null, null]);
  });

  it("are that person, the members, the holders of a role, or the readers of a channel that the bot can read", () => {
    const people = (ref: AudienceRef) => {
      const audience = toAudience(ref, directory, BOT);
      return audience.kind === "people" ? [...audience.people] : audience.kind;
    };
    expect([person, guild, role, channel(GENERAL), channel(HIDDEN)].map(people)).toEqual([
      [SARAH],
      ["null in 1"],
      ["21 in 2"],
      ["readers of 11"],
      "world",
    ]);
    expect(toAudience(channel(GENERAL), directory, SARAH)).toEqual({ kind: "world" });
  });
});
