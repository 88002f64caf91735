import type { GuildRecord } from "../world/records.ts";
import { OPERATOR } from "./access.ts";
import { missingPermissions } from "./errors.ts";

/** Position of the highest role; the owner is above every role. */
export function rankOf(guild: GuildRecord, userId: string): number {
  if (userId === OPERATOR || userId === guild.ownerId) return Number.POSITIVE_INFINITY;
  let rank = 0;
  for (const roleId of guild.members.get(userId)?.roles ?? []) {
    rank = Math.max(rank, guild.roles.get(roleId)?.position ?? 0);
  }
  return rank;
}

/** Members cannot change roles or people at or above their own rank. */
export function requireRankAbove(guild: GuildRecord, actor: string, position: number): void {
  if (rankOf(guild, actor) <= position) throw missingPermissions();
}
