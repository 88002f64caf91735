import { describe, expect, it } from "vitest";
import type { ChannelId, GuildId, RoleId, UserId } from "../domain/ids.ts";
import { BARRED, type Judgement, YES } from "../sources/judge.ts";
import type { ChannelLocation } from "./apply-rules.ts";
import { type Decision, decideHearing, type HearingInput, hearingScopes, peopleMode } from "./decide.ts";
import { grantSchema } from "./grant.ts";
import { rulesSchema } from "./rules.ts";

const SARAH = "31" as UserId;
const MARK = "32" as UserId;
const HOME = "1" as GuildId;
const OTHER = "2" as GuildId;
const ROLE = "21" as RoleId;
const place = (id: string, guildId: GuildId | null = HOME): ChannelLocation => ({
  channel: { id: id as ChannelId, guildId },
  lineage: [id as ChannelId],
});
const ofProject = { kind: "fact", subjectId: null, guildId: HOME } as const;
const about = (subjectId: UserId) => ({ ...ofProject, subjectId });
const CHANGED: Judgement = { answer: "no", reason: "source_changed" };
const DELETED: Judgement = { answer: "no", reason: "source_deleted" };
const UNCERTAIN: Judgement = { answer: "unknown", reason: "source_uncertain" };
const rules = (more: object = {}) => rulesSchema.parse({ memory: { people: "shared" }, ...more });
const grant = (more: object = {}) =>
  grantSchema.parse({ scopes: ["memory:read_self", "memory:read_project"], guilds: "all", ...more });

/** A project's fact that Sarah asks about in its server, where she and Mark read the answer. */
const allowed: HearingInput = {
  tool: { name: "memory.search", scope: "memory:read_self", toolset: "memory" },
  grant: grant(),
  rules: rules(),
  purpose: "answer",
  actor: SARAH,
  source: ofProject,
  originGuildId: HOME,
  roles: new Set([ROLE]),
  places: [place("11")],
  judged: () => YES,
  isOpen: true,
};
const refusal = (change: Partial<HearingInput>) => {
  const { failed, reason }: Decision = decideHearing({ ...allowed, ...change });
  return `${failed} ${reason}`;
};
const PASSED = "null all_checks_passed";

describe("a decision about a fact", () => {
  it("allows a fact that breaks no rule", () => {
    expect(decideHearing(allowed)).toEqual({ allowed: true, failed: null, reason: "all_checks_passed" });
    expect(refusal({ places: [] })).toBe(PASSED);
    expect(refusal({ source: about(MARK) })).toBe(PASSED);
  });

  it.each<[string, string, Partial<HearingInput>]>([
    ["the tool is not granted", "scope tool_not_granted", { grant: grant({ toolsets: ["discord"] }) }],
    ["its server is not granted", "scope place_not_granted", { grant: grant({ guilds: ["2"] }), places: [] }],
    [
      "its server is switched off",
      "scope place_switched_off",
      { rules: rules({ guilds: { deny: ["1"] } }), places: [] },
    ],
    [
      "one of its channels is switched off",
      "scope place_switched_off",
      { rules: rules({ channels: { deny: ["12"] } }), places: [place("11"), place("12")] },
    ],
    ["one of its channels is unknown", "scope place_unknown", { places: [place("11"), undefined] }],
    [
      "the scope for projects is missing",
      "scope scope_not_granted",
      { grant: grant({ scopes: ["memory:read_self"] }) },
    ],
    [
      "no role of the actor allows it",
      "scope role_lacks_scope",
      { rules: rules({ roles: [{ guild: "1", role: "22", scopes: ["memory:read_project"] }] }) },
    ],
    ["the actor may not know it", "see actor_cannot_read", { judged: () => BARRED }],
    ["it would be remembered elsewhere", "use no_consent", { purpose: "remember" }],
    [
      "one of its channels opted out",
      "use opted_out",
      { rules: rules({ optOut: { channels: ["12"] } }), places: [place("11"), place("12")] },
    ],
    ["it is asked for in another server", "disclose not_for_everyone_there", { originGuildId: OTHER }],
    [
      "some of its readers may not know it",
      "disclose not_for_everyone_there",
      { judged: (by) => (by === "readers" ? BARRED : YES) },
    ],
    ["the operation is over", "valid operation_over", { isOpen: false }],
    ["it is unknown whether the operation is over", "valid operation_over", { isOpen: undefined }],
    ["what it rests on was deleted", "valid source_deleted", { judged: () => DELETED }],
    ["what it rests on was edited", "valid source_changed", { judged: () => CHANGED }],
    ["what it rests on is uncertain", "valid source_uncertain", { judged: () => UNCERTAIN }],
    [
      "only for the actor it is uncertain",
      "valid source_uncertain",
      { judged: (by) => (by === "actor" ? UNCERTAIN : YES) },
    ],
  ])("refuses it when %s", (_, reason, change) => {
    expect(decideHearing({ ...allowed, ...change }).allowed).toBe(false);
    expect(refusal(change)).toBe(reason);
  });

  it("allows a shared fact in a direct message, and a private one in any server", () => {
    expect(refusal({ originGuildId: null })).toBe(PASSED);
    const own = { source: { ...about(SARAH), guildId: null }, places: [] };
    expect(refusal({ ...own, originGuildId: OTHER })).toBe(PASSED);
    expect(refusal({ ...own, grant: grant({ guilds: ["2"] }) })).toBe(PASSED);
    expect(refusal({ ...own, originGuildId: null, rules: rules({ memory: { people: "private" } }) })).toBe(PASSED);
  });

  it("asks no role for a private fact, and of the roles in a server one that allows one granted scope", () => {
    const strict = rules({ roles: [{ guild: "1", role: "21", scopes: ["memory:read_self"] }] });
    const own = { source: { ...about(SARAH), guildId: null }, places: [] };
    expect(refusal({ ...own, roles: undefined, rules: strict })).toBe(PASSED);
    expect(refusal({ source: about(SARAH), rules: strict })).toBe(PASSED);
    expect(refusal({ source: about(SARAH), rules: strict, roles: undefined })).toBe("scope role_lacks_scope");
    expect(refusal({ source: about(MARK), rules: strict })).toBe("scope role_lacks_scope");
  });

  it("keeps facts about people to where servers allow them, and leaves those about projects alone", () => {
    const off = (people: string, servers: object[] = []) => rules({ memory: { people, servers } });
    expect(refusal({ source: about(MARK), rules: off("private") })).toBe("scope place_switched_off");
    expect(refusal({ source: about(MARK), rules: off("off") })).toBe("scope place_switched_off");
    expect(refusal({ source: about(MARK), rules: off("off", [{ guild: "1", people: "shared" }]) })).toBe(PASSED);
    expect(refusal({ rules: off("off") })).toBe(PASSED);
    const own = { source: { ...about(SARAH), guildId: null }, places: [] };
    const here = off("shared", [{ guild: "2", people: "off" }]);
    expect(refusal({ ...own, originGuildId: OTHER, rules: here })).toBe("scope place_switched_off");
    expect(refusal({ ...own, originGuildId: HOME, rules: here })).toBe(PASSED);
  });
});

describe("what a server and a scope allow of facts", () => {
  it("the server's own mode for people counts before the general one", () => {
    const { memory } = rules({ memory: { people: "private", servers: [{ guild: "1", people: "off" }] } });
    const all = { ...rules(), memory };
    expect([peopleMode(all, HOME), peopleMode(all, OTHER), peopleMode(all, null)]).toEqual([
      "off",
      "private",
      "private",
    ]);
  });

  it("one's own shared facts need either scope, those of others the one for projects, and private ones that for oneself", () => {
    const scopes = (subjectId: UserId | null, guildId: GuildId | null) =>
      hearingScopes({ kind: "fact", subjectId, guildId }, SARAH);
    expect(scopes(SARAH, null)).toEqual(["memory:read_self"]);
    expect(scopes(SARAH, HOME)).toEqual(["memory:read_project", "memory:read_self"]);
    expect(scopes(MARK, HOME)).toEqual(["memory:read_project"]);
    expect(scopes(null, HOME)).toEqual(["memory:read_project"]);
  });
});

describe("a decision about a record", () => {
  const docs = { ...ofProject, kind: "passage" } as const;
  const crm = { ...about(MARK), kind: "profile" } as const;
  const search = { name: "search_documents", scope: "context:search", toolset: "memory" } as const;
  const searching = grant({ scopes: ["context:search"] });

  it("asks for the scope of searches for documents, and for that of facts for profiles", () => {
    expect(refusal({ source: docs, tool: search, grant: searching })).toBe(PASSED);
    expect(refusal({ source: docs, tool: search })).toBe("scope scope_not_granted");
    expect(refusal({ source: crm, tool: search, grant: searching })).toBe("scope scope_not_granted");
    expect(refusal({ source: crm })).toBe(PASSED);
  });

  it("asks no server what it allows to be remembered: nothing of a profile is", () => {
    const off = rules({ memory: { people: "off" } });
    expect(refusal({ source: crm, rules: off })).toBe(PASSED);
    expect(refusal({ source: about(MARK), rules: off })).toBe("scope place_switched_off");
  });
});
