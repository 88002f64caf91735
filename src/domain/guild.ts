import type { ChannelId, GuildId, RoleId, UserId } from "./ids.ts";
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
}

export interface Thread {
  readonly ownerId: UserId | null;
  readonly archived: boolean;
  /** Who has joined; null where that is not known. Only a private thread's members decide who may read it. */
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
  /** The bot cannot view it: Discord hides its name and its true overwrites, so nothing about who may read it is known. */
  readonly hidden: boolean;
  /** What is said there also reaches a lobby in some game, whose people nobody here knows. */
  readonly linkedToLobby?: boolean;
  readonly overwrites: readonly Overwrite[];
  /** Names of a forum's tags. */
  readonly tags: readonly string[];
  readonly thread: Thread | null;
  /** The other ends of a DM; empty elsewhere. */
  readonly recipients: readonly UserId[];
}

/** Nothing is said in it, only in its posts, which are threads. Some servers answer with an error when asked for its messages. */
export function isPostList(channel: Channel | undefined): boolean {
  return channel?.kind === "forum" || channel?.kind === "media";
}

/** What the permission rules need of a guild. */
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
  /** Until when a moderator has silenced them, in milliseconds since 1970; absent where none has. */
  readonly timedOutUntil?: number;
}
