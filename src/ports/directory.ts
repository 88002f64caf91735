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
  /** Discord's default (en-US) or the chosen one; null when unknown. For members only. */
  readonly preferredLocale: Locale | null;
  readonly available: boolean;
  /** As Discord reports it. */
  readonly memberCount: number;
  /** The member list is complete and kept current: a person who is not in it is not a member. */
  readonly membersComplete: boolean;
}

export interface Person {
  readonly id: UserId;
  /** Nickname, display name, username; the first one is displayed. */
  readonly names: readonly string[];
  readonly bot: boolean;
}

/** Guilds, channels, roles and people that Discord has announced to the bot, kept current by events. Every answer about something
 * unknown is no. */
export interface Directory {
  /** Web address of the server, for links; Discord's own when absent. */
  readonly web?: string | undefined;
  guilds(): GuildInfo[];
  /** Discord has listed the bot's guilds, and all of them are available: a channel that is unknown does not exist or is hidden from the
   * bot. */
  readonly isComplete: boolean;
  /** Too many refusals by Discord have paused requests about channels and members: something unknown may exist all the same. */
  readonly isHeldBack: boolean;
  /** Undefined if the bot is not in it. */
  guild(id: GuildId): GuildInfo | undefined;
  /** True if Discord has listed the bot's guilds without this one; false until the list is known. */
  hasLeft(id: GuildId): boolean;
  roles(guildId: GuildId): Role[];
  /** Channels and active threads, hidden ones included; empty for an unknown guild. */
  channels(guildId: GuildId): Channel[];
  /** A guild channel, thread or DM; undefined when unknown or deleted. A thread has a neutral title if the author of its title is left
   * out. */
  channel(id: ChannelId): Channel | undefined;
  /** Threads and posts whose current title is by this person: those they opened that others did not rename, and those they renamed. */
  threadsTitledBy(userId: UserId): readonly ChannelId[];
  /** The place that decides permissions for a channel or thread; undefined for a DM, and if it is unknown or unavailable. */
  place(id: ChannelId): PermissionPlace | undefined;
  /** The place as a source or destination, for audiences; the whole world if too little is known of it. */
  audience(id: ChannelId): Audience;
  /**
   * Every member of a guild, or of a role in it, as a source, for audiences: the people with whom something is shared. The whole world, so
   * that nothing flows, if the guild or the role is unknown or the guild is unavailable.
   */
  members(guildId: GuildId, roleId: RoleId | null): Audience;
  /** Known to have been deleted. False if it is unknown or hidden, and for old deletions, because only the latest ones are kept. */
  isDeleted(id: ChannelId): boolean;
  /**
   * A deleted channel or thread as a source, for audiences: its last overwrites and thread members, with the roles and members of today.
   * Undefined if that is unknown: it was not deleted lately, changes before the deletion may have been missed, or its guild is unavailable.
   */
  lastAudience(id: ChannelId): Audience | undefined;
  /** A known member; undefined is not proof of absence unless the guild's member list is complete. */
  member(guildId: GuildId, userId: UserId): Member | undefined;
  /** All known people of the guild, with all their names; empty for an unknown guild. Complete only if the member list is. */
  people(guildId: GuildId): Iterable<Person>;
  /** People who wrote in a channel lately, with the names they had then; kept only while the member list is incomplete. */
  speakers(channelId: ChannelId): Iterable<Person>;
  /**
   * Members whose nickname, display name or username begins with a name, as Discord's own search finds them; for servers without a complete
   * member list. Throws `unavailable` or `rate_limited` if Discord cannot be asked.
   */
  findPeople(guildId: GuildId, name: string): Promise<readonly Person[]>;
  /** The member list is still loading: a person who is unknown now may be known soon. */
  isMeetingPeople(guildId: GuildId): boolean;
  /**
   * Permissions in the channel, or in the thread's parent; none if anything is unknown, and only reading while timed out. In a DM both
   * participants have the permissions that writing needs.
   */
  permissions(userId: UserId, channelId: ChannelId): PermissionSet;
  /** A moderator has timed out the person in the channel's server. False for owners and administrators, who cannot be timed out. */
  isTimedOut(userId: UserId, channelId: ChannelId): boolean;
  /** Whether the person can read this channel's history now. False if any information for that is unknown. In a DM: its two
   * participants. */
  canRead(userId: UserId, channelId: ChannelId): boolean;
  /** Whether the person sees new messages there. */
  canView(userId: UserId, channelId: ChannelId): boolean;
  /**
   * Fetches what `canRead` needs and does not know: the member, and a private thread's members. Safe to repeat; free when all is known.
   * Throws `unavailable` if Discord cannot be asked.
   */
  learn(userId: UserId, channelId: ChannelId): Promise<void>;
  /** Fetches whether a person is in a guild, with the same contract as `learn`. */
  learnMember(userId: UserId, guildId: GuildId): Promise<void>;
}
