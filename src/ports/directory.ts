import type { Audience } from "../domain/audience.ts";
import type { Channel, Member, Role } from "../domain/guild.ts";
import type { ChannelId, GuildId, RoleId, UserId } from "../domain/ids.ts";
import type { PermissionSet } from "../domain/permission-set.ts";
import type { PermissionPlace } from "../domain/permissions.ts";
import type { Locale } from "../domain/time/date-order.ts";

export interface GuildInfo {
  readonly id: GuildId;
  readonly name: string;
  readonly ownerId: UserId;
  /** What Discord gives every server (en-US) or what somebody chose; null when unknown. For members only. */
  readonly preferredLocale: Locale | null;
  /** False during an outage of the guild, and after a reconnect until Discord has described it again. */
  readonly available: boolean;
  /** How many members Discord says there are. */
  readonly memberCount: number;
  /** Every member is known and kept current: absent from the list means not a member. */
  readonly membersComplete: boolean;
}

export interface Person {
  readonly id: UserId;
  /** Nickname, display name, username; the first is the one that is shown. */
  readonly names: readonly string[];
  readonly bot: boolean;
}

/** Who and what is there, as far as the bot has been told, kept current by events. Unknown always reads as no. */
export interface Directory {
  /** Web address of the server, for links; Discord's own when absent. */
  readonly web?: string | undefined;
  guilds(): GuildInfo[];
  /** Discord has said in which guilds the bot is, and each of them is available: a channel that is not known is not there, or not for the bot to see. */
  readonly isComplete: boolean;
  /** Discord has refused so much that it is not asked about channels and members: what is not known may be there all the same. */
  readonly isHeldBack: boolean;
  /** Undefined when the bot is not in it. */
  guild(id: GuildId): GuildInfo | undefined;
  /** Discord has said in which guilds the bot is, and this is none of them. False while that is not known. */
  hasLeft(id: GuildId): boolean;
  roles(guildId: GuildId): Role[];
  /** Channels and active threads, hidden ones included; empty for an unknown guild. */
  channels(guildId: GuildId): Channel[];
  /** A guild channel, thread or DM; undefined when unknown or deleted. A thread whose title is that of somebody who is left out has a neutral one. */
  channel(id: ChannelId): Channel | undefined;
  /** Threads and posts that somebody opened, but for those to which somebody else gave another title, and those to which they did. */
  threadsTitledBy(userId: UserId): readonly ChannelId[];
  /** Where permissions for a channel or thread are decided; undefined for a DM, and for what is unknown or unavailable. */
  place(id: ChannelId): PermissionPlace | undefined;
  /** The place as a source or a destination, for audiences; the whole world where too little is known of it. */
  audience(id: ChannelId): Audience;
  /**
   * Every member of a guild, or of a role in it, as a source, for audiences: the readers of what is shared with them. The whole world, so that nothing
   * flows, if the guild or the role is unknown or the guild is unavailable.
   */
  members(guildId: GuildId, roleId: RoleId | null): Audience;
  /** Known to have been deleted. False for what is unknown or out of sight, and for what was deleted too many deletions ago. */
  isDeleted(id: ChannelId): boolean;
  /**
   * A deleted channel or thread as a source, for audiences: its last overwrites and thread members, with the roles and members of today.
   * Undefined when that is not known: it was not deleted or not lately, it may have changed unheard before, or its guild is unavailable.
   */
  lastAudience(id: ChannelId): Audience | undefined;
  /** A known member; undefined is not proof of absence unless the guild's member list is complete. */
  member(guildId: GuildId, userId: UserId): Member | undefined;
  /** Everybody who is known to be there, with every name they go by; empty for an unknown guild. Complete only where the member list is. */
  people(guildId: GuildId): Iterable<Person>;
  /** Who was heard to speak in a channel lately, with the names that stood there; kept only while the member list is not complete. */
  speakers(channelId: ChannelId): Iterable<Person>;
  /**
   * Members whose nickname, display name or username begins with a name, as Discord itself finds them; for servers without a complete member
   * list. Throws `unavailable` or `rate_limited` when Discord cannot be asked.
   */
  findPeople(guildId: GuildId, name: string): Promise<readonly Person[]>;
  /** The list of members is on its way: somebody who is not known may be before long. */
  isMeetingPeople(guildId: GuildId): boolean;
  /**
   * Permissions in the channel, or in the thread's parent; none where anything is unknown, and no more than reading for who is timed out. In a
   * DM its two ends hold what speaking needs.
   */
  permissions(userId: UserId, channelId: ChannelId): PermissionSet;
  /** A moderator has silenced the person in the channel's server for now. False for owners and administrators, who cannot be. */
  isTimedOut(userId: UserId, channelId: ChannelId): boolean;
  /** May the person read this channel's history now? False whenever anything needed to say so is unknown. A DM: its two ends. */
  canRead(userId: UserId, channelId: ChannelId): boolean;
  /** Sees what is said there from now on. */
  canView(userId: UserId, channelId: ChannelId): boolean;
  /**
   * Asks Discord for what `canRead` would need and is not known: the member, and a private thread's members. Safe to repeat; costs
   * nothing when all is known. Throws `unavailable` when Discord cannot be asked.
   */
  learn(userId: UserId, channelId: ChannelId): Promise<void>;
  /** The same for whether somebody is in a guild. */
  learnMember(userId: UserId, guildId: GuildId): Promise<void>;
}
