import fc from "fast-check";
import { expect, it } from "vitest";
import type { Audience, AudienceRef } from "../../src/domain/audience.ts";
import type { ChannelId, GuildId, RoleId, UserId } from "../../src/domain/ids.ts";
import { RECORD_TYPES, type RecordKind, type Source } from "../../src/domain/source.ts";
import { Access, type AccessDeps } from "../../src/gate/call/access.ts";
import type { CallRecord } from "../../src/gate/call/call-record.ts";
import { locateChannel } from "../../src/policy/apply-rules.ts";
import { grantSchema, type ToolFacts } from "../../src/policy/grant.ts";
import type { Operation } from "../../src/policy/operation.ts";
import { rulesSchema } from "../../src/policy/rules.ts";
import { toAudience } from "../../src/sources/kinds/limits.ts";
import { SourceWatch } from "../../src/sources/source-watch.ts";
import type { Tool } from "../../src/tools/define-tool.ts";
import { decideFact, decideRecord } from "../reference/decide-fact.ts";
import { statesOf } from "../support/source-watch-world.ts";

const PEOPLE = ["61", "62", "63"] as UserId[];
const ACTOR = PEOPLE[0] as UserId;
const BOT = "90" as UserId;
const [HOME, OTHER] = ["1", "2"] as GuildId[] as [GuildId, GuildId];
const CHANNELS = ["11", "12", "13"] as ChannelId[];
const ROLE = "21" as RoleId;
const NOW = 5_000_000_000_000;

const people = fc.subarray(PEOPLE);
const withActor = people.map((some) => [...new Set([ACTOR, ...some])]);
const mostly = <Value>(usual: Value, ...rare: Value[]) => fc.constantFrom(usual, usual, usual, usual, ...rare);
const world = fc.record({
  channels: fc.array(
    fc.record({
      isRead: mostly(true, false),
      readers: fc.oneof(withActor, people),
      guildId: mostly<GuildId | null>(HOME, OTHER, null),
    }),
    { minLength: 3, maxLength: 3 },
  ),
  known: fc.subarray(CHANNELS, { minLength: 2 }),
  members: fc.record({ [HOME]: withActor, [OTHER]: withActor }),
  roles: fc.subarray([ROLE]),
  leftOut: fc.subarray(PEOPLE, { maxLength: 1 }),
  factState: mostly<"standing" | "deleted" | "uncertain">("standing", "deleted", "uncertain"),
  recordState: mostly<"standing" | "changed" | "uncertain">("standing", "changed", "uncertain"),
});
type World = typeof world extends fc.Arbitrary<infer One> ? One : never;

const ref: fc.Arbitrary<AudienceRef> = fc.oneof(
  fc.constantFrom(...PEOPLE).map((id) => ({ kind: "person" as const, id })),
  fc.constantFrom(...CHANNELS).map((id) => ({ kind: "channel" as const, id })),
  fc.constantFrom(HOME, OTHER).map((id) => ({ kind: "guild" as const, id })),
);
const limited = {
  subjectId: fc.option(fc.constantFrom(...PEOPLE)),
  guildId: mostly<GuildId | null>(HOME, OTHER, null),
  audiences: fc.option(fc.array(ref, { maxLength: 2 }), { freq: 9 }),
};
const source: fc.Arbitrary<Source<"fact" | RecordKind>> = fc.oneof(
  fc.record(limited).map((one) => ({
    ...{ kind: "fact" as const, factId: "f", version: 1, messages: [], facts: [], authorMarks: [] },
    ...{ expiresAt: null, revision: 1, ...one },
  })),
  fc
    .record({ ...limited, kind: fc.constantFrom("passage" as const, "profile" as const) })
    .map((one) => ({ ref: "r", version: null, ...one, ...(one.kind === "passage" && { subjectId: null }) })),
);
const SCOPES = ["memory:read_self", "memory:read_project", "context:search"] as const;
const request = fc.record({
  rules: fc.record({
    memory: fc.record({ people: mostly("shared", "private", "off"), servers: fc.constant([]) }),
    optOut: fc.record({ channels: mostly<string[]>([], ["12"]) }),
    channels: fc.record({ deny: mostly<string[]>([], ["13"]) }),
    guilds: fc.record({ deny: mostly<string[]>([], [OTHER]) }),
    roles: mostly<object[]>([], [{ guild: HOME, role: ROLE, scopes: ["memory:read_project"] }]),
  }),
  scopes: fc.subarray([...SCOPES], { minLength: 2 }),
  purpose: mostly<Operation["purpose"]>("answer", "summarise", "remember"),
  origin: mostly<GuildId | null>(HOME, OTHER, null),
  destination: fc.option(fc.constantFrom(...CHANNELS), { freq: 3 }),
  isOver: mostly(false, true),
});
type Asked = typeof request extends fc.Arbitrary<infer One> ? One : never;

const TOOL: ToolFacts = { name: "memory.search", scope: "memory:read_self", toolset: "memory" };
const toPeople = (ids: readonly UserId[] = []): Audience => ({ kind: "people", people: new Set(ids) });

function toDirectory({ channels, known, members, roles }: World): AccessDeps["discord"]["directory"] {
  const of = (id: string) => channels[CHANNELS.indexOf(id as ChannelId)];
  return {
    guild: (id: GuildId) => ({ id, available: true }),
    channel: (id: ChannelId) => (known.includes(id) ? { id, guildId: of(id)?.guildId ?? null } : undefined),
    member: (guildId: GuildId, id: UserId) =>
      members[guildId]?.includes(id) ? { id, roles: new Set(roles) } : undefined,
    members: (guildId: GuildId) => toPeople(members[guildId]),
    canRead: (person: UserId, id: ChannelId) => person === BOT && known.includes(id) && of(id)?.isRead === true,
    audience: (id: ChannelId) => (known.includes(id) ? toPeople(of(id)?.readers) : { kind: "world" }),
    lastAudience: () => undefined,
    isDeleted: () => false,
  } as unknown as AccessDeps["discord"]["directory"];
}

function ask(one: Source<"fact" | RecordKind>, of: World, asked: Asked) {
  const directory = toDirectory(of);
  const rules = rulesSchema.parse(asked.rules);
  const grant = grantSchema.parse({ scopes: asked.scopes, guilds: "all", directMessages: true });
  const clock = { now: () => NOW };
  const isLeftOut = (id: UserId) => of.leftOut.includes(id);
  const states = statesOf(
    () => of.factState,
    () => of.recordState,
  );
  const sources = new SourceWatch({ clock, botId: BOT, labelsKeptMs: 0, isLeftOut, ...states });
  const { destination } = asked;
  const operation = {
    ...{ client: { name: "agent", grant }, actor: ACTOR, purpose: asked.purpose, openedAt: NOW - 1_000 },
    origin: { guildId: asked.origin, channelId: "11", messageId: null },
    destination: destination ? { kind: "channel", channelId: destination } : { kind: "actor", channelId: null },
    expiresAt: NOW + (asked.isOver ? -1 : 1),
  } as unknown as Operation;
  const discord = { directory, botId: BOT } as unknown as AccessDeps["discord"];
  const deps: AccessDeps = { discord, rules, sources, clock, lookups: { charge: () => true } };
  const call = { operation, tool: TOOL as Tool, forId: null, record: {} as CallRecord };
  const access = new Access(call, deps);
  const refs = one.audiences ?? undefined;
  const question = {
    ...{ tool: TOOL, grant, rules, purpose: asked.purpose, actor: ACTOR, subject: one.subjectId, guildId: one.guildId },
    originGuildId: asked.origin,
    roles: one.guildId === null ? undefined : directory.member(one.guildId, ACTOR)?.roles,
    places: (refs ?? []).flatMap((each) => (each.kind === "channel" ? [locateChannel(directory, each.id)] : [])),
    audiences: refs?.map((each) => toAudience(each, directory, BOT)),
    ...{ readers: access.readers, isConsented: true, isOpen: !asked.isOver, state: "standing" as const },
  };
  const before =
    one.kind === "fact" ? decideFact(question) : decideRecord({ ...question, type: RECORD_TYPES[one.kind] });
  return { now: access.mayHear(one), before: before.allowed };
}

/** What the callers of the earlier deciders looked at by themselves, or not at all. */
function isNamedDifference(one: Source<"fact" | RecordKind>, of: World): boolean {
  const hasLeft = (guildId: GuildId | null) =>
    guildId !== null && one.subjectId !== null && of.members[guildId]?.includes(one.subjectId) !== true;
  if (hasLeft(one.guildId)) return true;
  if (one.kind === "fact") return of.factState !== "standing";
  // A record is told for as long as its person is in every server of those who may hear it.
  const there = (one.audiences ?? []).map((each) =>
    each.kind === "guild"
      ? each.id
      : each.kind === "channel" && of.known.includes(each.id)
        ? (of.channels[CHANNELS.indexOf(each.id)]?.guildId ?? null)
        : null,
  );
  const isLeftOut = one.subjectId !== null && of.leftOut.includes(one.subjectId);
  return isLeftOut || of.recordState !== "standing" || there.some(hasLeft);
}

it("what may be heard could be heard by the earlier deciders as well, and what they allowed besides is named", () => {
  const met = { both: 0, neither: 0, named: 0 };
  fc.assert(
    fc.property(source, world, request, (one, of, asked) => {
      const { now, before } = ask(one, of, asked);
      if (now) expect(before).toBe(true);
      if (before && !now) expect(isNamedDifference(one, of)).toBe(true);
      if (before && !isNamedDifference(one, of)) expect(now).toBe(true);
      met[now ? "both" : before ? "named" : "neither"] += 1;
    }),
    { numRuns: 10_000 },
  );
  expect(Math.min(...Object.values(met))).toBeGreaterThan(50);
});
