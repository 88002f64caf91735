import type { Channel, Member, Role } from "./guild.ts";
import type { RoleId, UserId } from "./ids.ts";
import { canRead, canView, type Place } from "./permissions.ts";

/** Everybody in a guild, by the set of roles they hold. Each set has a number that it keeps. */
export interface Crowd {
  /** How many sets there are. */
  readonly size: number;
  roles(set: number): ReadonlySet<RoleId>;
  /** How many people hold exactly these roles. */
  people(set: number): number;
  /**
   * A bit for each set, the lowest first: whether somebody of whom only these roles are known sees the place, or reads it. Kept for as long
   * as it stays true.
   */
  bits(place: Place, question: "sees" | "reads"): Uint32Array;
}

/** A channel or thread of a guild, with what is known of the people there. */
export interface GuildSite {
  readonly kind: "guild";
  readonly place: Place;
  /** Undefined for who is not, or not known to be, a member. */
  member(id: UserId): Member | undefined;
  /** Null where the member list is not complete. */
  readonly crowd: Crowd | null;
}

/** Where something was said, or is going to be said. */
export type Site =
  | GuildSite
  /** A direct message, an ephemeral answer: these people and nobody else. */
  | { readonly kind: "people"; readonly people: ReadonlySet<UserId> }
  /** A webhook, a group, anything unknown: anybody may read it, nobody is known to. */
  | { readonly kind: "world" };

/**
 * May what was said at the source be said at the destination? Only if everybody who sees the destination can read the source back. Rounded to
 * the safe side: the destination reaches all who can see it live, the source is known only to those who can read its history.
 */
export function flows(source: Site, destination: Site): boolean {
  if (source.kind === "world" || destination.kind === "world") return false;
  if (destination.kind === "people") return [...destination.people].every((id) => isReader(source, id));
  if (source.kind === "people") return false;
  const [from, to] = [source.place, destination.place];
  if (idOf(from) === idOf(to)) return true;
  // An announcement travels to servers that follow the channel.
  if (to.channel.kind === "announcement" || to.channel.hidden || from.channel.hidden) return false;
  if (isAgeRestricted(from) && !isAgeRestricted(to)) return false;
  if (from.guild.id !== to.guild.id) return false;
  return destination.crowd ? flowsExactly(from, destination, destination.crowd) : flowsForAnyRoles(from, to);
}

/** Whether one person may read the source back. */
function isReader(source: Site, id: UserId): boolean {
  if (source.kind === "people") return source.people.has(id);
  if (source.kind === "world") return false;
  const member = source.member(id);
  return member !== undefined && canRead(source.place, member);
}

/** Over the people there are: first those of whom only their roles matter, then those who are named. */
function flowsExactly(from: Place, { place: to, member: find }: GuildSite, crowd: Crowd): boolean {
  const members = [...namedPeople(from, to)].flatMap((id) => find(id) ?? []).filter(({ bot }) => !bot);
  const seen = crowd.bits(to, "sees");
  const read = crowd.bits(from, "reads");
  for (let word = 0; word < seen.length; word += 1) {
    for (let harmed = (seen[word] ?? 0) & ~(read[word] ?? 0); harmed !== 0; harmed &= harmed - 1) {
      const set = word * 32 + (31 - Math.clz32(harmed & -harmed));
      const people = crowd.people(set);
      if (people > 0 && people > countExactly(members, crowd.roles(set))) return false;
    }
  }
  return members.every((member) => !sees(to, member) || canRead(from, member));
}

function countExactly(members: readonly Member[], roles: ReadonlySet<RoleId>): number {
  return members.filter((member) => isSameSet(member.roles, roles)).length;
}

/**
 * Over everybody there could be, where the list of members is not known. Who holds many roles can do no more harm than some who hold a few:
 * one role that shows the destination, one that hides the source, and for a private thread one more that manages threads.
 */
function flowsForAnyRoles(from: Place, to: Place): boolean {
  const kinds = distinctRoles(from, to);
  const most = to.thread?.kind === "private_thread" ? 3 : 2;
  const named = [...namedPeople(from, to)];
  for (const roles of subsets(kinds, most)) {
    const somebody = nobody(new Set(roles));
    if (sees(to, somebody) && !canRead(from, somebody)) return false;
    for (const id of named) {
      const member = { ...somebody, id };
      if (sees(to, member) && !canRead(from, member)) return false;
    }
  }
  return true;
}

/** Whether somebody sees what is said there. Where a private thread's members are unknown, it counts as its parent. */
export function sees(to: Place, member: Member): boolean {
  const isUnknown = to.thread?.kind === "private_thread" && !to.thread.thread?.members;
  return canView(isUnknown ? { ...to, thread: null } : to, member);
}

/** Those whom a rule names: the owner, members with overwrites of their own, members of a private thread. */
function namedPeople(from: Place, to: Place): Set<UserId> {
  const named = new Set<UserId>([from.guild.ownerId]);
  for (const { channel, thread } of [from, to]) {
    for (const overwrite of channel.overwrites) if (overwrite.target === "member") named.add(overwrite.id as UserId);
    if (thread?.kind === "private_thread") for (const id of thread.thread?.members ?? []) named.add(id);
  }
  return named;
}

/** One role of each kind: roles that grant, allow and deny the same on either side are interchangeable. */
function distinctRoles(from: Place, to: Place): RoleId[] {
  const kinds = new Map<string, RoleId>();
  for (const role of from.guild.roles.values()) {
    if ((role.id as string) !== (from.guild.id as string)) kinds.set(kindOf(role, from, to), role.id);
  }
  return [...kinds.values()];
}

function kindOf(role: Role, from: Place, to: Place): string {
  const effect = ({ overwrites }: Channel) => overwrites.find(({ id, target }) => target === "role" && id === role.id);
  const [source, destination] = [effect(from.channel), effect(to.channel)];
  return [role.permissions, source?.allow, source?.deny, destination?.allow, destination?.deny].join();
}

function* subsets<Item>(items: readonly Item[], most: number, start = 0): Generator<Item[]> {
  yield [];
  if (most === 0) return;
  for (let index = start; index < items.length; index += 1) {
    for (const rest of subsets(items, most - 1, index + 1))
      if (items[index] !== undefined) yield [items[index] as Item, ...rest];
  }
}

/** Somebody of whom only the roles are known. */
export function nobody(roles: ReadonlySet<RoleId>): Member {
  return { id: "" as UserId, name: "", bot: false, roles };
}

function isSameSet(a: ReadonlySet<RoleId>, b: ReadonlySet<RoleId>): boolean {
  return a.size === b.size && a.isSubsetOf(b);
}

function idOf({ thread, channel }: Place): string {
  return (thread ?? channel).id;
}

function isAgeRestricted({ channel }: Place): boolean {
  return channel.ageRestricted;
}
