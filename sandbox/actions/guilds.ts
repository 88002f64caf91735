import { PermissionFlagsBits } from "discord-api-types/v10";
import { toApiGuild } from "../render/guilds.ts";
import type { GuildRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { OPERATOR, permissionsInGuild, requireGuild, requirePermission } from "./access.ts";
import { DiscordError, missingAccess, unknownMember, unknownUser } from "./errors.ts";

export interface GuildRequest {
  readonly name: string;
  readonly ownerId: string;
  readonly description?: string;
  readonly features?: readonly string[];
  /** Permissions of @everyone. */
  readonly everyone?: bigint;
  readonly id?: string;
}

/** A guild with its owner and nothing else. Bots cannot create one since 2025. */
export function createGuild(world: World, actor: string, request: GuildRequest): GuildRecord {
  if (world.users.get(actor)?.bot) throw new DiscordError(403, 20001, "Bots cannot use this endpoint");
  if (!world.users.has(request.ownerId)) throw unknownUser();
  const id = request.id ?? world.mintId();
  const everyone = {
    id,
    name: "@everyone",
    permissions: request.everyone ?? EVERYBODY,
    position: 0,
    color: 0,
    hoist: false,
    mentionable: false,
    managed: false,
  };
  const owner = {
    userId: request.ownerId,
    nick: null,
    roles: new Set<string>(),
    joinedAt: world.clock.now(),
    pending: false,
    timedOutUntil: null,
  };
  const guild: GuildRecord = {
    id,
    name: request.name,
    description: request.description ?? null,
    ownerId: request.ownerId,
    features: [...(request.features ?? [])],
    systemChannelId: null,
    roles: new Map([[id, everyone]]),
    members: new Map([[request.ownerId, owner]]),
    channels: new Map(),
    emojis: new Map(),
    bans: new Map(),
    unavailable: false,
    searchIndexReady: true,
  };
  world.guilds.set(id, guild);
  return guild;
}

export interface GuildPatch {
  readonly guildId: string;
  readonly name?: string;
  readonly description?: string | null;
  readonly ownerId?: string;
  readonly systemChannelId?: string | null;
  readonly features?: readonly string[];
  readonly preferredLocale?: string;
}

export function updateGuild(world: World, actor: string, patch: GuildPatch): GuildRecord {
  const guild = requireGuild(world, actor, patch.guildId);
  requirePermission(permissionsInGuild(world, guild, actor), PermissionFlagsBits.ManageGuild);
  if (patch.ownerId !== undefined) {
    if (actor !== guild.ownerId && actor !== OPERATOR) throw missingAccess();
    if (!guild.members.has(patch.ownerId)) throw unknownMember();
    if (world.users.get(patch.ownerId)?.bot) {
      throw new DiscordError(400, 50132, "Ownership cannot be transferred to a bot user");
    }
    guild.ownerId = patch.ownerId;
  }
  if (patch.name !== undefined) guild.name = patch.name;
  if (patch.description !== undefined) guild.description = patch.description;
  if (patch.systemChannelId !== undefined) guild.systemChannelId = patch.systemChannelId;
  if (patch.features) guild.features = [...patch.features];
  if (patch.preferredLocale !== undefined) guild.preferredLocale = patch.preferredLocale;
  world.emit({ type: "GUILD_UPDATE", guildId: guild.id, data: toApiGuild(world, guild) });
  return guild;
}

/** Also deletes everything in it, without further events. */
export function deleteGuild(world: World, actor: string, { guildId }: { readonly guildId: string }): void {
  const guild = requireGuild(world, actor, guildId);
  if (actor !== guild.ownerId && actor !== OPERATOR) throw missingAccess();
  world.guilds.delete(guildId);
  for (const channelId of guild.channels.keys()) world.channels.delete(channelId);
  for (const webhook of world.webhooks.values()) if (webhook.guildId === guildId) world.webhooks.delete(webhook.id);
  world.emit({ type: "GUILD_DELETE", guildId, onlyFor: botsOf(world, guild), data: { id: guildId } });
}

/** Begins or ends an outage of the guild. */
export function setGuildAvailability(
  world: World,
  _operator: typeof OPERATOR,
  { guildId, unavailable }: { readonly guildId: string; readonly unavailable: boolean },
): void {
  const guild = requireGuild(world, OPERATOR, guildId);
  if (guild.unavailable === unavailable) return;
  guild.unavailable = unavailable;
  const onlyFor = botsOf(world, guild);
  if (unavailable) world.emit({ type: "GUILD_DELETE", guildId, onlyFor, data: { id: guildId, unavailable: true } });
  else world.emit({ type: "GUILD_CREATE", guildId, onlyFor, data: { id: guildId } });
}

function botsOf(world: World, guild: GuildRecord): string[] {
  return [...guild.members.keys()].filter((id) => world.users.get(id)?.bot);
}

/** The permissions of @everyone in a new server, as far as they concern text. */
const EVERYBODY =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.SendMessagesInThreads |
  PermissionFlagsBits.CreatePublicThreads |
  PermissionFlagsBits.CreatePrivateThreads |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.AddReactions |
  PermissionFlagsBits.UseExternalEmojis |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.SendPolls |
  PermissionFlagsBits.UseApplicationCommands |
  PermissionFlagsBits.ChangeNickname |
  PermissionFlagsBits.Connect |
  PermissionFlagsBits.Speak;
