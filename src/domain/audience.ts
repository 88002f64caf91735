import type { Member } from "./guild.ts";
import type { RoleId, UserId } from "./ids.ts";
import { canRead, canView, type PermissionPlace } from "./permissions.ts";
import { findWitness, type Witness } from "./role-algebra.ts";

/** The members of a guild, grouped by the set of roles they hold. The number of a set never changes. */
export interface MembersByRoles {
  /** The number of sets. */
  readonly size: number;
  roles(set: number): ReadonlySet<RoleId>;
  /** The number of people who hold exactly these roles. */
  people(set: number): number;
  /** The number of bots who do. */
  bots(set: number): number;
  /**
   * One bit for each set, the lowest first: whether a member with exactly these roles and no overwrites of their own can view the place, or
   * read its history. Cached until the rules change.
   */
  bits(place: PermissionPlace, question: "sees" | "reads"): Uint32Array;
}

/** The audience of a channel or thread, as far as the members are known. */
export interface GuildAudience {
  readonly kind: "guild";
  readonly place: PermissionPlace;
  /** Undefined for anybody who is not known to be a member. */
  member(id: UserId): Member | undefined;
  /** Known for certain to be a bot. Does not depend on whose messages happened to arrive recently. */
  isBot(id: UserId): boolean;
  /** Null if the member list is not complete. */
  readonly membersByRoles: MembersByRoles | null;
  /** Whether bots count as part of an audience. The operator decides. */
  readonly countsBots: boolean;
}

/** Those who can read a place in which something was said or will be said. */
export type Audience =
  | GuildAudience
  /** A direct message or an ephemeral answer: these people and nobody else. */
  | { readonly kind: "people"; readonly people: ReadonlySet<UserId> }
  /** A webhook, a group, anything unknown: anybody may read it. */
  | { readonly kind: "world" };

/** Why content of the source may not be disclosed at the destination. */
export type Barrier =
  /** Another server, a private conversation, or a place whose audience is unknown. */
  | { readonly kind: "elsewhere" }
  /** Either place is hidden from the bot. */
  | { readonly kind: "hidden" }
  /** Messages in an announcement channel are copied to the servers that follow it. */
  | { readonly kind: "announcement" }
  | { readonly kind: "age_restricted" }
  /** The source is a private thread whose members are unknown. */
  | { readonly kind: "unknown_members" }
  /** Somebody can view the destination and cannot read the source: a person, or anybody with exactly these roles. */
  | ({ readonly kind: "somebody" } & Witness);

/**
 * Whether content of the source may be disclosed at the destination: only if everybody who can view the destination can read the source.
 * Strict on both sides: the destination reaches all who can view it live, the source is known only to those who can read its history.
 */
export function flows(source: Audience, destination: Audience): boolean {
  return barrier(source, destination) === null;
}

/** Why content may not flow from source to destination; null when it may. */
export function barrier(source: Audience, destination: Audience): Barrier | null {
  if (source.kind === "world" || destination.kind === "world") return { kind: "elsewhere" };
  const unknown =
    (source.kind === "guild" && unknownRules(source)) || (destination.kind === "guild" && unknownRules(destination));
  if (unknown) return unknown;
  if (destination.kind === "people") return barrierToPeople(source, destination.people);
  return source.kind === "people" ? { kind: "elsewhere" } : barrierBetween(source, destination);
}

/** A barrier if the overwrites of the channel are not known. */
function unknownRules({ place: { channel } }: GuildAudience): Barrier | null {
  if (channel.kind === "other") return { kind: "elsewhere" };
  return channel.hidden ? { kind: "hidden" } : null;
}

type Known = Exclude<Audience, { readonly kind: "world" }>;

/** An empty set counts as unknown people, so nothing flows there. */
function barrierToPeople(source: Known, people: ReadonlySet<UserId>): Barrier | null {
  if (people.size === 0) return { kind: "elsewhere" };
  for (const id of people) {
    const member = source.kind === "guild" ? source.member(id) : undefined;
    const isReader = source.kind === "people" ? source.people.has(id) : member && canRead(source.place, member);
    if (!isReader) return { kind: "somebody", member: id, roles: member?.roles ?? new Set() };
  }
  return null;
}

function barrierBetween(source: GuildAudience, destination: GuildAudience): Barrier | null {
  const { place: from } = source;
  const { place: to } = destination;
  if (from.guild.id !== to.guild.id || to.channel.linkedToLobby) return { kind: "elsewhere" };
  if (idOf(from) === idOf(to)) return null;
  // Only content of the announcement channel itself may be disclosed in its threads.
  if (to.channel.kind === "announcement" && idOf(from) !== to.channel.id) return { kind: "announcement" };
  if (from.channel.ageRestricted && !to.channel.ageRestricted) return { kind: "age_restricted" };
  if (from.thread?.kind === "private_thread" && !from.thread.thread?.members) return { kind: "unknown_members" };
  const witness = destination.membersByRoles
    ? listViewers(destination, from).next().value
    : findWitness(from, to, (id) => !destination.countsBots && destination.isBot(id));
  return witness ? { kind: "somebody", roles: witness.roles, member: witness.member } : null;
}

/** Some viewers of a place: `people` who hold exactly these roles, or one member by id. */
export interface Viewers extends Witness {
  readonly people: number;
}

/**
 * Everybody who can view a place, without those who can read `except`. Yields nothing if the member list is not complete. First members grouped
 * by their roles, then those to whom a rule applies personally.
 */
export function* listViewers(audience: GuildAudience, except: PermissionPlace | null): Generator<Viewers, undefined> {
  const { place, membersByRoles } = audience;
  if (!membersByRoles) return;
  const named = namedMembers(audience, except);
  const seen = membersByRoles.bits(place, "sees");
  const read = except && membersByRoles.bits(except, "reads");
  for (let word = 0; word < seen.length; word += 1) {
    for (let rest = (seen[word] ?? 0) & ~(read?.[word] ?? 0); rest !== 0; rest &= rest - 1) {
      const set = word * 32 + (31 - Math.clz32(rest & -rest));
      const all = membersByRoles.people(set) + (audience.countsBots ? membersByRoles.bots(set) : 0);
      const roles = membersByRoles.roles(set);
      const people = all === 0 ? 0 : all - named.filter((member) => isSameSet(member.roles, roles)).length;
      if (people > 0) yield { people, roles, member: null };
    }
  }
  for (const member of named) {
    if (sees(place, member) && !(except && canRead(except, member)))
      yield { people: 1, roles: member.roles, member: member.id };
  }
}

/** Members to whom a rule applies personally: the owner, those with overwrites of their own, members of a private thread. */
function namedMembers(audience: GuildAudience, other: PermissionPlace | null): Member[] {
  const named = new Set<UserId>([audience.place.guild.ownerId]);
  for (const place of other ? [audience.place, other] : [audience.place]) {
    for (const { target, id } of place.channel.overwrites) if (target === "member") named.add(id as UserId);
    if (place.thread?.kind === "private_thread") for (const id of place.thread.thread?.members ?? []) named.add(id);
  }
  return [...named].flatMap((id) => audience.member(id) ?? []).filter((member) => counts(audience, member));
}

/** An unknown member counts. */
function counts({ countsBots }: GuildAudience, member: Member | undefined): boolean {
  return countsBots || !member?.bot;
}

/** Like `canView`, but a private thread with unknown members counts as its parent. */
function sees(to: PermissionPlace, member: Member): boolean {
  const isUnknown = to.thread?.kind === "private_thread" && !to.thread.thread?.members;
  return canView(isUnknown ? { ...to, thread: null } : to, member);
}

function isSameSet(a: ReadonlySet<RoleId>, b: ReadonlySet<RoleId>): boolean {
  return a.size === b.size && a.isSubsetOf(b);
}

function idOf({ thread, channel }: PermissionPlace): string {
  return (thread ?? channel).id;
}
