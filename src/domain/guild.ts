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
  /** The bot that Discord made this role for; absent for other roles. Mentioning it is mentioning the bot. */
  readonly botId?: UserId;
}

export interface Thread {
  readonly ownerId: UserId | null;
  readonly archived: boolean;
  /** Only who manages threads may speak in it. Absent where that is not so. */
  readonly locked?: true;
  /** Ids of a post's tags, as its forum knows them. Absent where there are none. */
  readonly tagIds?: readonly string[];
  /** Null when unknown. Membership decides who may read a private thread, and only there. */
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
  /** Hidden only because the server did not send its overwrites, or not in a form that can be read. */
  readonly hasUnknownRules?: true;
  /** Messages are copied to the lobby of a game, whose audience is unknown. */
  readonly linkedToLobby?: boolean;
  readonly overwrites: readonly Overwrite[];
  /** Names of the tags that a forum has, or of those that a post of it bears. */
  readonly tags: readonly string[];
  /** Their ids, in a forum. Absent where there are none. */
  readonly tagIds?: readonly string[];
  /** Of those the ones that only who manages threads may set. Absent where there are none. */
  readonly moderatedTagIds?: readonly string[];
  readonly thread: Thread | null;
  /** The other people in a DM; empty elsewhere. */
  readonly recipients: readonly UserId[];
  /** The newest message when Discord last described the channel; it may have been deleted. Absent where Discord did not say. */
  readonly lastMessageId?: MessageId;
}

/** Threads can be opened in it, and end up in its archive. */
export function hasArchive({ kind }: Pick<Channel, "kind">): boolean {
  return kind === "text" || kind === "announcement" || kind === "forum" || kind === "media";
}

/** Has no messages of its own, only posts, which are threads. Some servers answer a request for its messages with an error. */
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
  /** The day on which they joined, in UTC, as its first millisecond since 1970; undefined where that is not known. */
  readonly joinedOn?: number | undefined;
}
