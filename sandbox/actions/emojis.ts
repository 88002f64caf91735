import { PermissionFlagsBits } from "discord-api-types/v10";
import { toApiEmoji } from "../render/expressions.ts";
import type { EmojiRecord, GuildRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { allows, permissionsInGuild, requireGuild, requirePermission } from "./access.ts";
import { DiscordError } from "./errors.ts";

/** The limit of a server without boosts; animated emojis are counted apart. */
const MAX_EMOJIS = 50;

interface EmojiAddress {
  readonly guildId: string;
  readonly emojiId: string;
}

export function createEmoji(
  world: World,
  actor: string,
  { guildId, ...traits }: Pick<EmojiRecord, "name" | "contentType" | "bytes"> & { readonly guildId: string },
): EmojiRecord {
  const guild = requireGuild(world, actor, guildId);
  requirePermission(permissionsInGuild(world, guild, actor), PermissionFlagsBits.CreateGuildExpressions);
  const isAnimated = ({ contentType }: Pick<EmojiRecord, "contentType">) => contentType === "image/gif";
  const alike = [...guild.emojis.values()].filter((one) => isAnimated(one) === isAnimated(traits));
  if (alike.length >= MAX_EMOJIS) {
    throw new DiscordError(400, 30008, `Maximum number of emojis reached (${MAX_EMOJIS})`);
  }
  const emoji: EmojiRecord = { id: world.mintId(), creatorId: actor, animated: isAnimated(traits), ...traits };
  guild.emojis.set(emoji.id, emoji);
  announceEmojis(world, guild);
  return emoji;
}

export function findEmoji(world: World, actor: string, { guildId, emojiId }: EmojiAddress): EmojiRecord {
  const emoji = requireGuild(world, actor, guildId).emojis.get(emojiId);
  if (!emoji) throw new DiscordError(404, 10014, "Unknown Emoji");
  return emoji;
}

export function renameEmoji(
  world: World,
  actor: string,
  { name, ...address }: EmojiAddress & { name: string },
): EmojiRecord {
  const { guild, emoji } = requireManaged(world, actor, address);
  emoji.name = name;
  announceEmojis(world, guild);
  return emoji;
}

export function deleteEmoji(world: World, actor: string, address: EmojiAddress): void {
  const { guild, emoji } = requireManaged(world, actor, address);
  guild.emojis.delete(emoji.id);
  announceEmojis(world, guild);
}

/** Whether the actor is told who made an emoji. */
export function seesCreators(world: World, actor: string, guild: GuildRecord): boolean {
  const { CreateGuildExpressions, ManageGuildExpressions } = PermissionFlagsBits;
  const permissions = permissionsInGuild(world, guild, actor);
  return allows(permissions, CreateGuildExpressions) || allows(permissions, ManageGuildExpressions);
}

/** One's own may be changed by those who may create, others only by those who manage. */
function requireManaged(world: World, actor: string, address: EmojiAddress) {
  const emoji = findEmoji(world, actor, address);
  const guild = requireGuild(world, actor, address.guildId);
  const { CreateGuildExpressions, ManageGuildExpressions } = PermissionFlagsBits;
  const permissions = permissionsInGuild(world, guild, actor);
  const isOwn = emoji.creatorId === actor && allows(permissions, CreateGuildExpressions);
  if (!isOwn) requirePermission(permissions, ManageGuildExpressions);
  return { guild, emoji };
}

function announceEmojis(world: World, guild: GuildRecord): void {
  const emojis = [...guild.emojis.values()].map(toApiEmoji);
  world.emit({ type: "GUILD_EMOJIS_UPDATE", guildId: guild.id, data: { guild_id: guild.id, emojis } });
}
