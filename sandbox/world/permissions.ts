import { ChannelType, OverwriteType, PermissionFlagsBits } from "discord-api-types/v10";
import type { ChannelRecord, GuildRecord } from "./records.ts";

const ALL = Object.values(PermissionFlagsBits).reduce((all, bit) => all | bit, 0n);

/** The sandbox's own implementation of Discord's rules, on full 64-bit masks. Tests compare it with the product's. */
export function guildPermissions(guild: GuildRecord, userId: string): bigint {
  if (guild.ownerId === userId) return ALL;
  const member = guild.members.get(userId);
  if (!member) return 0n;
  let permissions = guild.roles.get(guild.id)?.permissions ?? 0n;
  for (const roleId of member.roles) permissions |= guild.roles.get(roleId)?.permissions ?? 0n;
  return permissions & PermissionFlagsBits.Administrator ? ALL : permissions;
}

/** Permissions in a channel; for a thread those in its parent, regardless of membership. */
export function channelPermissions(guild: GuildRecord, channel: ChannelRecord, userId: string): bigint {
  const base = guildPermissions(guild, userId);
  if (base === ALL) return ALL;
  const member = guild.members.get(userId);
  const home = channel.thread ? guild.channels.get(channel.parentId ?? "") : channel;
  if (!member || !home) return 0n;
  let permissions = base;
  const everyone = home.overwrites.get(guild.id);
  if (everyone) permissions = (permissions & ~everyone.deny) | everyone.allow;
  let allow = 0n;
  let deny = 0n;
  for (const roleId of member.roles) {
    const overwrite = home.overwrites.get(roleId);
    if (overwrite?.type !== OverwriteType.Role) continue;
    allow |= overwrite.allow;
    deny |= overwrite.deny;
  }
  permissions = (permissions & ~deny) | allow;
  const own = home.overwrites.get(userId);
  if (own?.type === OverwriteType.Member) permissions = (permissions & ~own.deny) | own.allow;
  return permissions;
}

export function hasPermission(guild: GuildRecord, channel: ChannelRecord, userId: string, needed: bigint): boolean {
  return (channelPermissions(guild, channel, userId) & needed) === needed;
}

/** Whether this person can view the channel. */
export function canView(guild: GuildRecord, channel: ChannelRecord, userId: string): boolean {
  const permissions = channelPermissions(guild, channel, userId);
  if (!(permissions & PermissionFlagsBits.ViewChannel)) return false;
  if (channel.type !== ChannelType.PrivateThread) return true;
  return Boolean(permissions & PermissionFlagsBits.ManageThreads) || Boolean(channel.thread?.members.has(userId));
}

/** Whether this person can read its history. */
export function canReadHistory(guild: GuildRecord, channel: ChannelRecord, userId: string): boolean {
  if (!canView(guild, channel, userId)) return false;
  const isVoice = channel.type === ChannelType.GuildVoice || channel.type === ChannelType.GuildStageVoice;
  const needed = PermissionFlagsBits.ReadMessageHistory | (isVoice ? PermissionFlagsBits.Connect : 0n);
  return hasPermission(guild, channel, userId, needed);
}
