import { describe, expect, it } from "vitest";
import type { Role } from "../domain/guild.ts";
import type { GuildId, RoleId, UserId } from "../domain/ids.ts";
import { DiscordProfile } from "./discord-profile.ts";

const GUILD = "7" as GuildId;
const SARAH = "101" as UserId;
const role = (id: string, name: string, more: Partial<Role> = {}): Role =>
  ({ id: id as RoleId, name, position: Number(id), permissions: 0, ...more }) as Role;
const ROLES = [role("1", "Crew"), role("3", "Captain"), role("4", "Helper", { botId: "9" as UserId })];

function open({ roles = ["1", "3", "4"], isComplete = true, known = ROLES, joinedOn = Date.UTC(2024, 2, 5) } = {}) {
  const held = new Set(roles as RoleId[]);
  return new DiscordProfile({
    guild: (id) => (id === GUILD ? ({ membersComplete: isComplete } as never) : undefined),
    member: (id, person) =>
      id === GUILD && person === SARAH ? { id: SARAH, name: "Sarah", bot: false, roles: held, joinedOn } : undefined,
    roles: () => [...known],
  });
}

describe("the profile that Discord itself gives", () => {
  it("has the name, the roles with the highest first, and the day somebody joined", async () => {
    const values = await open().read({ person: SARAH, guildId: GUILD });
    expect(Object.fromEntries(values)).toEqual({
      "display name": "Sarah",
      roles: "Captain, Crew",
      joined: "2024-03-05",
    });
  });

  it("is for the members of the server of the request", () => {
    const keys = open().keys({ person: SARAH, guildId: GUILD });
    expect(keys.map(({ key }) => key)).toEqual(["display name", "roles", "joined"]);
    for (const { audience } of keys) expect(audience).toEqual({ kind: "guild", id: GUILD });
  });

  it.each([
    ["outside of any server", { person: SARAH, guildId: null }, {}],
    ["in a server that is not known", { person: SARAH, guildId: "8" as GuildId }, {}],
    ["of who is no member", { person: "102" as UserId, guildId: GUILD }, {}],
    ["while the member list is not complete", { person: SARAH, guildId: GUILD }, { isComplete: false }],
  ])("is empty %s", async (_, query, options) => {
    const source = open(options);
    expect(source.keys(query)).toEqual([]);
    expect((await source.read(query)).size).toBe(0);
  });

  it("leaves out roles that nobody holds, and says how many more there are than twenty", async () => {
    const many = Array.from({ length: 25 }, (_, index) => role(String(index + 1), `r${index + 1}`));
    const none = await open({ roles: [] }).read({ person: SARAH, guildId: GUILD });
    expect(none.has("roles")).toBe(false);
    const all = await open({ roles: many.map(({ id }) => id), known: many }).read({ person: SARAH, guildId: GUILD });
    expect(all.get("roles")).toMatch(/^r25, r24, .*r6, 5 more$/);
  });
});
