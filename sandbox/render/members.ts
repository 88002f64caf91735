import type { APIGuildMember, APIRole, GuildMemberFlags, RoleFlags } from "discord-api-types/v10";
import type { MemberRecord, RoleRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { toTimestamp } from "./timestamp.ts";
import { toApiUserById } from "./users.ts";

/** A member without the user, as messages, typing and mentions carry it. */
export type PartialMember = Omit<APIGuildMember, "user">;

export function toApiMember(world: World, member: MemberRecord): APIGuildMember {
  return { ...toPartialMember(member), user: toApiUserById(world, member.userId) };
}

export function toPartialMember(member: MemberRecord): PartialMember {
  return {
    avatar: null,
    banner: null,
    communication_disabled_until: member.timedOutUntil === null ? null : toTimestamp(member.timedOutUntil),
    flags: 0 as GuildMemberFlags,
    joined_at: toTimestamp(member.joinedAt),
    nick: member.nick,
    pending: member.pending,
    premium_since: null,
    roles: [...member.roles],
    mute: false,
    deaf: false,
  };
}

export function toApiRole(role: RoleRecord): APIRole {
  return {
    id: role.id,
    name: role.name,
    permissions: role.permissions.toString(),
    position: role.position,
    color: role.color,
    colors: { primary_color: role.color, secondary_color: null, tertiary_color: null },
    hoist: role.hoist,
    managed: role.managed,
    mentionable: role.mentionable,
    icon: null,
    unicode_emoji: null,
    flags: 0 as RoleFlags,
    ...(role.botId !== undefined && { tags: { bot_id: role.botId } }),
  };
}
