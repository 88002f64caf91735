import { describe, expect, it } from "vitest";
import type { Channel } from "../domain/guild.ts";
import type { ChannelId, GuildId, RoleId } from "../domain/ids.ts";
import { locateChannel, namesTool, neededScopes, refuseGuild, refusePlace, rolesAllow } from "./apply-rules.ts";
import { grantSchema, OPERATOR_GRANT, SCOPES, type Scope } from "./grant.ts";
import { rulesSchema } from "./rules.ts";

const channel = (id: string, parentId: string | null, guildId: string | null = "1"): Channel =>
  ({ id, parentId, guildId }) as Channel;
const known = new Map(
  [channel("9", null), channel("11", "9"), channel("12", "11"), channel("13", null), channel("14", null, null)].map(
    (one) => [one.id as string, one],
  ),
);
const where = (id: string) => locateChannel({ channel: (wanted) => known.get(wanted) }, id as ChannelId);

const leavesOpen = (rules: ReturnType<typeof rulesSchema.parse>, place: ReturnType<typeof where>) =>
  refusePlace({ grant: OPERATOR_GRANT, rules }, place) === null;
const covers = (grant: ReturnType<typeof grantSchema.parse>, place: ReturnType<typeof where>) =>
  refusePlace({ grant, rules: rulesSchema.parse({}) }, place) === null;

describe("locating a channel", () => {
  it("fails for a thread whose parent channel is unknown, because lists may name the parent", () => {
    const thread = { ...channel("30", "31"), thread: {} } as Channel;
    const find = (known: Channel[]) =>
      locateChannel({ channel: (id) => known.find((one) => one.id === id) }, "30" as ChannelId)?.lineage;
    expect(find([thread])).toBeUndefined();
    expect(find([{ ...thread, parentId: null }])).toBeUndefined();
    expect(find([thread, channel("31", "9")])).toEqual(["30", "31", "9"]);
  });

  it("returns the thread, its channel and the category", () => {
    expect(where("12")?.lineage).toEqual(["12", "11", "9"]);
    expect(where("13")?.lineage).toEqual(["13"]);
    expect(where("99")).toBeUndefined();
  });

  it("includes a parent that is itself unknown", () => {
    const orphan = locateChannel(
      { channel: (id) => (id === "20" ? channel("20", "21") : undefined) },
      "20" as ChannelId,
    );
    expect(orphan?.lineage).toEqual(["20", "21"]);
  });

  it("ends even when channels contain each other", () => {
    const circle = locateChannel({ channel: (id) => channel(id, id === "1" ? "2" : "1") }, "1" as ChannelId);
    expect(circle?.lineage).toHaveLength(3);
  });
});

describe("the operator's rules", () => {
  it("leave every channel open by default", () => {
    const rules = rulesSchema.parse({});
    for (const id of ["9", "11", "12", "13", "14"]) expect(leavesOpen(rules, where(id))).toBe(true);
    expect(leavesOpen(rules, undefined)).toBe(false);
  });

  it("close a denied channel and everything in it, even when it is also allowed", () => {
    const rules = rulesSchema.parse({ channels: { allow: ["12", "13"], deny: ["9"] } });
    expect(["11", "12", "13"].map((id) => leavesOpen(rules, where(id)))).toEqual([false, false, true]);
  });

  it("close everything that is not on an allow list", () => {
    const rules = rulesSchema.parse({ guilds: { allow: ["2"] } });
    expect(leavesOpen(rules, where("11"))).toBe(false);
    expect(leavesOpen(rulesSchema.parse({ guilds: { deny: ["1"] } }), where("11"))).toBe(false);
    expect(leavesOpen(rulesSchema.parse({ directMessages: false }), where("14"))).toBe(false);
    expect(leavesOpen(rulesSchema.parse({ directMessages: false }), where("11"))).toBe(true);
  });

  it("give scopes to roles in the servers they name, and leave other servers alone", () => {
    const rules = rulesSchema.parse({
      roles: [
        { guild: "1", role: "21", scopes: ["context:search"] },
        { guild: "1", role: "everyone", scopes: ["directory:read"] },
      ],
    });
    const may = (guild: string | null, roles: string[] | undefined, scope: "context:search" | "directory:read") =>
      rolesAllow(rules, {
        guildId: guild as GuildId | null,
        roles: roles && new Set(roles as RoleId[]),
        scope,
      });
    expect(may("1", ["21"], "context:search")).toBe(true);
    expect(may("1", ["22"], "context:search")).toBe(false);
    expect(may("1", [], "directory:read")).toBe(true);
    expect(may("1", undefined, "directory:read")).toBe(false);
    expect(may("2", undefined, "context:search")).toBe(true);
    expect(may(null, undefined, "context:search")).toBe(true);
  });

  it("parse switches from environment strings, and reject unknown values and fields", () => {
    expect(rulesSchema.parse({ searchTools: "false" }).searchTools).toBe(false);
    expect(rulesSchema.parse({ searchTools: "1" }).searchTools).toBe(true);
    for (const wrong of [{ searchTools: "perhaps" }, { colour: 1 }, { roles: [{ guild: "1", role: "x", scopes: [] }] }])
      expect(rulesSchema.safeParse(wrong).success).toBe(false);
    for (const wrong of [0, -1, 1.5, Number.POSITIVE_INFINITY])
      expect(rulesSchema.safeParse({ limits: { callsPerMinute: { actor: wrong } } }).success).toBe(false);
  });
});

describe("a server", () => {
  it("is covered only when the grant's list and both of the operator's lists permit it", () => {
    const refuse = (grant: object, rules: object) =>
      refuseGuild({ grant: grantSchema.parse(grant), rules: rulesSchema.parse(rules) }, "1" as GuildId);
    expect(refuse({ guilds: "all" }, {})).toBeNull();
    expect(refuse({ guilds: ["1"] }, { guilds: { allow: ["1"] } })).toBeNull();
    expect(refuse({ guilds: ["2"] }, {})).toBe("place_not_granted");
    expect(refuse({}, {})).toBe("place_not_granted");
    expect(refuse({ guilds: "all" }, { guilds: { allow: ["2"] } })).toBe("place_switched_off");
    expect(refuse({ guilds: "all" }, { guilds: { allow: ["1"], deny: ["1"] } })).toBe("place_switched_off");
  });
});

describe("a grant", () => {
  it("covers nothing by default", () => {
    const grant = grantSchema.parse({});
    for (const id of ["9", "11", "12", "13", "14"]) expect(covers(grant, where(id))).toBe(false);
    expect(covers(OPERATOR_GRANT, undefined)).toBe(false);
    expect(grant).toMatchObject({ scopes: [], actors: [], mentions: false, confirm: false, events: "addressed" });
  });

  it("covers a channel with its threads, and a category with its channels", () => {
    const grant = grantSchema.parse({ guilds: "all", channels: ["11"] });
    expect(["9", "11", "12", "13", "14"].map((id) => covers(grant, where(id)))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
    expect(covers(grantSchema.parse({ guilds: ["1"], channels: ["9"] }), where("12"))).toBe(true);
    expect(covers(grantSchema.parse({ guilds: ["2"], channels: ["9"] }), where("12"))).toBe(false);
    expect(covers(grantSchema.parse({ directMessages: true }), where("14"))).toBe(true);
  });

  it("with confirm may have no scopes and no actors", () => {
    expect(grantSchema.safeParse({ confirm: true }).success).toBe(true);
    expect(grantSchema.safeParse({ confirm: true, scopes: ["discord:send"] }).success).toBe(false);
    expect(grantSchema.safeParse({ confirm: true, actors: ["1"] }).success).toBe(false);
    expect(grantSchema.safeParse({ confirm: true, actors: "anyone" }).success).toBe(false);
    expect(grantSchema.safeParse({ confirm: false, scopes: ["discord:send"] }).success).toBe(true);
  });

  it("cannot be confined and receive all events", () => {
    expect(grantSchema.safeParse({ confined: true, events: "all" }).success).toBe(false);
    expect(grantSchema.safeParse({ confined: true, events: "addressed" }).success).toBe(true);
    expect(grantSchema.safeParse({ confined: false, events: "all" }).success).toBe(true);
    expect(grantSchema.safeParse({ confined: true, events: "all" }).error?.issues[0]?.message).toContain("confined");
    expect(grantSchema.safeParse({ confirm: true, actors: ["1"] }).error?.issues[0]?.message).toContain("confirm");
  });

  it("can list a tool by its name, a prefix of its name, or its toolset", () => {
    const tool = { name: "discord.search.window", scope: "context:search", toolset: "search" } as const;
    for (const name of ["discord", "discord.search", "discord.search.window", "search"])
      expect(namesTool([name], tool)).toBe(true);
    for (const name of ["disc", "discord.search.win", "memory", ""]) expect(namesTool([name], tool)).toBe(false);
    expect(namesTool([], tool)).toBe(false);
    expect(namesTool(undefined, tool)).toBe(true);
  });

  it("accepts a narrower scope in the channel of the request, and only there", () => {
    expect(neededScopes("context:read_channel_recent", true)).toEqual([
      "context:read_channel_recent",
      "context:read_current_thread",
    ]);
    expect(neededScopes("context:read_channel_recent", false)).toEqual(["context:read_channel_recent"]);
    expect(neededScopes("discord:send", true)).toEqual(["discord:send"]);
    for (const isHere of [true, false])
      expect(neededScopes("context:read_user_recent_any", isHere)).toEqual([
        "context:read_user_recent_any",
        "context:read_user_recent_self",
      ]);
  });
});

describe("what is remembered for others", () => {
  const guildId = "1" as GuildId;
  const roles = new Set(["21" as RoleId]);
  const allows = (scope: Scope, holder: Partial<Parameters<typeof rolesAllow>[1]>, list: object[] = []) =>
    rolesAllow(rulesSchema.parse({ roles: list }), { guildId, roles, ...holder, scope });

  it("is decided by whoever manages the server, without a rule", () => {
    expect(allows("memory:write_project", { manages: true })).toBe(true);
    expect(allows("memory:write_project", { manages: false })).toBe(false);
    expect(allows("memory:write_project", {})).toBe(false);
    expect(allows("memory:write_project", { manages: true, roles: undefined })).toBe(false);
    const others = [{ guild: "1", role: "22", scopes: ["memory:write_project"] }];
    expect(allows("memory:write_project", { manages: true }, others)).toBe(true);
  });

  it("is decided by a role that a rule names for it", () => {
    const named = [{ guild: "1", role: "21", scopes: ["memory:write_project", "memory:admin"] }];
    expect(allows("memory:write_project", {}, named)).toBe(true);
    expect(allows("memory:admin", {}, named)).toBe(true);
    expect(allows("memory:write_project", { roles: new Set() }, named)).toBe(false);
  });

  it("is the only thing, besides administering memory, that nobody may do by default", () => {
    expect(SCOPES.filter((scope) => !allows(scope, {}))).toEqual(["memory:write_project", "memory:admin"]);
    const managed = SCOPES.filter((scope) => !allows(scope, { manages: true }));
    expect(managed).toEqual([]);
  });

  it("does not make a manager hold what a rule reserves for a role", () => {
    const reserved = [{ guild: "1", role: "22", scopes: ["context:search"] }];
    expect(allows("context:search", { manages: true }, reserved)).toBe(false);
  });

  it("can be read or written of oneself with the narrower scope", () => {
    expect(neededScopes("memory:read_project", false)).toEqual(["memory:read_project", "memory:read_self"]);
    expect(neededScopes("memory:write_project", false)).toEqual(["memory:write_project", "memory:write_self"]);
  });
});
