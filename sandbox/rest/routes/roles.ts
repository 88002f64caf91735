import { z } from "zod";
import { requireGuild } from "../../actions/access.ts";
import { unknownRole } from "../../actions/errors.ts";
import { createRole, deleteRole, type RoleTraits, updateRole } from "../../actions/roles.ts";
import { toApiRole } from "../../render/members.ts";
import { parse, permissionBits } from "../parse.ts";
import { route } from "../route.ts";

const roleBody = z.object({
  name: z.string().max(100).nullish(),
  permissions: permissionBits.nullish(),
  color: z.int().min(0).max(0xffffff).nullish(),
  hoist: z.boolean().nullish(),
  mentionable: z.boolean().nullish(),
});

export const roleRoutes = [
  route("GET", "/guilds/{guild_id}/roles", ({ world, actor, param }) =>
    [...requireGuild(world, actor, param("guild_id")).roles.values()].map(toApiRole),
  ),
  route("POST", "/guilds/{guild_id}/roles", async ({ world, actor, param, body }) => {
    const traits = toTraits((await body()).json);
    return toApiRole(createRole(world, actor, { guildId: param("guild_id"), ...traits }));
  }),
  route("GET", "/guilds/{guild_id}/roles/{role_id}", ({ world, actor, param }) => {
    const role = requireGuild(world, actor, param("guild_id")).roles.get(param("role_id"));
    if (!role) throw unknownRole();
    return toApiRole(role);
  }),
  route("PATCH", "/guilds/{guild_id}/roles/{role_id}", async ({ world, actor, param, body }) => {
    const traits = toTraits((await body()).json);
    return toApiRole(updateRole(world, actor, { guildId: param("guild_id"), roleId: param("role_id"), ...traits }));
  }),
  route("DELETE", "/guilds/{guild_id}/roles/{role_id}", ({ world, actor, param }) => {
    deleteRole(world, actor, { guildId: param("guild_id"), roleId: param("role_id") });
  }),
];

function toTraits(json: unknown): Partial<RoleTraits> {
  const { name, permissions, color, hoist, mentionable } = parse(roleBody, json);
  return {
    ...(name != null && { name }),
    ...(permissions != null && { permissions }),
    ...(color != null && { color }),
    ...(hoist != null && { hoist }),
    ...(mentionable != null && { mentionable }),
  };
}
