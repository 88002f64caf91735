import type { Member } from "./guild.ts";
import { type GuildAudience, type GuildSource, isReader, type MembersByRoles, placeToRead } from "./guild-audience.ts";
import type { RoleId, UserId } from "./ids.ts";
import { canView, type PermissionPlace } from "./permissions.ts";
import type { Witness } from "./role-algebra.ts";

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
  // Whether somebody is pending matters only for what is shared with members.
  const groups = except?.kind === "members" ? [false, true] : [null];
  for (const pending of groups) yield* listGroups(audience, membersByRoles, { except, named, pending });
  for (const member of named) {
    if (!sees(place, member) || (except && isReader(except, member))) continue;
    const isPending = except?.kind === "members" && member.pending;
    yield { people: 1, roles: member.roles, member: member.id, ...(isPending && { pending: true }) };
  }
}

interface GroupOptions {
  readonly except: GuildSource | null;
  /** They are not counted. */
  readonly named: readonly Member[];
  /** Only those who are pending, or only the others; null for both. */
  readonly pending: boolean | null;
}

function* listGroups(
  audience: GuildAudience,
  membersByRoles: MembersByRoles,
  { except, named, pending }: GroupOptions,
): Generator<Viewers> {
  const seen = membersByRoles.bits(audience.place, "sees");
  const read = except && membersByRoles.bits(placeToRead(except, pending ?? false), "reads");
  const counted = pending === null ? named : named.filter((member) => (member.pending ?? false) === pending);
  for (let word = 0; word < seen.length; word += 1) {
    for (let rest = (seen[word] ?? 0) & ~(read?.[word] ?? 0); rest !== 0; rest &= rest - 1) {
      const set = word * 32 + (31 - Math.clz32(rest & -rest));
      const all = countMembers(membersByRoles, set, { pending, countsBots: audience.countsBots });
      const roles = membersByRoles.roles(set);
      const people = all === 0 ? 0 : all - counted.filter((member) => isSameSet(member.roles, roles)).length;
      if (people > 0) yield { people, roles, member: null, ...(pending && { pending }) };
    }
  }
}

function countMembers(
  membersByRoles: MembersByRoles,
  set: number,
  { pending, countsBots }: { pending: boolean | null; countsBots: boolean },
): number {
  const all = membersByRoles.people(set) + (countsBots ? membersByRoles.bots(set) : 0);
  if (pending === null || all === 0) return all;
  const pendingOnes = membersByRoles.pendingPeople(set) + (countsBots ? membersByRoles.pendingBots(set) : 0);
  return pending ? pendingOnes : all - pendingOnes;
}

/** Members to whom a rule applies personally: the owner, those with overwrites of their own, members of a private thread. */
function namedMembers(audience: GuildAudience, other: GuildSource | null): Member[] {
  const named = new Set<UserId>([audience.place.guild.ownerId]);
  for (const place of other?.kind === "guild" ? [audience.place, other.place] : [audience.place]) {
    for (const { target, id } of place.channel.overwrites) if (target === "member") named.add(id as UserId);
    if (place.thread?.kind === "private_thread") for (const id of place.thread.thread?.members ?? []) named.add(id);
  }
  return [...named].flatMap((id) => audience.member(id) ?? []).filter((member) => audience.countsBots || !member.bot);
}

/** Like `canView`, but a private thread with unknown members counts as its parent. */
function sees(to: PermissionPlace, member: Member): boolean {
  const isUnknown = to.thread?.kind === "private_thread" && !to.thread.thread?.members;
  return canView(isUnknown ? { ...to, thread: null } : to, member);
}

function isSameSet(a: ReadonlySet<RoleId>, b: ReadonlySet<RoleId>): boolean {
  return a.size === b.size && a.isSubsetOf(b);
}
