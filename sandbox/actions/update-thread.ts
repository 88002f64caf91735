import { MessageType, PermissionFlagsBits } from "discord-api-types/v10";
import type { ChannelRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { allows, OPERATOR, permissionsIn, requirePermission, requirePlace } from "./access.ts";
import { announceThread } from "./announce-thread.ts";
import { missingPermissions, threadArchived, wrongChannelType } from "./errors.ts";
import { postNotice } from "./notices.ts";
import { checkTags } from "./threads.ts";

export interface ThreadPatch {
  readonly channelId: string;
  readonly name?: string;
  readonly archived?: boolean;
  readonly locked?: boolean;
  readonly invitable?: boolean;
  readonly autoArchiveMinutes?: number;
  readonly slowmodeSeconds?: number;
  readonly appliedTags?: readonly string[];
  readonly flags?: number;
}

export function updateThread(world: World, actor: string, patch: ThreadPatch): ChannelRecord {
  const place = requirePlace(world, actor, patch.channelId);
  const { channel } = place;
  const { thread } = channel;
  if (!thread) throw wrongChannelType();
  const permissions = permissionsIn(world, place, actor);
  if (!allows(permissions, PermissionFlagsBits.ManageThreads)) {
    requireOwnersRight(patch, { isOwner: thread.ownerId === actor, isLocked: thread.locked });
    requirePermission(permissions, PermissionFlagsBits.SendMessagesInThreads);
  }
  const onlyLocks = Object.keys(patch).every((field) => ["channelId", "archived", "locked"].includes(field));
  if (thread.archived && patch.archived !== false && !onlyLocks) throw threadArchived();

  const renamed = patch.name !== undefined && patch.name !== channel.name ? patch.name : undefined;
  if (renamed !== undefined) channel.name = renamed;
  if (patch.archived !== undefined && patch.archived !== thread.archived) {
    thread.archived = patch.archived;
    thread.archivedAt = world.clock.now();
  }
  if (patch.locked !== undefined) thread.locked = patch.locked;
  if (patch.invitable !== undefined) thread.invitable = patch.invitable;
  if (patch.autoArchiveMinutes !== undefined) thread.autoArchiveMinutes = patch.autoArchiveMinutes;
  if (patch.slowmodeSeconds !== undefined) channel.slowmodeSeconds = patch.slowmodeSeconds;
  if (patch.flags !== undefined) channel.flags = patch.flags;
  if (patch.appliedTags) {
    const parent = world.parentOf(channel);
    thread.appliedTags = parent ? checkTags(parent, patch.appliedTags, permissions) : [];
  }
  announceThread(world, "THREAD_UPDATE", channel);
  if (renamed !== undefined && actor !== OPERATOR) {
    postNotice(world, place, { type: MessageType.ChannelNameChange, authorId: actor, content: renamed });
  }
  return channel;
}

/** The owner may rename, tag and archive a thread; all people who may send there may unarchive it, unless it is locked. */
function requireOwnersRight(patch: ThreadPatch, { isOwner, isLocked }: { isOwner: boolean; isLocked: boolean }): void {
  if (isLocked || patch.locked !== undefined || patch.slowmodeSeconds !== undefined || patch.flags !== undefined) {
    throw missingPermissions();
  }
  const { channelId: _channelId, archived, ...rest } = patch;
  const onlyReopens = archived === false && Object.values(rest).every((value) => value === undefined);
  if (!isOwner && !onlyReopens) throw missingPermissions();
}
