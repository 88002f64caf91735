import { z } from "zod";
import { requireGuild } from "../../actions/access.ts";
import { missingAccess, unknownMember } from "../../actions/errors.ts";
import { removeMember, updateMember } from "../../actions/members.ts";
import { toApiMember } from "../../render/members.ts";
import { compareIds } from "../../world/snowflake.ts";
import { parse, parseQuery, queryInteger, snowflake } from "../parse.ts";
import { type BotRequest, route } from "../route.ts";

export const memberRoutes = [
  route("GET", "/guilds/{guild_id}/members", listMembers),
  route("GET", "/guilds/{guild_id}/members/search", searchMembers),
  route("PATCH", "/guilds/{guild_id}/members/@me", async ({ world, actor, param, body }) => {
    const { nick } = parse(z.object({ nick: z.string().nullish() }), (await body()).json);
    const address = { guildId: param("guild_id"), userId: actor };
    return toApiMember(world, updateMember(world, actor, { ...address, ...(nick !== undefined && { nick }) }));
  }),
  route("GET", "/guilds/{guild_id}/members/{user_id}", ({ world, actor, param }) => {
    const member = requireGuild(world, actor, param("guild_id")).members.get(param("user_id"));
    if (!member) throw unknownMember();
    return toApiMember(world, member);
  }),
  route("PATCH", "/guilds/{guild_id}/members/{user_id}", patchMember),
  route("DELETE", "/guilds/{guild_id}/members/{user_id}", ({ world, actor, param }) => {
    removeMember(world, actor, { guildId: param("guild_id"), userId: param("user_id") });
  }),
  route("PUT", "/guilds/{guild_id}/members/{user_id}/roles/{role_id}", (request) => {
    changeRole(request, (roles, role) => roles.add(role));
  }),
  route("DELETE", "/guilds/{guild_id}/members/{user_id}/roles/{role_id}", (request) => {
    changeRole(request, (roles, role) => roles.delete(role));
  }),
];

const listQuery = z.object({
  limit: queryInteger(1, 1000).default(1),
  after: snowflake.default("0"),
});

/** The whole list is for applications with the privileged intent; single members and the search are for all. */
function listMembers({ world, application, actor, param, query }: BotRequest) {
  const { limit, after } = parseQuery(listQuery, query);
  const guild = requireGuild(world, actor, param("guild_id"));
  if (!application.privileged.members) throw missingAccess();
  const ids = [...guild.members.keys()].filter((id) => compareIds(id, after) > 0).sort(compareIds);
  return ids.slice(0, limit).flatMap((id) => {
    const member = guild.members.get(id);
    return member ? [toApiMember(world, member)] : [];
  });
}

const searchQuery = z.object({ query: z.string().min(1).max(100), limit: queryInteger(1, 1000).default(1) });

function searchMembers({ world, actor, param, query }: BotRequest) {
  const { query: prefix, limit } = parseQuery(searchQuery, query);
  const guild = requireGuild(world, actor, param("guild_id"));
  const wanted = prefix.toLowerCase();
  const found = [...guild.members.values()].filter(({ nick, userId }) => {
    const user = world.users.get(userId);
    return [nick, user?.username, user?.globalName].some((name) => name?.toLowerCase().startsWith(wanted));
  });
  return found.slice(0, limit).map((member) => toApiMember(world, member));
}

const patchBody = z.object({
  nick: z.string().nullish(),
  roles: z.array(snowflake).nullish(),
  communication_disabled_until: z.iso.datetime({ offset: true }).nullish(),
});

async function patchMember({ world, actor, param, body }: BotRequest) {
  const { nick, roles, communication_disabled_until: until } = parse(patchBody, (await body()).json);
  const member = updateMember(world, actor, {
    guildId: param("guild_id"),
    userId: param("user_id"),
    ...(nick !== undefined && { nick }),
    ...(roles && { roles }),
    ...(until !== undefined && { timedOutUntil: until === null ? null : Date.parse(until) }),
  });
  return toApiMember(world, member);
}

function changeRole({ world, actor, param }: BotRequest, change: (roles: Set<string>, role: string) => void): void {
  const address = { guildId: param("guild_id"), userId: param("user_id") };
  const member = requireGuild(world, actor, address.guildId).members.get(address.userId);
  if (!member) throw unknownMember();
  const roles = new Set(member.roles);
  change(roles, param("role_id"));
  updateMember(world, actor, { ...address, roles: [...roles] });
}
