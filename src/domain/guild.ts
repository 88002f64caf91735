import type { ChannelId, GuildId, MessageId, RoleId, UserId } from "./ids.ts";
import type { PermissionSet } from "./permission-set.ts";

export type ChannelKind =
  | "text"
  | "announcement"
  | "voice"
  | "stage"
  | "forum"
  | "media"
  | "category"
  | "public_thread"
  | "private_thread"
  | "announcement_thread"
  | "dm"
  | "group_dm"
  | "other";

export interface Overwrite {
  readonly id: RoleId | UserId;
  readonly target: "role" | "member";
  readonly allow: PermissionSet;
  readonly deny: PermissionSet;
}

export interface Role {
  readonly id: RoleId;
  readonly name: string;
  readonly position: number;
  readonly permissions: PermissionSet;
  /** The bot that Discord made this role for; absent for other roles. Mentioning the role mentions the bot. */
  readonly botId?: UserId;
}

export interface Thread {
  readonly ownerId: UserId | null;
  readonly archived: boolean;
  /** Only members with the permission to manage threads can write in it. Absent if false. */
  readonly locked?: true;
  /** Ids of a post's tags, as in its forum. Absent if empty. */
  readonly tagIds?: readonly string[];
  /** Null when unknown. Decides who can read a private thread; in other threads it is ignored. */
  readonly members: ReadonlySet<UserId> | null;
}

export interface Channel {
  readonly id: ChannelId;
  readonly guildId: GuildId | null;
  readonly kind: ChannelKind;
  readonly name: string;
  readonly topic: string | null;
  readonly position: number;
  readonly parentId: ChannelId | null;
  readonly ageRestricted: boolean;
  /** The bot cannot view it: Discord hides its name and its true overwrites, so its audience is unknown. */
  readonly hidden: boolean;
  /** Hidden only because the server did not send readable overwrites. */
  readonly hasUnknownRules?: true;
  /** Messages are copied to the lobby of a game, whose audience is unknown. */
  readonly linkedToLobby?: boolean;
  readonly overwrites: readonly Overwrite[];
  /** Names of a forum's tags, or of a post's own tags. */
  readonly tags: readonly string[];
  /** Ids of a forum's tags. Absent if empty. */
  readonly tagIds?: readonly string[];
  /** Ids of the tags that only members who manage threads can set. Absent if empty. */
  readonly moderatedTagIds?: readonly string[];
  readonly thread: Thread | null;
  /** The other people in a DM; otherwise empty. */
  readonly recipients: readonly UserId[];
  /** The newest message when Discord last described the channel; it may have been deleted. Absent if unknown. */
  readonly lastMessageId?: MessageId;
}

/** Channels whose threads can be archived. */
export function hasArchive({ kind }: Pick<Channel, "kind">): boolean {
  return kind === "text" || kind === "announcement" || kind === "forum" || kind === "media";
}

/** Contains only posts, which are threads. Some servers answer a request for its messages with an error. */
export function isPostList(channel: Channel | undefined): boolean {
  return channel?.kind === "forum" || channel?.kind === "media";
}

/** The part of a guild that permission rules need. */
export interface GuildRules {
  readonly id: GuildId;
  readonly ownerId: UserId;
  readonly roles: ReadonlyMap<RoleId, Role>;
}

export interface Member {
  readonly id: UserId;
  /** Nickname, else display name, else username. */
  readonly name: string;
  readonly bot: boolean;
  /** Without the @everyone role. */
  readonly roles: ReadonlySet<RoleId>;
  /** The end of a timeout set by a moderator, in milliseconds since 1970; absent without one. */
  readonly timedOutUntil?: number;
  /** Has not passed the server's membership screening; absent means false. */
  readonly pending?: boolean;
  /** The first millisecond (since 1970) of the UTC day on which they joined; undefined if unknown. */
  readonly joinedOn?: number | undefined;
}
