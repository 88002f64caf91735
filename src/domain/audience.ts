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

/** The people who can read a place, or with whom something is shared. */
export type Audience =
  | GuildAudience
  /** Only as a source: as a destination it counts as unknown. */
  | MembersAudience
  /** The people in a direct message or of an ephemeral answer. */
  | { readonly kind: "people"; readonly people: ReadonlySet<UserId> }
  /** A webhook, a group, or anything unknown, which the whole world may read. */
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
  /** A person, or every person with exactly these roles, can view the destination and cannot read the source. */
  | ({ readonly kind: "somebody" } & Witness);

/**
 * Whether content of the source may be disclosed at the destination: only if everyone who can view the destination can read the source.
 * Strict on both sides: the destination reaches all who can view it live, the source is known only to those who can read its history. This
 * also holds within one channel: people who can view it without reading its history know only live messages, and only those may be repeated
 * to them (`isLive`).
 */
export function flows(source: Audience, destination: Audience): boolean {
  return barrier(source, destination) === null;
}

/** The audience as a source of live messages only. */
export function asLive(audience: Audience): Audience {
  return audience.kind === "guild" ? { ...audience, isLive: true } : audience;
}

/** The reason why content may not flow from source to destination; null if it may. */
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

/** Whether everyone can read back what they can view, as in most channels: the server allows it, and no overwrite of the channel denies
 * it. */
function isReadByAll({ guild, channel }: PermissionPlace): boolean {
  const isVoice = channel.kind === "voice" || channel.kind === "stage";
  const needed = PERMISSION.readMessageHistory | (isVoice ? PERMISSION.connect : 0);
  const everyone = guild.roles.get(guild.id as string as RoleId)?.permissions ?? 0;
  return (everyone & needed) === needed && channel.overwrites.every(({ deny }) => (deny & needed) === 0);
}

/** A private thread with unknown members counts as its parent, because its members can all view that. */
function knownPart(audience: GuildAudience): GuildAudience {
  return hasUnknownMembers(audience.place) ? { ...audience, place: { ...audience.place, thread: null } } : audience;
}

/**
 * Finds a person who can view the destination and cannot read the source. Mostly roles alone prove that there is none: no rule names a
 * single person except the owner, who can read everything.
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

/** A witness among all possible members. Without a member list, any member may be pending if the server screens its members. */
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
 * Everyone who can view a place, except the readers of `except`. Yields nothing if the member list is incomplete. First members grouped by
 * their roles, then those with personal rules.
 */
export function* listViewers(audience: GuildAudience, except: GuildSource | null): Generator<Viewers, undefined> {
  const { place, membersByRoles } = audience;
  if (!membersByRoles) return;
  const named = namedMembers(audience, except);
  const seen = membersByRoles.bits(place, "sees");
  // Pending matters only for what is shared with all members.
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

/** The index of the next set, from `from` on, whose bit is set in `bits` and not in `without`; -1 for none. */
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
  /** Counts only pending or only passed members; null for both. */
  readonly pending: boolean | null;
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

/** Members with personal rules: the owner, those with overwrites of their own, members of a private thread. */
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

/** A private thread whose members Discord has not listed. */
export function hasUnknownMembers({ thread }: PermissionPlace): boolean {
  return thread?.kind === "private_thread" && !thread.thread?.members;
}

function isSameSet(a: ReadonlySet<RoleId>, b: ReadonlySet<RoleId>): boolean {
  return a.size === b.size && a.isSubsetOf(b);
}

/** The audience that a fact is meant for: a person, the members of a server, or the readers of a channel. */
export type FactHome =
  | { readonly kind: "person"; readonly id: UserId }
  | { readonly kind: "guild"; readonly id: GuildId }
  | { readonly kind: "channel"; readonly id: ChannelId };

/** One audience to which a fact or record is limited; also the members with a role. */
export type AudienceRef = FactHome | { readonly kind: "role"; readonly guildId: GuildId; readonly id: RoleId };

/** Equal for equal audiences. */
export function toAudienceKey(ref: AudienceRef): string {
  return ref.kind === "role" ? `role:${ref.guildId}/${ref.id}` : `${ref.kind}:${ref.id}`;
}

/** Every audience once, in order of first occurrence. */
export function listAudiences(
  sources: Iterable<{ readonly audiences: readonly AudienceRef[] | null }>,
): readonly AudienceRef[] {
  const refs = new Map<string, AudienceRef>();
  for (const { audiences } of sources) for (const ref of audiences ?? []) refs.set(toAudienceKey(ref), ref);
  return [...refs.values()];
}
