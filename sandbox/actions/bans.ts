import { PermissionFlagsBits } from "discord-api-types/v10";
import { toApiUserById } from "../render/users.ts";
import type { GuildRecord } from "../world/records.ts";
import { snowflakeTime } from "../world/snowflake.ts";
import type { World } from "../world/world.ts";
import { OPERATOR, permissionsInGuild, requireGuild, requirePermission } from "./access.ts";
import { deleteMessage } from "./delete-messages.ts";
import { DiscordError, unknownUser } from "./errors.ts";
import { removeMember } from "./members.ts";
import { rankOf, requireRankAbove } from "./rank.ts";

interface BanAddress {
  readonly guildId: string;
  readonly userId: string;
}

/** The guild, if the actor may see and change its bans. */
export function requireBanning(world: World, actor: string, guildId: string): GuildRecord {
  const guild = requireGuild(world, actor, guildId);
  requirePermission(permissionsInGuild(world, guild, actor), PermissionFlagsBits.BanMembers);
  return guild;
}

/** Bans a person, member or not, and deletes what they wrote in the last `deleteSeconds`. A second ban changes nothing. */
export function banUser(
  world: World,
  actor: string,
  { guildId, userId, reason, deleteSeconds }: BanAddress & { reason: string | null; deleteSeconds: number },
): void {
  const guild = requireBanning(world, actor, guildId);
  if (!world.users.has(userId)) throw unknownUser();
  requireRankAbove(guild, actor, rankOf(guild, userId));
  if (!guild.bans.has(userId)) {
    guild.bans.set(userId, reason);
    if (guild.members.has(userId)) removeMember(world, OPERATOR, { guildId, userId });
    announceBan(world, "GUILD_BAN_ADD", { guildId, userId });
  }
  const since = world.clock.now() - deleteSeconds * 1_000;
  for (const { id: channelId, messages } of guild.channels.values()) {
    const recent = [...messages].filter(({ id, authorId }) => authorId === userId && snowflakeTime(id) >= since);
    for (const { id: messageId } of deleteSeconds > 0 ? recent : [])
      deleteMessage(world, OPERATOR, { channelId, messageId });
  }
}

export function liftBan(world: World, actor: string, { guildId, userId }: BanAddress): void {
  const guild = requireBanning(world, actor, guildId);
  if (!guild.bans.delete(userId)) throw unknownBan();
  announceBan(world, "GUILD_BAN_REMOVE", { guildId, userId });
}

export function unknownBan(): DiscordError {
  return new DiscordError(404, 10026, "Unknown Ban");
}

function announceBan(world: World, type: string, { guildId, userId }: BanAddress): void {
  world.emit({ type, guildId, data: { guild_id: guildId, user: toApiUserById(world, userId) } });
}
