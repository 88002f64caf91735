import { type Audience, listViewers } from "./audience.ts";
import { type GuildAudience, placeToRead } from "./guild-audience.ts";
import { canView, type PermissionPlace } from "./permissions.ts";

/** Those at a destination who would learn something that they cannot read where it was said. */
export interface Learners {
  /** Null while the member list is not complete. */
  readonly people: number | null;
  /** Changes when anybody else becomes one of them, or when the rules that decide it change. */
  readonly mark: string;
}

export function findLearners(source: Audience, destination: GuildAudience): Learners {
  const { membersByRoles, place, member, countsBots } = destination;
  const except = source.kind === "guild" || source.kind === "members" ? source : null;
  const rules = JSON.stringify([except && listRules(placeToRead(except, false)), listRules(place)]);
  if (!membersByRoles) return { people: null, mark: rules };
  const bits = membersByRoles.bits(place, "sees").slice();
  // Of those who hold the same roles, some may be pending: then roles alone do not say who may know what is shared with members.
  const readers = except?.kind === "guild" ? membersByRoles.bits(except.place, "reads") : null;
  for (const [word, known] of readers?.entries() ?? []) bits[word] = (bits[word] ?? 0) & ~known;
  const viewers = [...listViewers(destination, except)];
  let people = viewers.reduce((sum, one) => sum + one.people, 0);
  // Those in a private conversation know what was said there.
  for (const id of source.kind === "people" ? source.people : []) {
    const there = member(id);
    if (there && canView(place, there) && (countsBots || !there.bot)) people -= 1;
  }
  const named = viewers.flatMap((one) => one.member ?? []).sort();
  return { people, mark: JSON.stringify([rules, membersByRoles.mark(bits), named]) };
}

/** Everything that decides who may view or read a place, but for who holds which roles. */
function listRules({ guild, channel, thread }: PermissionPlace): unknown {
  const roles = [...guild.roles.values()].map(({ id, permissions }) => [id, permissions]);
  const members = thread?.thread?.members;
  return [
    guild.ownerId,
    roles,
    channel.id,
    channel.overwrites,
    thread?.id ?? null,
    members ? [...members].sort() : null,
  ];
}
