import type { Member } from "./guild.ts";
import type { RoleId, UserId } from "./ids.ts";
import { canRead, canView, type PermissionPlace } from "./permissions.ts";
import { findWitness, type Witness } from "./role-algebra.ts";

/** Everybody in a guild, by the set of roles they hold. Each set has a number that it keeps. */
export interface MembersByRoles {
  /** How many sets there are. */
  readonly size: number;
  roles(set: number): ReadonlySet<RoleId>;
  /** How many people hold exactly these roles. */
  people(set: number): number;
  /** How many bots do. */
  bots(set: number): number;
  /**
   * A bit for each set, the lowest first: whether somebody of whom only these roles are known sees the place, or reads it. Kept for as long
   * as it stays true.
   */
  bits(place: PermissionPlace, question: "sees" | "reads"): Uint32Array;
}

/** A channel or thread of a guild, with what is known of the people there. */
export interface GuildAudience {
  readonly kind: "guild";
  readonly place: PermissionPlace;
  /** Undefined for who is not, or not known to be, a member. */
  member(id: UserId): Member | undefined;
  /** Known for certain to be a bot. Does not depend on who happens to have been heard lately. */
  isBot(id: UserId): boolean;
  /** Null where the member list is not complete. */
  readonly membersByRoles: MembersByRoles | null;
  /** An audience is people; the operator may want bots counted among them. */
  readonly countsBots: boolean;
}

/** Where something was said, or is going to be said. */
export type Audience =
  | GuildAudience
  /** A direct message, an ephemeral answer: these people and nobody else. */
  | { readonly kind: "people"; readonly people: ReadonlySet<UserId> }
  /** A webhook, a group, anything unknown: anybody may read it, nobody is known to. */
  | { readonly kind: "world" };

/** Why something may not be said somewhere. */
export type Barrier =
  /** Another server, a private conversation, or a place of which it is not known who reads it. */
  | { readonly kind: "elsewhere" }
  /** Either place is hidden from the bot. */
  | { readonly kind: "hidden" }
  /** What is said in an announcement channel travels to the servers that follow it. */
  | { readonly kind: "announcement" }
  | { readonly kind: "age_restricted" }
  /** The source is a private thread, and who is in it is not known. */
  | { readonly kind: "unknown_members" }
  /** Somebody sees the destination and cannot read the source: a person, or whoever holds just these roles. */
  | ({ readonly kind: "somebody" } & Witness);

/**
 * May what was said at the source be said at the destination? Only if everybody who sees the destination can read the source back. Rounded to
 * the safe side: the destination reaches all who can see it live, the source is known only to those who can read its history.
 */
export function flows(source: Audience, destination: Audience): boolean {
  return barrier(source, destination) === null;
}

/** What stands between source and destination; null when nothing does. */
export function barrier(source: Audience, destination: Audience): Barrier | null {
  if (source.kind === "world" || destination.kind === "world") return { kind: "elsewhere" };
  const unknown =
    (source.kind === "guild" && unknownRules(source)) || (destination.kind === "guild" && unknownRules(destination));
  if (unknown) return unknown;
  if (destination.kind === "people") return barrierToPeople(source, destination.people);
  return source.kind === "people" ? { kind: "elsewhere" } : barrierBetween(source, destination);
}

/** A channel whose rules are not known. */
function unknownRules({ place: { channel } }: GuildAudience): Barrier | null {
  if (channel.kind === "other") return { kind: "elsewhere" };
  return channel.hidden ? { kind: "hidden" } : null;
}

type Known = Exclude<Audience, { readonly kind: "world" }>;

/** Nobody at all is nobody known. */
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
  // A thread below an announcement may speak of the announcement; nothing else may come near.
  if (to.channel.kind === "announcement" && idOf(from) !== to.channel.id) return { kind: "announcement" };
  if (from.channel.ageRestricted && !to.channel.ageRestricted) return { kind: "age_restricted" };
  if (from.thread?.kind === "private_thread" && !from.thread.thread?.members) return { kind: "unknown_members" };
  const witness = destination.membersByRoles
    ? listViewers(destination, from).next().value
    : findWitness(from, to, (id) => !destination.countsBots && destination.isBot(id));
  return witness ? { kind: "somebody", roles: witness.roles, member: witness.member } : null;
}

/** Some of those who see a place: so many who hold just these roles, or one by name. */
export interface Viewers extends Witness {
  readonly people: number;
}

/**
 * All who see a place, as far as the list of members tells; without those who can read another, if one is given. First those of whom only their
 * roles matter, then those whom a rule names.
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

/** Members whom a rule names: the owner, those with overwrites of their own, those in a private thread. */
function namedMembers(audience: GuildAudience, other: PermissionPlace | null): Member[] {
  const named = new Set<UserId>([audience.place.guild.ownerId]);
  for (const place of other ? [audience.place, other] : [audience.place]) {
    for (const { target, id } of place.channel.overwrites) if (target === "member") named.add(id as UserId);
    if (place.thread?.kind === "private_thread") for (const id of place.thread.thread?.members ?? []) named.add(id);
  }
  return [...named].flatMap((id) => audience.member(id) ?? []).filter((member) => counts(audience, member));
}

/** Who is not known counts. */
function counts({ countsBots }: GuildAudience, member: Member | undefined): boolean {
  return countsBots || !member?.bot;
}

/** Whether somebody sees what is said there. Where a private thread's members are unknown, it counts as its parent. */
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
