import type { Member } from "./guild.ts";
import type { RoleId, UserId } from "./ids.ts";
import type { PermissionPlace } from "./permissions.ts";

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
