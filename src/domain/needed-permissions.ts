import { type Channel, isPostList } from "./guild.ts";
import { PERMISSION, type PermissionSet } from "./permission-set.ts";
import type { PermissionPlace } from "./permissions.ts";

/** What a member needs to view a destination live, by roles alone. A private thread with unknown members counts as its parent. */
export function neededToView({ thread }: PermissionPlace): PermissionSet {
  const isClosed = thread?.kind === "private_thread" && thread.thread?.members;
  return (PERMISSION.viewChannel | (isClosed ? PERMISSION.manageThreads : 0)) as PermissionSet;
}

/** What a member needs to read the history of a source, by roles alone. Members of a private thread need not manage threads. */
export function neededToRead({ channel, thread }: PermissionPlace): PermissionSet {
  const isVoice = channel.kind === "voice" || channel.kind === "stage";
  const isClosed = thread?.kind === "private_thread";
  return (PERMISSION.viewChannel |
    PERMISSION.readMessageHistory |
    (isVoice ? PERMISSION.connect : 0) |
    (isClosed ? PERMISSION.manageThreads : 0)) as PermissionSet;
}

/** Whether a member with these permissions may start a public thread there and speak in it; in a forum that is a post. False for an unknown channel. */
export function allowsThreads(channel: Channel | undefined, held: PermissionSet): boolean {
  if (isPostList(channel)) return (held & PERMISSION.sendMessages) !== 0;
  const needed = PERMISSION.createPublicThreads | PERMISSION.sendMessagesInThreads;
  return channel !== undefined && (held & needed) === needed;
}

/** Whether a member with these permissions may send messages in a channel. False for an unknown channel. */
export function allowsSending(channel: Pick<Channel, "thread"> | undefined, held: PermissionSet): boolean {
  if (!channel) return false;
  return (held & (channel.thread ? PERMISSION.sendMessagesInThreads : PERMISSION.sendMessages)) !== 0;
}
