import type { Channel, GuildRules, Member, Overwrite } from "./guild.ts";
import type { ChannelId, RoleId, UserId } from "./ids.ts";
import { NO_PERMISSIONS, PERMISSION, type PermissionSet } from "./permission-set.ts";
import { canRead, type PermissionPlace } from "./permissions.ts";

/** The members of a guild, grouped by the set of roles they hold. The number of a set never changes. */
export interface MembersByRoles {
  /** The number of sets. */
  readonly size: number;
  roles(set: number): ReadonlySet<RoleId>;
  /** The number of people who hold exactly these roles. */
  people(set: number): number;
  /** The number of bots with exactly these roles. */
  bots(set: number): number;
  /** The number of pending people among them. */
  pendingPeople(set: number): number;
  /** The number of pending bots among them. */
  pendingBots(set: number): number;
  /**
   * One bit for each set, the lowest first: whether a member with exactly these roles and no overwrites of their own can view the place, or
   * read its history. Cached until the rules change.
   */
  bits(place: PermissionPlace, question: "sees" | "reads"): Uint32Array;
  /** A text that changes when the members of one of the sets in `bits` change. */
  mark(bits: Uint32Array): string;
}

/** The audience of a channel or thread, as far as the members are known. */
export interface GuildAudience {
  readonly kind: "guild";
  readonly place: PermissionPlace;
  /** Undefined for a person who is not known to be a member. */
  member(id: UserId): Member | undefined;
  /** Certainly a bot. Does not depend on whose messages happened to arrive recently. */
  isBot(id: UserId): boolean;
  /** Null if the member list is not complete. */
  readonly membersByRoles: MembersByRoles | null;
  /** Whether bots count as part of an audience. The operator decides. */
  readonly countsBots: boolean;
  /** As a source: only live messages, which everyone who can view the place sees. */
  readonly isLive?: true;
}

/**
 * The members of a server, or of a role in it, as the readers of what is shared with all of them. Owner and administrators always count;
 * other pending members do not.
 */
export interface MembersAudience {
  readonly kind: "members";
  readonly guild: GuildRules;
  /** Null for every member. */
  readonly role: RoleId | null;
  readonly places: MembersPlaces;
  /** Whether members can be pending. True if unknown. */
  readonly hasScreening: boolean;
  /** Undefined for a person who is not known to be a member. */
  member(id: UserId): Member | undefined;
}

/** Places that a member must be able to read to be a reader: for members who passed the membership screening, and for pending ones. */
export interface MembersPlaces {
  readonly passed: PermissionPlace;
  readonly pending: PermissionPlace;
}

/** A source whose readers are members of one server. */
export type GuildSource = GuildAudience | MembersAudience;

export function isReader(source: GuildSource, member: Member): boolean {
  return canRead(placeToRead(source, member.pending ?? false), member);
}

/** The place that a member must be able to read to be a reader of the source. */
export function placeToRead(source: GuildSource, isPending: boolean): PermissionPlace {
  if (source.kind === "guild") return source.place;
  return isPending ? source.places.pending : source.places.passed;
}

/**
 * Channels that exactly these members can read, so that the rules for channels decide. Pending members can read theirs only as owner or
 * administrators, whatever their roles: Discord lets them have some (https://github.com/discord/discord-api-docs/issues/6175).
 */
export function toMembersPlaces(guild: GuildRules, role: RoleId | null): MembersPlaces {
  const everyone = guild.id as string as RoleId;
  const toPlace = (...overwrites: Overwrite[]): PermissionPlace => {
    return { guild, channel: { ...NO_CHANNEL, guildId: guild.id, overwrites }, thread: null };
  };
  const nobody = toOverwrite(everyone, false);
  const isForAll = role === null || role === everyone;
  return {
    passed: isForAll ? toPlace(toOverwrite(everyone, true)) : toPlace(nobody, toOverwrite(role, true)),
    pending: toPlace(nobody),
  };
}

const READING = (PERMISSION.viewChannel | PERMISSION.readMessageHistory) as PermissionSet;

function toOverwrite(id: RoleId, isReading: boolean): Overwrite {
  const [allow, deny] = isReading ? [READING, NO_PERMISSIONS] : [NO_PERMISSIONS, READING];
  return { id, target: "role", allow, deny };
}

const NO_CHANNEL: Channel = {
  id: "" as ChannelId,
  guildId: null,
  kind: "text",
  name: "",
  topic: null,
  position: 0,
  parentId: null,
  ageRestricted: false,
  hidden: false,
  overwrites: [],
  tags: [],
  thread: null,
  recipients: [],
};
