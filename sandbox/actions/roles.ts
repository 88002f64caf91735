import { PermissionFlagsBits } from "discord-api-types/v10";
import { toApiRole } from "../render/members.ts";
import type { GuildRecord, RoleRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { permissionsInGuild, requireGuild, requirePermission } from "./access.ts";
import { DiscordError, unknownRole } from "./errors.ts";
import { announceMember } from "./members.ts";
import { requireRankAbove } from "./rank.ts";

export interface RoleTraits {
  readonly name: string;
  readonly permissions: bigint;
  readonly color: number;
  readonly hoist: boolean;
  readonly mentionable: boolean;
  readonly position: number;
}

export function createRole(
  world: World,
  actor: string,
  { guildId, botId, ...traits }: Partial<RoleTraits> & { readonly guildId: string; readonly botId?: string },
): RoleRecord {
  const guild = requireManaging(world, actor, { guildId, permissions: traits.permissions ?? 0n });
  const role: RoleRecord = {
    id: world.mintId(),
    name: traits.name ?? "new role",
    permissions: traits.permissions ?? guild.roles.get(guild.id)?.permissions ?? 0n,
    position: traits.position ?? 1,
    color: traits.color ?? 0,
    hoist: traits.hoist ?? false,
    mentionable: traits.mentionable ?? false,
    managed: botId !== undefined,
    ...(botId !== undefined && { botId }),
  };
  // A new role starts at the bottom, right above @everyone.
  if (traits.position === undefined) {
    for (const other of guild.roles.values()) if (other.id !== guild.id) other.position += 1;
  }
  guild.roles.set(role.id, role);
  announceRole(world, "GUILD_ROLE_CREATE", { guild, role });
  return role;
}

export function updateRole(
  world: World,
  actor: string,
  { guildId, roleId, ...traits }: Partial<RoleTraits> & { readonly guildId: string; readonly roleId: string },
): RoleRecord {
  const guild = requireManaging(world, actor, { guildId, permissions: traits.permissions ?? 0n });
  const role = guild.roles.get(roleId);
  if (!role) throw unknownRole();
  requireRankAbove(guild, actor, role.position);
  Object.assign(role, traits);
  announceRole(world, "GUILD_ROLE_UPDATE", { guild, role });
  return role;
}

export function deleteRole(
  world: World,
  actor: string,
  { guildId, roleId }: { readonly guildId: string; readonly roleId: string },
): void {
  const guild = requireManaging(world, actor, { guildId, permissions: 0n });
  const role = guild.roles.get(roleId);
  if (!role) throw unknownRole();
  if (role.id === guild.id || role.managed) throw new DiscordError(400, 50028, "Invalid role");
  requireRankAbove(guild, actor, role.position);
  guild.roles.delete(roleId);
  for (const channel of guild.channels.values()) channel.overwrites.delete(roleId);
  const holders = [...guild.members.values()].filter((member) => member.roles.delete(roleId));
  world.emit({ type: "GUILD_ROLE_DELETE", guildId, data: { guild_id: guildId, role_id: roleId } });
  for (const member of holders) announceMember(world, guild, member);
}

/** Members cannot grant permissions that they do not have. */
function requireManaging(
  world: World,
  actor: string,
  { guildId, permissions }: { guildId: string; permissions: bigint },
): GuildRecord {
  const guild = requireGuild(world, actor, guildId);
  requirePermission(permissionsInGuild(world, guild, actor), PermissionFlagsBits.ManageRoles | permissions);
  return guild;
}

function announceRole(
  world: World,
  type: "GUILD_ROLE_CREATE" | "GUILD_ROLE_UPDATE",
  { guild, role }: { guild: GuildRecord; role: RoleRecord },
): void {
  world.emit({ type, guildId: guild.id, data: { guild_id: guild.id, role: toApiRole(role) } });
}
