import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Channel } from "../domain/guild.ts";
import type { ChannelId, GuildId, RoleId } from "../domain/ids.ts";
import { BARRED, type Judgement, YES } from "../sources/judge.ts";
import { type Decision, type DecisionInput, decide, refuseTool } from "./decide.ts";
import { explainRefusal, explainToolRefusal } from "./explain-refusal.ts";
import { grantSchema, SCOPES, type Scope } from "./grant.ts";
import { rulesSchema } from "./rules.ts";

const GUILDS = ["1", "2"] as GuildId[];
const CHANNELS = ["11", "12", "13", "14"] as ChannelId[];
const ROLES = ["21", "22"] as RoleId[];

const some = <Item>(items: readonly Item[]) => fc.subarray([...items]);
const maybe = fc.option(fc.boolean(), { nil: undefined, freq: 8 });
const allOr = <Item>(items: readonly Item[]) => fc.oneof({ weight: 3, arbitrary: fc.constant("all") }, some(items));
const mostScopes = fc.oneof({ weight: 3, arbitrary: fc.constant([...SCOPES]) }, some(SCOPES));
const JUDGEMENTS: readonly Judgement[] = [
  BARRED,
  { answer: "no", reason: "source_deleted" },
  { answer: "no", reason: "source_changed" },
  { answer: "unknown", reason: "source_uncertain" },
];

const question: fc.Arbitrary<DecisionInput> = fc
  .record({
    effect: fc.constantFrom("read", "read", "speak", "react"),
    tool: fc.record({
      name: fc.constantFrom("discord.send", "discord.search.window", "search_messages"),
      scope: fc.constantFrom<Scope>("context:read_channel_recent", "context:search", "discord:send"),
      toolset: fc.constantFrom("discord", "search"),
    }),
    grant: fc
      .record({
        scopes: mostScopes,
        guilds: allOr(GUILDS),
        channels: allOr(CHANNELS),
        directMessages: fc.boolean(),
        toolsets: fc.option(some(["discord", "search", "discord.send", "search_messages"]), {
          nil: undefined,
          freq: 3,
        }),
      })
      .map((grant) => grantSchema.parse(JSON.parse(JSON.stringify(grant)))),
    rules: fc
      .record({
        searchTools: fc.boolean(),
        directMessages: fc.boolean(),
        toolsets: fc.option(some(["discord", "search"]), { nil: undefined, freq: 3 }),
        guilds: fc.record({ allow: allOr(GUILDS), deny: fc.oneof(fc.constant([]), some(GUILDS)) }),
        channels: fc.record({ allow: allOr(CHANNELS), deny: fc.oneof(fc.constant([]), some(CHANNELS)) }),
        roles: fc.array(
          fc.record({
            guild: fc.constantFrom(...GUILDS),
            role: fc.constantFrom("everyone" as const, ...ROLES),
            scopes: mostScopes,
          }),
          { maxLength: 2 },
        ),
        optOut: fc.record({ channels: fc.oneof(fc.constant([]), some(CHANNELS)) }),
      })
      .map((rules) => rulesSchema.parse(JSON.parse(JSON.stringify(rules)))),
    purpose: fc.constantFrom("answer", "answer", "summarise", "remember"),
    target: fc.option(
      fc.record({
        channel: fc
          .record({ id: fc.constantFrom(...CHANNELS), guildId: fc.constantFrom(...GUILDS, ...GUILDS, null) })
          .map((channel) => channel as Channel),
        lineage: fc.constant([]),
      }),
      { nil: undefined, freq: 12 },
    ),
    parents: some(CHANNELS),
    origin: fc.constantFrom(...CHANNELS),
    roles: fc.option(
      some(ROLES).map((roles) => new Set(roles)),
      { nil: undefined, freq: 5 },
    ),
    actorReads: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, maybe),
    actorMay: fc.oneof({ weight: 2, arbitrary: fc.constant(true) }, maybe),
    botReads: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, maybe),
    judged: fc.oneof(
      { weight: 4, arbitrary: fc.constant(() => YES) },
      { weight: 3, arbitrary: fc.constantFrom(...JUDGEMENTS).map((judgement) => () => judgement) },
    ),
    isNameable: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, maybe),
    destination: fc.option(fc.constantFrom(...CHANNELS)),
    isOwnClient: fc.boolean(),
    isOpen: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, maybe),
  })
  .map(({ parents, target, ...rest }) => ({
    ...rest,
    target: target && { ...target, lineage: [target.channel.id, ...parents.slice(0, 2)] },
  }));

/** The rules once more, each by itself and in words of the plain data. Every one that is broken is listed. */
function brokenRules(one: DecisionInput): string[] {
  const broken: string[] = [];
  const rule = (check: string, reason: string, holds: boolean) => void (holds || broken.push(`${check} ${reason}`));
  const { tool, grant, rules, target } = one;
  const listed = (list: readonly string[] | undefined) =>
    !list || list.includes(tool.name) || list.includes(tool.toolset) || list.includes(tool.name.split(".")[0] ?? "");
  rule("scope", "tool_not_granted", listed(grant.toolsets));
  rule("scope", "tool_switched_off", listed(rules.toolsets) && (rules.searchTools || tool.toolset === "discord"));
  const isRecent = tool.scope === "context:read_channel_recent";
  const has = (scope: Scope) => grant.scopes.includes(scope);
  rule("scope", "scope_not_granted", has(tool.scope) || (isRecent && has("context:read_current_thread")));
  rule("scope", "place_unknown", target !== undefined);
  const guild = target?.channel.guildId ?? null;
  const within = (list: "all" | readonly string[]) =>
    list === "all" || [...new Set(target?.lineage)].filter((id) => list.includes(id)).length > 0;
  const inGuild = (list: "all" | readonly string[]) => list === "all" || (guild !== null && list.includes(guild));
  const isGranted = guild === null ? grant.directMessages : inGuild(grant.guilds) && within(grant.channels);
  rule("scope", "place_not_granted", isGranted);
  const isOn =
    guild === null
      ? rules.directMessages
      : inGuild(rules.guilds.allow) &&
        !rules.guilds.deny.includes(guild) &&
        within(rules.channels.allow) &&
        !within(rules.channels.deny);
  rule("scope", "place_switched_off", isOn);
  const usable = [tool.scope, ...(isRecent && target?.channel.id === one.origin ? ["context:read_current_thread"] : [])]
    .map((scope) => scope as Scope)
    .filter(has);
  rule("scope", "scope_not_granted", usable.length > 0);
  const entries = rules.roles.filter((entry) => entry.guild === guild);
  const mine = entries.filter(({ role }) => one.roles && (role === "everyone" || one.roles.has(role)));
  const allowed = new Set(mine.flatMap(({ scopes }) => scopes));
  rule("scope", "role_lacks_scope", entries.length === 0 || usable.some((scope) => allowed.has(scope)));
  rule("see", "actor_cannot_read", one.actorReads === true);
  rule("see", "bot_cannot_read", one.botReads === true);
  rule("see", "actor_cannot_speak", one.effect !== "speak" || one.actorMay === true);
  rule("see", "actor_cannot_react", one.effect !== "react" || one.actorMay === true);
  if (one.effect === "read") {
    rule("use", "opted_out", !within(rules.optOut.channels));
    rule("use", "no_consent", one.purpose !== "remember");
    const isThere = target?.channel.id === one.destination;
    rule("disclose", "dm_elsewhere", guild !== null || isThere || one.isOwnClient === true);
  }
  if (one.effect !== "read") rule("disclose", "not_to_be_named_there", one.isNameable === true);
  const judged = one.judged();
  rule("disclose", "not_for_everyone_there", judged.reason !== "not_for_everyone_there");
  rule("valid", "operation_over", one.isOpen === true);
  rule("valid", judged.reason ?? "", judged.answer === "yes" || judged.reason === "not_for_everyone_there");
  return broken;
}

describe("decide", () => {
  it("allows only what breaks no rule, and names the first broken rule", () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(question, (one) => {
        const decision = decide(one);
        const [first] = brokenRules(one);
        expect(decision).toEqual(toDecision(first));
        seen.set(decision.reason, (seen.get(decision.reason) ?? 0) + 1);
      }),
      { numRuns: 10_000 },
    );
    // Every outcome was met, so none of the rules went untested.
    expect([...seen.keys()].sort()).toEqual(
      [
        "actor_cannot_react",
        "actor_cannot_read",
        "actor_cannot_speak",
        "all_checks_passed",
        "bot_cannot_read",
        "dm_elsewhere",
        "no_consent",
        "not_for_everyone_there",
        "not_to_be_named_there",
        "operation_over",
        "opted_out",
        "place_not_granted",
        "place_switched_off",
        "place_unknown",
        "role_lacks_scope",
        "scope_not_granted",
        "source_changed",
        "source_deleted",
        "source_uncertain",
        "tool_not_granted",
        "tool_switched_off",
      ].sort(),
    );
  });

  it("never turns a refusal into permission when less is granted or known", () => {
    const unknown = {
      actorReads: undefined,
      botReads: undefined,
      judged: () => BARRED,
      isOwnClient: false,
    };
    const less: readonly ((one: DecisionInput) => DecisionInput)[] = [
      (one) => ({ ...one, grant: { ...one.grant, scopes: one.grant.scopes.slice(1) } }),
      (one) => ({ ...one, grant: { ...one.grant, guilds: [] } }),
      (one) => ({ ...one, rules: { ...one.rules, searchTools: false } }),
      (one) => ({ ...one, rules: { ...one.rules, directMessages: false } }),
      (one) => ({ ...one, rules: { ...one.rules, guilds: { ...one.rules.guilds, deny: [...GUILDS] } } }),
      ...Object.entries(unknown).map(([key, value]) => (one: DecisionInput) => ({ ...one, [key]: value })),
    ];
    fc.assert(
      fc.property(question, fc.constantFrom(...less), (one, narrow) => {
        fc.pre(!decide(one).allowed);
        expect(decide(narrow(one)).allowed).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });

  it("refuses a tool that may not be used at all even without knowing the place", () => {
    fc.assert(
      fc.property(question, (one) => {
        const refusal = refuseTool(one);
        if (refusal !== null) expect(decide(one)).toMatchObject({ failed: "scope", reason: refusal });
        else expect(decide({ ...one, target: undefined }).reason).toBe("place_unknown");
      }),
    );
  });
});

function toDecision(broken: string | undefined): Decision {
  const [failed, reason] = broken?.split(" ") ?? [];
  if (!failed) return { allowed: true, failed: null, reason: "all_checks_passed" };
  return { allowed: false, failed, reason } as Decision;
}

describe("the error for a refusal", () => {
  type Reason = Extract<Decision, { allowed: false }>["reason"];
  const explain = (reason: Reason, isReadingTool: boolean) =>
    explainRefusal({ allowed: false, failed: "scope", reason }, isReadingTool);

  it.each<[Reason, string, RegExp]>([
    ["actor_cannot_speak", "forbidden", /^The person asking may not speak in that channel\.$/],
    ["actor_cannot_react", "forbidden", /^The person asking may not react in that channel\.$/],
    ["source_deleted", "forbidden", /^Something that was read for this has been deleted; start a new request\.$/],
    ["source_changed", "forbidden", /^Something that was read for this has been edited; start a new request\.$/],
    [
      "source_uncertain",
      "unavailable",
      /^What was read for this cannot be checked: .* try again, or start a new request\.$/,
    ],
    ["operation_over", "not_found", /^There is no such operation, or it has expired\.$/],
  ])("says what is wrong where that tells of no channel: %s", (reason, code, message) => {
    for (const isReadingTool of [true, false]) {
      expect(explain(reason, isReadingTool)).toMatchObject({ code, message: expect.stringMatching(message) });
    }
  });

  it.each<Reason>(["not_for_everyone_there", "dm_elsewhere"])(
    "tells only a tool that sends that the audience may not know what was read: %s",
    (reason) => {
      expect(explain(reason, true)).toBeNull();
      const message = "What was read for this is not for everyone there; answer in a more private place.";
      expect(explain(reason, false)).toMatchObject({ code: "forbidden", message });
    },
  );

  it.each<Reason>(["place_unknown", "place_not_granted", "actor_cannot_read", "bot_cannot_read", "opted_out"])(
    "makes a channel look absent that may not be known: %s",
    (reason) => {
      expect(explain(reason, true)).toBeNull();
      expect(explain(reason, false)).toBeNull();
    },
  );
});

describe("the error for a tool that may not be used", () => {
  const tool = { name: "search_messages", scope: "context:search", toolset: "search" } as const;

  it.each([
    [
      "dms_not_granted",
      "This client may not read direct messages with search_messages; its grant lacks `directMessages`.",
    ],
    ["tool_not_granted", "This client may not use search_messages; its grant does not list it."],
    ["tool_switched_off", "search_messages is switched off here by the operator."],
    ["scope_not_granted", "This client may not use search_messages; its grant lacks the scope context:search."],
    ["role_lacks_scope", "No role of the person asking allows search_messages here."],
  ] as const)("names the tool and who could allow it: %s", (refusal, message) => {
    expect(explainToolRefusal(tool, refusal)).toMatchObject({ code: "forbidden", message });
  });
});
