import type { Member } from "./guild.ts";
import type { GuildAudience } from "./guild-audience.ts";
import type { RoleId, UserId } from "./ids.ts";
import { canRead, canView, type PermissionPlace } from "./permissions.ts";
import type { Witness } from "./role-algebra.ts";

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
