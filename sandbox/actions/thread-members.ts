import { ChannelType, PermissionFlagsBits } from "discord-api-types/v10";
import { toApiChannel, toApiThreadMember } from "../render/channels.ts";
import { canView } from "../world/permissions.ts";
import type { ChannelRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { allows, type Place, permissionsIn, requirePermission, requirePlace } from "./access.ts";
import { announceIn } from "./announce.ts";
import { missingAccess, threadArchived, unknownMember, wrongChannelType } from "./errors.ts";

interface ThreadAddress {
  readonly channelId: string;
}

interface ThreadMemberAddress extends ThreadAddress {
  readonly userId: string;
}

export function joinThread(world: World, actor: string, { channelId }: ThreadAddress): void {
  const { place } = requireOpenThread(world, actor, channelId);
  addToThread(world, place.channel, actor);
}

export function leaveThread(world: World, actor: string, { channelId }: ThreadAddress): void {
  const { place } = requireOpenThread(world, actor, channelId);
  removeFromThread(world, place.channel, actor);
}

export function addThreadMember(world: World, actor: string, { channelId, userId }: ThreadMemberAddress): void {
  const { place, thread } = requireOpenThread(world, actor, channelId);
  const permissions = permissionsIn(world, place, actor);
  const moderates = allows(permissions, PermissionFlagsBits.ManageThreads);
  if (place.channel.type === ChannelType.PrivateThread && !thread.invitable && !moderates && thread.ownerId !== actor) {
    throw missingAccess();
  }
  if (!moderates) requirePermission(permissions, PermissionFlagsBits.SendMessagesInThreads);
  const parent = world.parentOf(place.channel);
  if (!place.guild?.members.has(userId)) throw unknownMember();
  if (!parent || !canView(place.guild, parent, userId)) throw missingAccess();
  addToThread(world, place.channel, userId);
}

export function removeThreadMember(world: World, actor: string, { channelId, userId }: ThreadMemberAddress): void {
  const { place, thread } = requireOpenThread(world, actor, channelId);
  const ownsPrivate = place.channel.type === ChannelType.PrivateThread && thread.ownerId === actor;
  if (!ownsPrivate) requirePermission(permissionsIn(world, place, actor), PermissionFlagsBits.ManageThreads);
  removeFromThread(world, place.channel, userId);
}

/** Adds members without checking permissions. A private thread is first announced as created to those who are added. */
export function addToThread(world: World, channel: ChannelRecord, userId: string): void {
  const { thread } = channel;
  if (!thread || thread.members.has(userId)) return;
  thread.members.set(userId, world.clock.now());
  if (channel.type === ChannelType.PrivateThread) {
    const data = toApiChannel(world, channel, userId);
    world.emit({ type: "THREAD_CREATE", guildId: channel.guildId, onlyFor: [userId], data });
  }
  announceMembers(world, channel, { added: userId });
}

function removeFromThread(world: World, channel: ChannelRecord, userId: string): void {
  if (!channel.thread?.members.delete(userId)) return;
  announceMembers(world, channel, { removed: userId });
}

function announceMembers(
  world: World,
  channel: ChannelRecord,
  { added, removed }: { added?: string; removed?: string },
): void {
  const data = {
    id: channel.id,
    guild_id: channel.guildId,
    member_count: Math.min(channel.thread?.members.size ?? 0, 50),
    ...(added !== undefined && {
      added_members: [{ ...toApiThreadMember(world, channel, { userId: added, withMember: true }), presence: null }],
    }),
    ...(removed !== undefined && { removed_member_ids: [removed] }),
  };
  announceIn(world, channel, "THREAD_MEMBERS_UPDATE", data);
}

function requireOpenThread(world: World, actor: string, channelId: string) {
  const place: Place = requirePlace(world, actor, channelId);
  const { thread } = place.channel;
  if (!thread) throw wrongChannelType();
  if (thread.archived) throw threadArchived();
  return { place, thread };
}
