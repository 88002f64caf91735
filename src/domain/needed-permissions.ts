import type { Channel } from "./guild.ts";
import { PERMISSION, type PermissionSet } from "./permission-set.ts";
import type { PermissionPlace } from "./permissions.ts";

/** What somebody needs to see a destination live of whom only the roles are known. Where a private thread's members are unknown, it counts as its parent. */
export function neededToView({ thread }: PermissionPlace): PermissionSet {
  const isClosed = thread?.kind === "private_thread" && thread.thread?.members;
  return (PERMISSION.viewChannel | (isClosed ? PERMISSION.manageThreads : 0)) as PermissionSet;
}

/** What they need to read a source back. Who is known to be in a private thread need not manage threads. */
export function neededToRead({ channel, thread }: PermissionPlace): PermissionSet {
  const isVoice = channel.kind === "voice" || channel.kind === "stage";
  const isClosed = thread?.kind === "private_thread";
  return (PERMISSION.viewChannel |
    PERMISSION.readMessageHistory |
    (isVoice ? PERMISSION.connect : 0) |
    (isClosed ? PERMISSION.manageThreads : 0)) as PermissionSet;
}

/** Whether somebody who holds these permissions there may speak in a channel. Nobody may in an unknown one. */
export function allowsSending(channel: Pick<Channel, "thread"> | undefined, held: PermissionSet): boolean {
  if (!channel) return false;
  return (held & (channel.thread ? PERMISSION.sendMessagesInThreads : PERMISSION.sendMessages)) !== 0;
}
