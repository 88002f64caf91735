import { describe, expect, it } from "vitest";
import type { Member, Role } from "../domain/guild.ts";
import type { GuildId, RoleId, UserId } from "../domain/ids.ts";
import { PERMISSION } from "../domain/permission-set.ts";
import type { GuildInfo } from "../ports/directory.ts";
import { managesGuild, mayDecideFor } from "./manages-guild.ts";
import { rulesSchema } from "./rules.ts";

const GUILD = "1" as GuildId;
const SARAH = "31" as UserId;
const NOW = 1_000;
const role = (id: string, permissions: number) => ({ id: id as RoleId, permissions }) as Role;
const ROLES = [role("1", 0), role("21", PERMISSION.manageGuild), role("22", PERMISSION.administrator), role("23", 0)];

function describeServer(member: Partial<Member> | null, guild: Partial<GuildInfo> | null = {}) {
  const directory = {
    guild: () => (guild ? ({ id: GUILD, ownerId: "39", available: true, ...guild } as GuildInfo) : undefined),
    member: () => (member ? ({ id: SARAH, roles: new Set(), ...member } as Member) : undefined),
    roles: () => ROLES,
  };
  return { directory, clock: { now: () => NOW } };
}

function manages(member: Partial<Member> | null, guild: Partial<GuildInfo> | null = {}): boolean {
  return managesGuild(SARAH, GUILD, describeServer(member, guild));
}
const holding = (...ids: string[]) => new Set(ids as RoleId[]);

describe("managing a server", () => {
  it("takes a role with Manage Server, being an administrator, or owning it", () => {
    expect(manages({ roles: holding("21") })).toBe(true);
    expect(manages({ roles: holding("22") })).toBe(true);
    expect(manages({}, { ownerId: SARAH })).toBe(true);
    expect(manages({ roles: holding("23") })).toBe(false);
    expect(manages({})).toBe(false);
  });

  it("is nobody's who is not a known member, has not passed the screening, or whose server cannot be reached", () => {
    const roles = holding("21");
    expect(manages(null)).toBe(false);
    expect(manages({ roles, pending: true })).toBe(false);
    expect(manages({ roles }, { available: false })).toBe(false);
    expect(manages({ roles }, null)).toBe(false);
  });

  it("is suspended during a timeout, except for administrators", () => {
    expect(manages({ roles: holding("21"), timedOutUntil: NOW + 1 })).toBe(false);
    expect(manages({ roles: holding("21"), timedOutUntil: NOW })).toBe(true);
    expect(manages({ roles: holding("22"), timedOutUntil: NOW + 1 })).toBe(true);
  });
});

describe("deciding for a server", () => {
  const rules = rulesSchema.parse({ roles: [{ guild: GUILD, role: "23", scopes: ["memory:admin"] }] });
  const decides = (member: Partial<Member> | null) =>
    mayDecideFor(SARAH, { guildId: GUILD, scope: "memory:admin" }, { rules, ...describeServer(member) });

  it("takes Manage Server, or a role for which a rule names the scope", () => {
    expect(decides({ roles: holding("21") })).toBe(true);
    expect(decides({ roles: holding("23") })).toBe(true);
    expect(decides({})).toBe(false);
    expect(decides(null)).toBe(false);
  });

  it("is nobody's by a role who is timed out or has not passed the screening", () => {
    expect(decides({ roles: holding("23"), timedOutUntil: NOW + 1 })).toBe(false);
    expect(decides({ roles: holding("23"), timedOutUntil: NOW })).toBe(true);
    expect(decides({ roles: holding("23"), pending: true })).toBe(false);
    expect(decides({ roles: holding("21"), timedOutUntil: NOW + 1 })).toBe(false);
    expect(decides({ roles: holding("22"), timedOutUntil: NOW + 1 })).toBe(true);
  });
});
