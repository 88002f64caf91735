import type { GuildId, UserId } from "../domain/ids.ts";
import { PERMISSION } from "../domain/permission-set.ts";
import { guildPermissions } from "../domain/permissions.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory } from "../ports/directory.ts";
import { rolesAllow } from "./apply-rules.ts";
import type { Scope } from "./grant.ts";
import type { Rules } from "./rules.ts";

export interface ManagerDeps {
  readonly directory: Pick<Directory, "guild" | "member" | "roles">;
  readonly clock: Clock;
}

/** Whether a member has Manage Server by their roles (no channel grants it). False while they are timed out. */
export function managesGuild(actor: UserId, guildId: GuildId, { directory, clock }: ManagerDeps): boolean {
  const guild = directory.guild(guildId);
  const member = directory.member(guildId, actor);
  if (!guild?.available || !member || member.pending) return false;
  const roles = new Map(directory.roles(guildId).map((role) => [role.id, role]));
  const held = guildPermissions({ id: guildId, ownerId: guild.ownerId, roles }, member);
  const isTimedOut = (member.timedOutUntil ?? 0) > clock.now() && (held & PERMISSION.administrator) === 0;
  return (held & PERMISSION.manageGuild) !== 0 && !isTimedOut;
}

/**
 * Whether a member may decide for a server: by Manage Server, or by a role for which a rule names the scope. Neither counts while they are
 * timed out or have not passed the screening.
 */
export function mayDecideFor(
  actor: UserId,
  { guildId, scope }: { readonly guildId: GuildId; readonly scope: Scope },
  { rules, directory, clock }: ManagerDeps & { readonly rules: Rules },
): boolean {
  const manages = managesGuild(actor, guildId, { directory, clock });
  const member = directory.member(guildId, actor);
  const isSuspended = member?.pending === true || (member?.timedOutUntil ?? 0) > clock.now();
  return (manages || !isSuspended) && rolesAllow(rules, { guildId, roles: member?.roles, manages, scope });
}
