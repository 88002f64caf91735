import type { Member } from "./guild.ts";
import {
  type GuildAudience,
  type GuildSource,
  isReader,
  type MembersAudience,
  type MembersByRoles,
  placeToRead,
} from "./guild-audience.ts";
import type { ChannelId, GuildId, RoleId, UserId } from "./ids.ts";
import { PERMISSION } from "./permission-set.ts";
import { canView, type PermissionPlace } from "./permissions.ts";
import { findWitness, type Witness } from "./role-algebra.ts";

/** Those who can read a place in which something was said or will be said, or with whom something is shared. */
export type Audience =
  | GuildAudience
  /** Only a source: as a destination it counts as unknown. */
  | MembersAudience
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
 * Strict on both sides: the destination reaches all who can view it live, the source is known only to those who can read its history. The same
 * place is no exception: who can view it without reading its history knows only what is being said there now, which may be repeated (`isLive`).
 */
export function flows(source: Audience, destination: Audience): boolean {
  return barrier(source, destination) === null;
}

/** The audience as a source of nothing but what is being said there now. */
export function asLive(audience: Audience): Audience {
  return audience.kind === "guild" ? { ...audience, isLive: true } : audience;
}

/** Why content may not flow from source to destination; null when it may. */
export function barrier(source: Audience, destination: Audience): Barrier | null {
  if (source.kind === "world" || destination.kind === "world" || destination.kind === "members")
    return { kind: "elsewhere" };
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

/** An empty set counts as unknown people, so nothing flows there. */
function barrierToPeople(
  source: GuildSource | Extract<Audience, { readonly kind: "people" }>,
  people: ReadonlySet<UserId>,
): Barrier | null {
  if (people.size === 0) return { kind: "elsewhere" };
  for (const id of people) {
    const member = source.kind === "people" ? undefined : source.member(id);
    const mayKnow = source.kind === "people" ? source.people.has(id) : member && isReader(source, member);
    if (mayKnow) continue;
    const isPending = source.kind === "members" && member?.pending;
    return { kind: "somebody", member: id, roles: member?.roles ?? new Set(), ...(isPending && { pending: true }) };
  }
  return null;
}

function barrierBetween(source: GuildSource, destination: GuildAudience): Barrier | null {
  const from = source.kind === "guild" ? source.place : source.places.passed;
  const { place: to } = destination;
  if (from.guild.id !== to.guild.id || to.channel.linkedToLobby) return { kind: "elsewhere" };
  const isSame = source.kind === "guild" && idOf(from) === idOf(to);
  if (isSame && (source.isLive || isReadByAll(to))) return null;
  if (!isSame) {
    // Only content of the announcement channel itself may be disclosed in its threads.
    if (to.channel.kind === "announcement" && idOf(from) !== to.channel.id) return { kind: "announcement" };
    if (from.channel.ageRestricted && !to.channel.ageRestricted) return { kind: "age_restricted" };
    if (hasUnknownMembers(from)) return { kind: "unknown_members" };
  }
  const known = isSame ? knownPart(source) : source;
  const witness = destination.membersByRoles
    ? findViewer(destination, known, destination.membersByRoles)
    : findPossibleWitness(known, destination);
  if (!witness) return null;
  const { roles, member, pending } = witness;
  return { kind: "somebody", roles, member, ...(pending && { pending }) };
}

/** Whether everybody may read back what they can view, as in most channels: the server allows it, and no rule of the channel takes it away. */
function isReadByAll({ guild, channel }: PermissionPlace): boolean {
  const isVoice = channel.kind === "voice" || channel.kind === "stage";
  const needed = PERMISSION.readMessageHistory | (isVoice ? PERMISSION.connect : 0);
  const everyone = guild.roles.get(guild.id as string as RoleId)?.permissions ?? 0;
  return (everyone & needed) === needed && channel.overwrites.every(({ deny }) => (deny & needed) === 0);
}

/** Of a private thread with unknown members, its parent: the members are among those who can view that. */
function knownPart(audience: GuildAudience): GuildAudience {
  return hasUnknownMembers(audience.place) ? { ...audience, place: { ...audience.place, thread: null } } : audience;
}

/**
 * Somebody who can view the destination and cannot read the source. Mostly there is nobody, and roles alone say so: no rule is about a single person but
 * the owner, who can read everything.
 */
function findViewer(
  destination: GuildAudience,
  source: GuildSource,
  membersByRoles: MembersByRoles,
): Viewers | undefined {
  if (source.kind === "guild" && !hasPersonalRules(source.place) && !hasPersonalRules(destination.place)) {
    const seen = membersByRoles.bits(destination.place, "sees");
    if (nextSet(seen, membersByRoles.bits(source.place, "reads"), 0) < 0) return undefined;
  }
  return listViewers(destination, source).next().value;
}

function hasPersonalRules({ channel, thread }: PermissionPlace): boolean {
  if (thread?.kind === "private_thread") return true;
  for (const { target } of channel.overwrites) if (target === "member") return true;
  return false;
}

/** A witness among all possible members. Without a member list, anybody may be pending where the server screens its members. */
function findPossibleWitness(source: GuildSource, destination: GuildAudience): Witness | null {
  const isIgnored = (id: UserId) => !destination.countsBots && destination.isBot(id);
  const find = (isPending: boolean) => findWitness(placeToRead(source, isPending), destination.place, isIgnored);
  const witness = find(false);
  if (witness || source.kind === "guild" || !source.hasScreening) return witness;
  const pending = find(true);
  return pending && { ...pending, pending: true };
}

function idOf({ thread, channel }: PermissionPlace): string {
  return (thread ?? channel).id;
}

/** Some viewers of a place: `people` who hold exactly these roles, or one member by id. */
export interface Viewers extends Witness {
  readonly people: number;
}

/**
 * Everybody who can view a place, without the readers of `except`. Yields nothing if the member list is not complete. First members grouped by
 * their roles, then those to whom a rule applies personally.
 */
export function* listViewers(audience: GuildAudience, except: GuildSource | null): Generator<Viewers, undefined> {
  const { place, membersByRoles } = audience;
  if (!membersByRoles) return;
  const named = namedMembers(audience, except);
  const seen = membersByRoles.bits(place, "sees");
  // Whether somebody is pending matters only for what is shared with members.
  for (const pending of except?.kind === "members" ? [false, true] : [null]) {
    const read = except && membersByRoles.bits(placeToRead(except, pending === true), "reads");
    for (let set = nextSet(seen, read, 0); set >= 0; set = nextSet(seen, read, set + 1)) {
      const people = countMembers(audience, membersByRoles, { set, pending, named });
      if (people > 0) yield { people, roles: membersByRoles.roles(set), member: null, ...(pending && { pending }) };
    }
  }
  for (const member of named) {
    if (!sees(place, member) || (except && isReader(except, member))) continue;
    const isPending = except?.kind === "members" && member.pending;
    yield { people: 1, roles: member.roles, member: member.id, ...(isPending && { pending: true }) };
  }
}

/** The number of the first set, from one on, of which the bit is set in the former and not in the latter; -1 for none. */
function nextSet(bits: Uint32Array, without: Uint32Array | null, from: number): number {
  let mask = -1 << (from & 31);
  for (let word = from >>> 5; word < bits.length; word += 1) {
    const rest = (bits[word] ?? 0) & ~(without?.[word] ?? 0) & mask;
    if (rest !== 0) return word * 32 + (31 - Math.clz32(rest & -rest));
    mask = -1;
  }
  return -1;
}

interface Group {
  readonly set: number;
  /** Only those who are pending, or only the others; null for both. */
  readonly pending: boolean | null;
  /** They are not counted. */
  readonly named: readonly Member[];
}

function countMembers(
  { countsBots }: GuildAudience,
  membersByRoles: MembersByRoles,
  { set, pending, named }: Group,
): number {
  let people = membersByRoles.people(set) + (countsBots ? membersByRoles.bots(set) : 0);
  if (pending !== null) {
    const pendingOnes = membersByRoles.pendingPeople(set) + (countsBots ? membersByRoles.pendingBots(set) : 0);
    people = pending ? pendingOnes : people - pendingOnes;
  }
  const roles = membersByRoles.roles(set);
  for (const member of named)
    if ((pending === null || (member.pending === true) === pending) && isSameSet(member.roles, roles)) people -= 1;
  return people;
}

/** Members to whom a rule applies personally: the owner, those with overwrites of their own, members of a private thread. */
function namedMembers(audience: GuildAudience, other: GuildSource | null): Member[] {
  const named = new Set<UserId>([audience.place.guild.ownerId]);
  for (const place of other?.kind === "guild" ? [audience.place, other.place] : [audience.place]) {
    for (const { target, id } of place.channel.overwrites) if (target === "member") named.add(id as UserId);
    if (place.thread?.kind === "private_thread") for (const id of place.thread.thread?.members ?? []) named.add(id);
  }
  const members: Member[] = [];
  for (const id of named) {
    const member = audience.member(id);
    if (member && (audience.countsBots || !member.bot)) members.push(member);
  }
  return members;
}

/** Like `canView`, but a private thread with unknown members counts as its parent. */
function sees(to: PermissionPlace, member: Member): boolean {
  return canView(hasUnknownMembers(to) ? { ...to, thread: null } : to, member);
}

/** Whether it is a private thread of which nobody has said who is in it. */
export function hasUnknownMembers({ thread }: PermissionPlace): boolean {
  return thread?.kind === "private_thread" && !thread.thread?.members;
}

function isSameSet(a: ReadonlySet<RoleId>, b: ReadonlySet<RoleId>): boolean {
  return a.size === b.size && a.isSubsetOf(b);
}

/** For whom a fact is meant: a person, the members of a server, or those who can read a channel. */
export type FactHome =
  | { readonly kind: "person"; readonly id: UserId }
  | { readonly kind: "guild"; readonly id: GuildId }
  | { readonly kind: "channel"; readonly id: ChannelId };

/** One of those to whom a fact or a record is limited; also the members of a server who have a role. */
export type AudienceRef = FactHome | { readonly kind: "role"; readonly guildId: GuildId; readonly id: RoleId };

/** Equal for equal ones. */
export function toAudienceKey(ref: AudienceRef): string {
  return ref.kind === "role" ? `role:${ref.guildId}/${ref.id}` : `${ref.kind}:${ref.id}`;
}

/** Each once, in the order in which they first come. */
export function listAudiences(
  sources: Iterable<{ readonly audiences: readonly AudienceRef[] | null }>,
): readonly AudienceRef[] {
  const refs = new Map<string, AudienceRef>();
  for (const { audiences } of sources) for (const ref of audiences ?? []) refs.set(toAudienceKey(ref), ref);
  return [...refs.values()];
}
