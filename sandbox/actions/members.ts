import { MessageType, PermissionFlagsBits } from "discord-api-types/v10";
import { toApiMember } from "../render/members.ts";
import { toApiUserById } from "../render/users.ts";
import type { GuildRecord, MemberRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { OPERATOR, permissionsInGuild, requireGuild, requirePermission } from "./access.ts";
import {
  DiscordError,
  invalidForm,
  missingPermissions,
  tooLong,
  unknownMember,
  unknownRole,
  unknownUser,
} from "./errors.ts";
import { postNotice } from "./notices.ts";
import { rankOf, requireRankAbove } from "./rank.ts";

interface MemberAddress {
  readonly guildId: string;
  readonly userId: string;
}

/** Adds a member. Only the operator may: bots need an OAuth grant that the sandbox does not support. */
export function addMember(
  world: World,
  actor: string,
  request: MemberAddress & { readonly roles?: readonly string[]; readonly nick?: string; readonly pending?: boolean },
): MemberRecord {
  if (actor !== OPERATOR && actor !== request.userId) throw missingPermissions();
  const guild = requireGuild(world, OPERATOR, request.guildId);
  const user = world.users.get(request.userId);
  if (!user) throw unknownUser();
  const existing = guild.members.get(user.id);
  if (existing) return existing;
  if (guild.bans.has(user.id)) throw new DiscordError(403, 40007, "The user is banned from this guild.");
  const member: MemberRecord = {
    userId: user.id,
    nick: request.nick ?? null,
    roles: new Set(request.roles ?? []),
    joinedAt: world.clock.now(),
    pending: request.pending ?? false,
    timedOutUntil: null,
  };
  guild.members.set(user.id, member);
  if (user.bot) world.emit({ type: "GUILD_CREATE", guildId: guild.id, onlyFor: [user.id], data: { id: guild.id } });
  world.emit({
    type: "GUILD_MEMBER_ADD",
    guildId: guild.id,
    data: { ...toApiMember(world, member), guild_id: guild.id },
  });
  const channel = guild.systemChannelId === null ? undefined : guild.channels.get(guild.systemChannelId);
  if (channel) postNotice(world, { channel, guild }, { type: MessageType.UserJoin, authorId: user.id });
  return member;
}

/** Removes a member who leaves or is kicked. Thread memberships stay in the records, without effect. */
export function removeMember(world: World, actor: string, { guildId, userId }: MemberAddress): void {
  const guild = requireGuild(world, actor, guildId);
  if (!guild.members.has(userId)) throw unknownMember();
  if (actor !== userId) {
    requirePermission(permissionsInGuild(world, guild, actor), PermissionFlagsBits.KickMembers);
    requireRankAbove(guild, actor, rankOf(guild, userId));
  }
  guild.members.delete(userId);
  const data = { guild_id: guildId, user: toApiUserById(world, userId) };
  world.emit({ type: "GUILD_MEMBER_REMOVE", guildId, data });
  if (world.users.get(userId)?.bot)
    world.emit({ type: "GUILD_DELETE", guildId, onlyFor: [userId], data: { id: guildId } });
}

export interface MemberPatch extends MemberAddress {
  readonly roles?: readonly string[];
  readonly nick?: string | null;
  readonly timedOutUntil?: number | null;
  readonly pending?: boolean;
}

export function updateMember(world: World, actor: string, patch: MemberPatch): MemberRecord {
  const guild = requireGuild(world, actor, patch.guildId);
  const member = guild.members.get(patch.userId);
  if (!member) throw unknownMember();
  requireChanging(world, actor, { guild, member, patch });
  if (patch.nick !== undefined) {
    if ((patch.nick?.length ?? 0) > 32) throw invalidForm([tooLong(["nick"], 32)]);
    member.nick = patch.nick || null;
  }
  if (patch.roles) {
    member.roles.clear();
    for (const id of patch.roles) if (id !== guild.id) member.roles.add(id);
  }
  if (patch.timedOutUntil !== undefined) member.timedOutUntil = patch.timedOutUntil;
  if (patch.pending !== undefined && actor === OPERATOR) member.pending = patch.pending;
  announceMember(world, guild, member);
  return member;
}

export function announceMember(world: World, guild: GuildRecord, member: MemberRecord): void {
  const data = { ...toApiMember(world, member), guild_id: guild.id };
  world.emit({ type: "GUILD_MEMBER_UPDATE", guildId: guild.id, data });
}

function requireChanging(
  world: World,
  actor: string,
  { guild, member, patch }: { guild: GuildRecord; member: MemberRecord; patch: MemberPatch },
): void {
  const { ChangeNickname, ManageNicknames, ManageRoles, ModerateMembers } = PermissionFlagsBits;
  const permissions = permissionsInGuild(world, guild, actor);
  const isSelf = actor === member.userId;
  const requireOver = () => requireRankAbove(guild, actor, isSelf ? -1 : rankOf(guild, member.userId));
  if (patch.nick !== undefined) {
    requirePermission(permissions, isSelf ? ChangeNickname : ManageNicknames);
    requireOver();
  }
  if (patch.timedOutUntil !== undefined) {
    requirePermission(permissions, ModerateMembers);
    if (isSelf) throw missingPermissions();
    requireOver();
  }
  if (!patch.roles) return;
  requirePermission(permissions, ManageRoles);
  const wanted = new Set(patch.roles);
  const changed = [...wanted.symmetricDifference(member.roles)];
  for (const id of changed) {
    const role = guild.roles.get(id);
    if (!role && wanted.has(id)) throw unknownRole();
    if (role && role.id !== guild.id) requireRankAbove(guild, actor, role.position);
  }
}
