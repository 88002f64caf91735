import fc from "fast-check";
import { type Grant, OPERATOR_GRANT } from "../../src/policy/grant.ts";
import { type Hearers, isFor, sees } from "./plain-oracle.ts";
import { fileOf, type PlainGuild, type PlainPlace, type PlainWorld, placeOf, placesOf } from "./plain-world.ts";
import { type Names, pick, type Step } from "./random-calls.ts";
import { notableMessages, personId } from "./random-community.ts";
import { type Quota, quotas } from "./random-quota.ts";

/** Who asks where, through which client and under which rules, in numbers. */
export const settings = fc.record({
  actor: fc.nat(5),
  origin: fc.nat(63),
  isPrivate: fc.nat(2).map((value) => value === 0),
  hasMessage: fc.boolean(),
  purpose: fc.nat(15).map((value) => (value === 0 ? "remember" : value < 4 ? "summarise" : "answer")),
  members: fc.constantFrom("listed" as const, "listed" as const, "heard" as const, "asked" as const),
  grant: fc.nat(7),
  rules: fc.nat(14),
  quota: quotas,
  pick: fc.nat(63),
});

type Setting = typeof settings extends fc.Arbitrary<infer Value> ? Value : never;

export interface SceneOptions {
  /** Effects are also aimed at what those who hear the answer cannot read. */
  readonly actsAnywhere?: boolean;
  /** Discord does not answer questions about channels and members. */
  readonly isMute?: boolean;
  /** A server that they may not know of cannot be reached. */
  readonly hasOutages?: boolean;
  /** Somebody is left out, and what they said is not for anybody. `late`: others have read it before, and it was held. */
  readonly optsOut?: boolean | "late";
  /** History is read in the background, and has been whenever somebody asks. */
  readonly readsAhead?: boolean;
  /** The actor alone is answered, but everything is read to be repeated in a channel. */
  readonly worksFor?: boolean;
  /** Members who are not listed are met out of sight: by what they say there, or because others ask on their behalf. */
  readonly hasUnlistedAuthors?: boolean;
}

export interface Scene {
  readonly actor: string;
  readonly origin: PlainPlace;
  readonly messageId: string | null;
  readonly isPrivate: boolean;
  /** Private, but for those who are at the origin. */
  readonly worksFor: boolean;
  readonly purpose: "answer" | "summarise" | "remember";
  readonly members: "listed" | "heard" | "asked";
  readonly grant: Grant;
  readonly rules: Rules;
  readonly optedOut: string | null;
  readonly quota: Quota;
}

interface Rules {
  readonly channels?: { readonly deny: readonly string[] };
  readonly guilds?: { readonly deny: readonly string[] };
  readonly optOut?: { readonly channels?: readonly string[]; readonly people?: readonly string[] };
  readonly limits?: object;
  readonly roles?: readonly RoleRule[];
}

interface RoleRule {
  readonly guild: string;
  readonly role: string;
  readonly scopes: readonly string[];
}

/** Null where the actor sees nothing at all. */
export function sceneOf(
  { world, setting }: { world: PlainWorld; setting: Setting },
  { optsOut, hasOutages, worksFor = false }: SceneOptions,
): Scene | null {
  const actor = personId(setting.actor);
  const all = placesOf(world).filter((place) => sees(place, actor));
  // Who asks by letter asks of all servers at once.
  const letters = all.filter(({ guild }) => !guild);
  const seen = worksFor ? all.filter(({ guild }) => guild) : hasOutages && letters.length > 0 ? letters : all;
  const origin = seen[setting.origin % Math.max(1, seen.length)];
  if (!origin) return null;
  const own = (world.messages.get(origin.id) ?? []).find(({ authorId }) => authorId === actor);
  const people = world.guilds.flatMap(({ members }) => members.map(({ id }) => id)).filter((id) => id !== actor);
  const optedOut = optsOut ? pick(people, setting.pick) : null;
  const { purpose, members, quota } = setting;
  const isPrivate = setting.isPrivate && !worksFor;
  const grant = grantOf(world, hasOutages && !worksFor ? { ...setting, grant: 2 } : setting, origin.id);
  const rules = rulesOf(world, setting, optsOut === "late" ? null : optedOut);
  const messageId = setting.hasMessage ? (own?.id ?? null) : null;
  return { actor, origin, messageId, isPrivate, worksFor, purpose, members, grant, rules, optedOut, quota };
}

function someChannels(world: PlainWorld, setting: Setting): string[] {
  const ids = placesOf(world).flatMap(({ guild, id }) => (guild ? [id] : []));
  return ids.filter((_, index) => (setting.pick + index) % 3 !== 0);
}

function grantOf(world: PlainWorld, setting: Setting, originId: string): Grant {
  return {
    ...OPERATOR_GRANT,
    directMessages: setting.grant !== 1,
    guilds: setting.grant === 2 ? world.guilds.slice(0, 1).map(({ id }) => id as never) : "all",
    channels: setting.grant === 3 ? [...someChannels(world, setting), originId].map((id) => id as never) : "all",
    scopes: setting.grant === 4 ? OPERATOR_GRANT.scopes.filter((_, index) => index !== 1) : OPERATOR_GRANT.scopes,
  };
}

function rulesOf(world: PlainWorld, setting: Setting, optedOut: string | null): Rules {
  const some = someChannels(world, setting).slice(0, 1);
  const optOut = { ...(setting.rules === 3 && { channels: some }), ...(optedOut && { people: [optedOut] }) };
  return {
    optOut,
    ...(setting.rules === 1 && { channels: { deny: some } }),
    ...(setting.rules === 2 && { guilds: { deny: world.guilds.slice(1).map(({ id }) => id) } }),
    ...(setting.rules === 4 && { limits: { scansPerMinute: { actor: 3 } } }),
    ...(setting.rules === 5 && { limits: { callsPerMinute: { actor: 4 } } }),
    ...(setting.rules >= 6 && setting.rules < 10 && { roles: roleRulesOf(world, setting) }),
  };
}

/** Nobody may use anything in the first server; or only what is their own; or whoever holds a role may use everything. */
function roleRulesOf({ guilds: [guild] }: PlainWorld, { rules }: Setting): RoleRule[] {
  if (!guild) return [];
  const everyone = { guild: guild.id, role: "everyone" };
  const role = guild.roles[1]?.id ?? guild.id;
  if (rules === 6) return [{ ...everyone, scopes: [] }];
  if (rules === 7) return [{ ...everyone, scopes: ["context:read_user_recent_self", "directory:read"] }];
  const holders = { guild: guild.id, role, scopes: OPERATOR_GRANT.scopes };
  return rules === 8 ? [holders] : [holders, { ...everyone, scopes: ["context:search", "discord:send"] }];
}

/** Whether the rules for roles leave the actor anything at all in a server. */
function rolesLeave({ roles }: Rules, { id, members }: PlainGuild, actor: string): boolean {
  const there = roles?.filter(({ guild }) => guild === id) ?? [];
  const held = members.find((member) => member.id === actor)?.roles ?? [];
  const isTheirs = ({ role }: RoleRule) => role === "everyone" || held.includes(role);
  return there.length === 0 || there.some((rule) => isTheirs(rule) && rule.scopes.length > 0);
}

/** May those who hear know of a place, or of a server? By our own reckoning, on plain lists. */
export type Visibility = (world: PlainWorld, id: string) => boolean;

export function visibilityOf(scene: Scene, steps: readonly Step[]): Visibility {
  const { actor, origin, grant, rules, purpose } = scene;
  // An answer may become private on the way, and then the actor alone counts.
  const mayNarrow = scene.isPrivate || (!scene.worksFor && steps.some(({ kind }) => kind === 19));
  const isCovered = ({ id, guild, channel }: PlainPlace) => {
    const lineage = [id, channel?.id ?? id];
    const isNamed = (list: readonly string[] | undefined) => lineage.some((one) => list?.includes(one));
    if (!guild) return grant.directMessages;
    if (grant.channels !== "all" && !isNamed(grant.channels)) return false;
    return !isNamed(rules.channels?.deny) && !isNamed(rules.optOut?.channels);
  };
  return (world, id) => {
    const place = placeOf(world, id);
    const guild = place ? place.guild : world.guilds.find((one) => one.id === id);
    const there = placeOf(world, origin.id);
    if (guild === undefined || !there) return false;
    if (guild && (rules.guilds?.deny.includes(guild.id) || !guild.members.some((member) => member.id === actor)))
      return false;
    if (guild && grant.guilds !== "all" && !grant.guilds.includes(guild.id as never)) return false;
    if (!place) return mayNarrow || there.guild === null || there.guild.id === guild?.id;
    if (purpose === "remember" || !isCovered(place) || (guild && !rolesLeave(rules, guild, actor))) return false;
    const hearers: Hearers[] = [
      ...(mayNarrow ? [{ personId: actor, shownIn: origin.id }] : []),
      ...(scene.isPrivate ? [] : [{ place: there }]),
    ];
    return hearers.some((one) => isFor(world, id, { actor, hearers: one }));
  };
}

/** By id, nickname and username. */
const OTHERS = [personId(0), personId(1), "3999", "nick00", "nick01", "nick13", "user3002"];

/** Everything in either world that a call could name, and some things that are in neither. */
export function namesIn(
  worlds: readonly PlainWorld[],
  { scene, isVisible, options }: { scene: Scene; isVisible: Visibility; options: SceneOptions },
): Names {
  const places = worlds.flatMap(placesOf);
  const unique = (ids: readonly string[]) => [...new Set(ids)].sort();
  const isStrange = ({ guild }: PlainPlace) => guild && !guild.members.some(({ id }) => id === scene.actor);
  const isTarget = (place: PlainPlace) => worlds.some((world) => isVisible(world, place.id)) || isStrange(place);
  const targets = options.actsAnywhere ? places : places.filter(isTarget);
  const said = worlds.flatMap(notableMessages);
  const guilds = worlds.flatMap((world) => world.guilds.map(({ id }) => id));
  const seen = places.filter(({ id }) => worlds.some((world) => isVisible(world, id)));
  return {
    // What can be read is named about as often as what cannot.
    channels: [...unique(places.map(({ id }) => id)), ...seen.map(({ id }) => id), scene.origin.id, "4999", "1000"],
    targets: [...unique(targets.map(({ id }) => id)), scene.origin.id, "4999"],
    messages: [...unique(said.map(({ one }) => one.id)), "123", ...(scene.messageId ? [scene.messageId] : [])],
    people: [scene.actor, scene.actor, ...OTHERS],
    guilds: [...unique(guilds), "1999"],
    files: unique(said.filter(({ one }) => one.file).map(({ id, one }) => fileOf(id, one).url)),
  };
}
