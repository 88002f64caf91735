import type { RoleId, UserId } from "./ids.ts";
import { PERMISSION } from "./permission-set.ts";
import type { PermissionPlace } from "./permissions.ts";
import { neededToRead, neededToView } from "./permissions.ts";

/** A member who can view the destination and cannot read the source: by these roles, or by their own overwrites if `member` is set. */
export interface Witness {
  readonly roles: ReadonlySet<RoleId>;
  readonly member: UserId | null;
  /** Cannot read content shared with all members, because they have not passed the membership screening. */
  readonly pending?: true;
}

/** The permissions that decide reading and viewing, in the order of their bits. */
const DECIDING = [
  PERMISSION.administrator,
  PERMISSION.viewChannel,
  PERMISSION.readMessageHistory,
  PERMISSION.connect,
  PERMISSION.manageThreads,
] as const;
const WIDTH = DECIDING.length;
const ADMINISTRATOR = pack(PERMISSION.administrator);
const MANAGE_THREADS = pack(PERMISSION.manageThreads);

/**
 * The effect of a role on a pair of places is one integer: what it grants, what it allows and denies at the source, what it allows and denies
 * at the destination. The effect of several roles is the union of their bits. A member's own overwrites use the same bits, and two more say
 * whether they are in a private thread.
 */
const ALL = (1 << WIDTH) - 1;
const AT_SOURCE = WIDTH;
const AT_DESTINATION = 3 * WIDTH;
const IN_SOURCE = 1 << (5 * WIDTH);
const IN_DESTINATION = 2 << (5 * WIDTH);

/**
 * Looks for a witness among all possible members, for guilds whose member list is unknown. If a witness with many roles exists, so does one with
 * few: one role that shows the destination, one that hides the source, and for a private thread one more that manages threads.
 */
export function findWitness(
  from: PermissionPlace,
  to: PermissionPlace,
  isIgnored: (id: UserId) => boolean,
): Witness | null {
  const { everyone, kinds } = roleKinds(from, to);
  const effects = [...kinds.keys()];
  const ids = [...kinds.values()];
  const isWitness = createWitnessTest(from, to, everyone);

  /** `more` further roles, from index `start` on, that together with `held` make a witness of a member with these overwrites. */
  function addRoles(held: number, own: number, [start, more]: readonly [start: number, more: number]): RoleId[] | null {
    if (more === 0) return isWitness(held, own) ? [] : null;
    for (let index = start; index < effects.length; index += 1) {
      const rest = addRoles(held | (effects[index] ?? 0), own, [index + 1, more - 1]);
      if (rest) return [...ids.slice(index, index + 1), ...rest];
    }
    return null;
  }

  const most = neededToView(to) & PERMISSION.manageThreads ? 3 : 2;
  for (const [own, member] of personKinds(from, to, isIgnored)) {
    for (let count = 0; count <= most; count += 1) {
      const roles = addRoles(0, own, [0, count]);
      if (roles) return { roles: new Set(roles), member };
    }
  }
  return null;
}

/** Creates the test whether a member with these roles and overwrites can view the destination and cannot read the source. */
function createWitnessTest(
  from: PermissionPlace,
  to: PermissionPlace,
  everyone: number,
): (roles: number, own: number) => boolean {
  const [toSee, toRead] = [pack(neededToView(to)), pack(neededToRead(from))];
  const lacks = (side: number, needed: number, [roles, own]: readonly [roles: number, own: number]) => {
    const base = apply((everyone | roles) & ALL, everyone, side);
    return (apply(apply(base, roles, side), own, side) & needed) !== needed;
  };
  return (roles, own) => {
    if ((everyone | roles) & ADMINISTRATOR) return false;
    const [isInside, isInsider] = [own & IN_DESTINATION, own & IN_SOURCE];
    if (lacks(AT_DESTINATION, isInside ? toSee & ~MANAGE_THREADS : toSee, [roles, own])) return false;
    return lacks(AT_SOURCE, isInsider ? toRead & ~MANAGE_THREADS : toRead, [roles, own]);
  };
}

/** Applies overwrites at one side (source or destination). */
function apply(permissions: number, effect: number, side: number): number {
  return (permissions & ~(effect >> (side + WIDTH))) | ((effect >> side) & ALL);
}

/** One role for each effect: roles with the same effect are interchangeable. */
function roleKinds(from: PermissionPlace, to: PermissionPlace): { everyone: number; kinds: Map<number, RoleId> } {
  const overwrites = overwritesOf<RoleId>(from, to, "role");
  const { id: guildId, roles } = from.guild;
  const everyoneId = guildId as string as RoleId;
  const everyone = pack(roles.get(everyoneId)?.permissions ?? 0) | (overwrites.get(everyoneId) ?? 0);
  const kinds = new Map<number, RoleId>();
  // Overwrites may name unknown roles, which members may hold.
  for (const [id, effect] of overwrites) if (id !== everyoneId && !roles.has(id)) kinds.set(effect, id);
  for (const { id, permissions } of roles.values())
    if (id !== everyoneId) kinds.set(pack(permissions) | (overwrites.get(id) ?? 0), id);
  return { everyone, kinds };
}

/** One member for each effect, and null for all members without personal rules. Excludes the owner, who can read everything. */
function personKinds(
  from: PermissionPlace,
  to: PermissionPlace,
  isIgnored: (id: UserId) => boolean,
): Map<number, UserId | null> {
  const named = overwritesOf<UserId>(from, to, "member");
  for (const [place, bit] of [
    [from, IN_SOURCE],
    [to, IN_DESTINATION],
  ] as const)
    for (const id of place.thread?.thread?.members ?? []) named.set(id, (named.get(id) ?? 0) | bit);
  const kinds = new Map<number, UserId | null>([[0, null]]);
  for (const [id, effect] of named)
    if (effect !== 0 && id !== from.guild.ownerId && !isIgnored(id)) kinds.set(effect, id);
  return kinds;
}

/** The allowed and denied permissions of each role or member at both sides. */
function overwritesOf<Id extends RoleId | UserId>(
  from: PermissionPlace,
  to: PermissionPlace,
  wanted: "role" | "member",
): Map<Id, number> {
  const effects = new Map<Id, number>();
  for (const [place, side] of [
    [from, AT_SOURCE],
    [to, AT_DESTINATION],
  ] as const) {
    for (const { id, target, allow, deny } of place.channel.overwrites) {
      if (target !== wanted) continue;
      const effect = (pack(allow) << side) | (pack(deny) << (side + WIDTH));
      effects.set(id as Id, (effects.get(id as Id) ?? 0) | effect);
    }
  }
  return effects;
}

function pack(set: number): number {
  let packed = 0;
  for (let index = 0; index < WIDTH; index += 1) if (set & (DECIDING[index] ?? 0)) packed |= 1 << index;
  return packed;
}
