import { describe, expect, it } from "vitest";
import type { Audience } from "../domain/audience.ts";
import type { ChannelId, GuildId, RoleId, UserId } from "../domain/ids.ts";
import type { ChannelLocation } from "./apply-rules.ts";
import type { Decision } from "./decide.ts";
import {
  decideFact,
  decideRecord,
  type FactDecisionInput,
  factScopes,
  peopleMode,
  type RecordDecisionInput,
} from "./decide-fact.ts";
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
const people = (...ids: UserId[]): Audience => ({ kind: "people", people: new Set(ids) });
const rules = (more: object = {}) => rulesSchema.parse({ memory: { people: "shared" }, ...more });
const grant = (more: object = {}) =>
  grantSchema.parse({ scopes: ["memory:read_self", "memory:read_project"], guilds: "all", ...more });

/** A project's fact that Sarah asks about in its server, where she and Mark read the answer. */
const allowed: FactDecisionInput = {
  tool: { name: "memory.search", scope: "memory:read_self", toolset: "memory" },
  grant: grant(),
  rules: rules(),
  purpose: "answer",
  actor: SARAH,
  subject: null,
  guildId: HOME,
  originGuildId: HOME,
  roles: new Set([ROLE]),
  places: [place("11")],
  isConsented: true,
  audiences: [people(SARAH, MARK)],
  readers: [people(SARAH, MARK)],
  isOpen: true,
  state: "standing",
};
const refusal = (change: Partial<FactDecisionInput>) => {
  const { failed, reason }: Decision = decideFact({ ...allowed, ...change });
  return `${failed} ${reason}`;
};
const PASSED = "null all_checks_passed";

describe("a decision about a fact", () => {
  it("allows a fact that breaks no rule", () => {
    expect(decideFact(allowed)).toEqual({ allowed: true, failed: null, reason: "all_checks_passed" });
    expect(refusal({ places: [] })).toBe(PASSED);
    expect(refusal({ subject: MARK })).toBe(PASSED);
    expect(refusal({ audiences: [people(SARAH, MARK), people(MARK, SARAH)] })).toBe(PASSED);
  });

  it.each<[string, string, Partial<FactDecisionInput>]>([
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
    ["the actor is not in its audience", "see actor_cannot_read", { audiences: [people(SARAH), people(MARK)] }],
    ["its audience is unknown", "see actor_cannot_read", { audiences: undefined }],
    ["it has no audience", "see actor_cannot_read", { audiences: [] }],
    ["it would be remembered elsewhere", "use no_consent", { purpose: "remember" }],
    ["somebody concerned is left out", "use opted_out", { isConsented: false }],
    ["consent is unknown", "use opted_out", { isConsented: undefined }],
    [
      "one of its channels opted out",
      "use opted_out",
      { rules: rules({ optOut: { channels: ["12"] } }), places: [place("11"), place("12")] },
    ],
    ["it is asked for in another server", "disclose not_for_everyone_there", { originGuildId: OTHER }],
    ["its readers are unknown", "disclose not_for_everyone_there", { readers: undefined }],
    ["it has no readers", "disclose not_for_everyone_there", { readers: [] }],
    [
      "some of its readers may not hear it",
      "disclose not_for_everyone_there",
      { readers: [people(SARAH), people(SARAH, "33" as UserId)] },
    ],
    [
      "one reader is not in its audience",
      "disclose not_for_everyone_there",
      { audiences: [people(SARAH, MARK), people(SARAH)] },
    ],
    ["the operation is over", "valid operation_over", { isOpen: false }],
    ["it is unknown whether the operation is over", "valid operation_over", { isOpen: undefined }],
    ["what it rests on was deleted", "valid source_deleted", { state: "deleted" }],
    ["what it rests on was edited", "valid source_changed", { state: "changed" }],
    ["what it rests on is uncertain", "valid source_uncertain", { state: "uncertain" }],
    ["what it rests on is unknown", "valid source_uncertain", { state: undefined }],
  ])("refuses it when %s", (_, reason, change) => {
    expect(decideFact({ ...allowed, ...change }).allowed).toBe(false);
    expect(refusal(change)).toBe(reason);
  });

  it("allows a shared fact in a direct message, and a private one in any server", () => {
    expect(refusal({ originGuildId: null })).toBe(PASSED);
    const own = { subject: SARAH, guildId: null, places: [], audiences: [people(SARAH)], readers: [people(SARAH)] };
    expect(refusal({ ...own, originGuildId: OTHER })).toBe(PASSED);
    expect(refusal({ ...own, grant: grant({ guilds: ["2"] }) })).toBe(PASSED);
    expect(refusal({ ...own, originGuildId: null, rules: rules({ memory: { people: "private" } }) })).toBe(PASSED);
  });

  it("asks no role for a private fact, and of the roles in a server one that allows one granted scope", () => {
    const strict = rules({ roles: [{ guild: "1", role: "21", scopes: ["memory:read_self"] }] });
    const own = { subject: SARAH, guildId: null, places: [], audiences: [people(SARAH)], readers: [people(SARAH)] };
    expect(refusal({ ...own, roles: undefined, rules: strict })).toBe(PASSED);
    expect(refusal({ subject: SARAH, rules: strict })).toBe(PASSED);
    expect(refusal({ subject: SARAH, rules: strict, roles: undefined })).toBe("scope role_lacks_scope");
    expect(refusal({ subject: MARK, rules: strict })).toBe("scope role_lacks_scope");
  });

  it("keeps facts about people to where servers allow them, and leaves those about projects alone", () => {
    const off = (people: string, servers: object[] = []) => rules({ memory: { people, servers } });
    const about = { subject: MARK };
    expect(refusal({ ...about, rules: off("private") })).toBe("scope place_switched_off");
    expect(refusal({ ...about, rules: off("off") })).toBe("scope place_switched_off");
    expect(refusal({ ...about, rules: off("off", [{ guild: "1", people: "shared" }]) })).toBe(PASSED);
    expect(refusal({ rules: off("off") })).toBe(PASSED);
    const own = { subject: SARAH, guildId: null, places: [], audiences: [people(SARAH)], readers: [people(SARAH)] };
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
    const scopes = (subject: UserId | null, guildId: GuildId | null) => factScopes({ actor: SARAH, subject, guildId });
    expect(scopes(SARAH, null)).toEqual(["memory:read_self"]);
    expect(scopes(SARAH, HOME)).toEqual(["memory:read_project", "memory:read_self"]);
    expect(scopes(MARK, HOME)).toEqual(["memory:read_project"]);
    expect(scopes(null, HOME)).toEqual(["memory:read_project"]);
  });
});

describe("a decision about a record", () => {
  const record: RecordDecisionInput = {
    ...{ ...allowed, type: "docs", grant: grant({ scopes: ["context:search"] }) },
    tool: { name: "search_documents", scope: "context:search", toolset: "memory" },
  };
  const outcome = (change: Partial<RecordDecisionInput>) => {
    const { failed, reason } = decideRecord({ ...record, ...change });
    return `${failed} ${reason}`;
  };

  it("asks for the scope of searches for documents, and for that of facts for profiles", () => {
    expect(outcome({})).toBe(PASSED);
    expect(outcome({ grant: grant() })).toBe("scope scope_not_granted");
    expect(outcome({ type: "crm" })).toBe("scope scope_not_granted");
    expect(outcome({ type: "crm", tool: allowed.tool, grant: grant() })).toBe(PASSED);
  });

  it.each<[string, string, Partial<RecordDecisionInput>]>([
    ["the actor is not among its audience", "see actor_cannot_read", { audiences: [people(MARK)] }],
    ["somebody there is not", "disclose not_for_everyone_there", { audiences: [people(SARAH)] }],
    ["it is shared in another server", "disclose not_for_everyone_there", { originGuildId: "2" as GuildId }],
    ["its channel is opted out", "use opted_out", { rules: rules({ optOut: { channels: ["11"] } }) }],
    ["it was rewritten", "valid source_changed", { state: "changed" }],
  ])("refuses one when %s", (_, reason, change) => {
    expect(outcome(change)).toBe(reason);
  });
});
