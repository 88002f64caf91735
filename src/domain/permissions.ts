import { type Channel, type GuildRules, isPostList, type Member } from "./guild.ts";
import type { ChannelId, RoleId, UserId } from "./ids.ts";
import { ALL_PERMISSIONS, NO_PERMISSIONS, PERMISSION, type PermissionSet } from "./permission-set.ts";

/** Permissions in the guild as a whole. The owner and administrators have all. */
export function guildPermissions(guild: GuildRules, member: Member): PermissionSet {
  if (member.id === guild.ownerId) return ALL_PERMISSIONS;
  let set: number = guild.roles.get(guild.id as string as RoleId)?.permissions ?? NO_PERMISSIONS;
  for (const id of member.roles) set |= guild.roles.get(id)?.permissions ?? NO_PERMISSIONS;
  return set & PERMISSION.administrator ? ALL_PERMISSIONS : (set as PermissionSet);
}

/**
 * Permissions in a channel, by its own overwrites. Categories are not inherited (Discord copies their overwrites on syncing), and a thread has no
 * overwrites: pass its parent.
 */
export function channelPermissions(guild: GuildRules, channel: Channel, member: Member): PermissionSet {
  const base = guildPermissions(guild, member);
  if (base & PERMISSION.administrator) return ALL_PERMISSIONS;
  if (channel.hidden) return NO_PERMISSIONS;
  const everyone = guild.id as string;
  let set: number = base;
  let allow = 0;
  let deny = 0;
  let ownAllow = 0;
  let ownDeny = 0;
  for (const overwrite of channel.overwrites) {
    if (overwrite.target === "member") {
      if (overwrite.id === member.id) {
        ownAllow = overwrite.allow;
        ownDeny = overwrite.deny;
      }
    } else if (overwrite.id === everyone) {
      set = (set & ~overwrite.deny) | overwrite.allow;
    } else if (member.roles.has(overwrite.id as RoleId)) {
      allow |= overwrite.allow;
      deny |= overwrite.deny;
    }
  }
  set = (set & ~deny) | allow;
  return ((set & ~ownDeny) | ownAllow) as PermissionSet;
}

/** The channel whose overwrites apply, and the thread in it, if any. */
export interface PermissionPlace {
  readonly guild: GuildRules;
  /** The channel itself, or the thread's parent. */
  readonly channel: Channel;
  readonly thread: Channel | null;
}

/** Can see new messages: VIEW_CHANNEL, and for a private thread membership or MANAGE_THREADS. */
export function canView(place: PermissionPlace, member: Member): boolean {
  return hasPermissions(place, member, PERMISSION.viewChannel);
}

/** Can read its history: VIEW_CHANNEL and READ_MESSAGE_HISTORY, in the text chat of a voice channel also CONNECT. */
export function canRead(place: PermissionPlace, member: Member): boolean {
  const { kind } = place.channel;
  const isVoice = kind === "voice" || kind === "stage";
  return hasPermissions(
    place,
    member,
    PERMISSION.viewChannel | PERMISSION.readMessageHistory | (isVoice ? PERMISSION.connect : NO_PERMISSIONS),
  );
}

function hasPermissions(place: PermissionPlace, member: Member, needed: number): boolean {
  const set = channelPermissions(place.guild, place.channel, member);
  if ((set & needed) !== needed) return false;
  return (
    place.thread?.kind !== "private_thread" || Boolean(set & PERMISSION.manageThreads) || isIn(place.thread, member.id)
  );
}

function isIn(thread: Channel, userId: UserId): boolean {
  return thread.thread?.members?.has(userId) ?? false;
}

/** A channel's id and its ancestors' ids: a thread's channel and the category. A list that names any of them includes the channel. */
export function lineageOf({ id, parentId }: Channel, find: (id: ChannelId) => Channel | undefined): ChannelId[] {
  if (parentId === null) return [id];
  const above = find(parentId)?.parentId ?? null;
  return above === null ? [id, parentId] : [id, parentId, above];
}

/** Permissions that a member needs by roles alone to view a destination live. A private thread with unknown members counts as its
 * parent. */
export function neededToView({ thread }: PermissionPlace): PermissionSet {
  const isClosed = thread?.kind === "private_thread" && thread.thread?.members;
  return (PERMISSION.viewChannel | (isClosed ? PERMISSION.manageThreads : 0)) as PermissionSet;
}

/** Permissions that a member needs by roles alone to read the history of a source. Members of a private thread need not manage threads. */
export function neededToRead({ channel, thread }: PermissionPlace): PermissionSet {
  const isVoice = channel.kind === "voice" || channel.kind === "stage";
  const isClosed = thread?.kind === "private_thread";
  return (PERMISSION.viewChannel |
    PERMISSION.readMessageHistory |
    (isVoice ? PERMISSION.connect : 0) |
    (isClosed ? PERMISSION.manageThreads : 0)) as PermissionSet;
}

/** Whether a member with these permissions can start a public thread there and write in it; in a forum that is a post. False for an
 * unknown channel. */
export function allowsThreads(channel: Channel | undefined, held: PermissionSet): boolean {
  if (isPostList(channel)) return (held & PERMISSION.sendMessages) !== 0;
  const needed = PERMISSION.createPublicThreads | PERMISSION.sendMessagesInThreads;
  return channel !== undefined && (held & needed) === needed;
}

/** Whether a member with these permissions can send messages in a channel. False for an unknown channel. */
export function allowsSending(channel: Pick<Channel, "thread"> | undefined, held: PermissionSet): boolean {
  if (!channel) return false;
  return (held & (channel.thread ? PERMISSION.sendMessagesInThreads : PERMISSION.sendMessages)) !== 0;
}
