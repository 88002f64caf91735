import {
  type APIChannel,
  type APIGuildForumTag,
  type APIOverwrite,
  type APIThreadMember,
  ChannelFlags,
  ChannelType,
  OverwriteType,
  PermissionFlagsBits,
  type ThreadMemberFlags,
} from "discord-api-types/v10";
import { canView } from "../world/permissions.ts";
import type { ChannelRecord, OverwriteRecord, TagRecord, ThreadRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { toApiMember } from "./members.ts";
import { toTimestamp } from "./timestamp.ts";
import { toApiUserById } from "./users.ts";

/** Any channel, thread or DM. Depends on the viewer for a DM (the recipient) and a thread (membership). */
export function toApiChannel(world: World, channel: ChannelRecord, viewerId?: string): APIChannel {
  if (channel.thread) return toApiThread(channel, channel.thread, viewerId);
  const base = { id: channel.id, type: channel.type, flags: channel.flags };
  if (channel.guildId === null) {
    const recipients = channel.recipients.filter((id) => id !== viewerId).map((id) => toApiUserById(world, id));
    return { ...base, ...spokenIn(channel), recipients } as APIChannel;
  }
  return {
    ...base,
    guild_id: channel.guildId,
    name: channel.name,
    position: channel.position,
    parent_id: channel.parentId,
    permission_overwrites: [...channel.overwrites.values()].map(toApiOverwrite),
    ...traitsOfType(channel),
  } as APIChannel;
}

/** The gateway's form of a channel that the bot may not view: only its existence and position. */
function toObfuscatedChannel(channel: ChannelRecord): APIChannel {
  return {
    id: channel.id,
    type: channel.type,
    guild_id: channel.guildId,
    name: "___hidden___",
    position: channel.position,
    parent_id: channel.parentId,
    flags: ChannelFlags.ChannelObfuscated,
    topic: null,
    last_message_id: null,
    last_pin_timestamp: null,
    nsfw: false,
    rate_limit_per_user: 0,
    permission_overwrites: [
      { id: channel.guildId, type: OverwriteType.Role, allow: "0", deny: PermissionFlagsBits.ViewChannel.toString() },
    ],
  } as unknown as APIChannel;
}

/** A guild channel as the gateway shows it to this bot. */
export function toGatewayChannel(world: World, channel: ChannelRecord, viewerId: string): APIChannel {
  const guild = world.guildOf(channel);
  if (guild && !canView(guild, channel, viewerId)) return toObfuscatedChannel(channel);
  return toApiChannel(world, channel, viewerId);
}

/** One person's membership of a thread; with `withMember` also who that is in the guild. */
export function toApiThreadMember(
  world: World,
  thread: ChannelRecord,
  { userId, withMember = false }: { userId: string; withMember?: boolean },
): APIThreadMember {
  const member = withMember ? world.guildOf(thread)?.members.get(userId) : undefined;
  return {
    ...membership(thread, userId, thread.thread?.members.get(userId) ?? 0),
    ...(member && { member: toApiMember(world, member) }),
  };
}

function toApiOverwrite(overwrite: OverwriteRecord): APIOverwrite {
  return {
    id: overwrite.id,
    type: overwrite.type,
    allow: overwrite.allow.toString(),
    deny: overwrite.deny.toString(),
  };
}

function toApiThread(channel: ChannelRecord, thread: ThreadRecord, viewerId: string | undefined): APIChannel {
  const joinedAt = viewerId === undefined ? undefined : thread.members.get(viewerId);
  return {
    id: channel.id,
    type: channel.type,
    guild_id: channel.guildId,
    parent_id: channel.parentId,
    name: channel.name,
    flags: channel.flags,
    owner_id: thread.ownerId,
    rate_limit_per_user: channel.slowmodeSeconds,
    ...spokenIn(channel),
    message_count: thread.messageCount,
    total_message_sent: thread.totalMessagesSent,
    // Discord stops counting the members of a thread at 50.
    member_count: Math.min(thread.members.size, 50),
    thread_metadata: {
      archived: thread.archived,
      archive_timestamp: toTimestamp(thread.archivedAt),
      auto_archive_duration: thread.autoArchiveMinutes,
      locked: thread.locked,
      create_timestamp: toTimestamp(thread.createdAt),
      ...(channel.type === ChannelType.PrivateThread && { invitable: thread.invitable }),
    },
    ...(thread.appliedTags.length > 0 && { applied_tags: [...thread.appliedTags] }),
    ...(viewerId !== undefined && joinedAt !== undefined && { member: membership(channel, viewerId, joinedAt) }),
  } as APIChannel;
}

function membership(thread: ChannelRecord, userId: string, joinedAt: number): APIThreadMember {
  return { id: thread.id, user_id: userId, join_timestamp: toTimestamp(joinedAt), flags: 0 as ThreadMemberFlags };
}

function spokenIn(channel: ChannelRecord): { last_message_id: string | null; last_pin_timestamp?: string } {
  const lastPin = channel.pins.size > 0 ? Math.max(...channel.pins.values()) : undefined;
  return {
    last_message_id: channel.lastMessageId,
    ...(lastPin !== undefined && { last_pin_timestamp: toTimestamp(lastPin) }),
  };
}

function traitsOfType(channel: ChannelRecord): object {
  switch (channel.type) {
    case ChannelType.GuildCategory:
      return {};
    case ChannelType.GuildVoice:
    case ChannelType.GuildStageVoice:
      return {
        ...spokenIn(channel),
        nsfw: channel.nsfw,
        rate_limit_per_user: channel.slowmodeSeconds,
        bitrate: 64_000,
        user_limit: 0,
        rtc_region: null,
      };
    case ChannelType.GuildForum:
    case ChannelType.GuildMedia:
      return {
        ...textTraits(channel),
        available_tags: channel.tags.map(toApiTag),
        default_reaction_emoji: null,
        default_sort_order: null,
        ...(channel.type === ChannelType.GuildForum && { default_forum_layout: 0 }),
        template: "",
      };
    default:
      return textTraits(channel);
  }
}

function textTraits(channel: ChannelRecord): object {
  return {
    ...spokenIn(channel),
    topic: channel.topic,
    nsfw: channel.nsfw,
    rate_limit_per_user: channel.slowmodeSeconds,
  };
}

function toApiTag(tag: TagRecord): APIGuildForumTag {
  return { id: tag.id, name: tag.name, moderated: tag.moderated, emoji_id: null, emoji_name: null };
}
