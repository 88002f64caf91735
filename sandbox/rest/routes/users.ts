import { z } from "zod";
import { requireGuild } from "../../actions/access.ts";
import { openDm } from "../../actions/channels.ts";
import { unknownUser } from "../../actions/errors.ts";
import { removeMember } from "../../actions/members.ts";
import { toApiChannel } from "../../render/channels.ts";
import { toApiSelf, toApiUser } from "../../render/users.ts";
import { guildPermissions } from "../../world/permissions.ts";
import { compareIds } from "../../world/snowflake.ts";
import { parse, parseQuery, queryBoolean, queryInteger, snowflake } from "../parse.ts";
import { type BotRequest, route } from "../route.ts";

export const userRoutes = [
  route("GET", "/users/@me", showSelf, ["identify"]),
  route("GET", "/users/@me/guilds", listMyGuilds, ["guilds"]),
  route("DELETE", "/users/@me/guilds/{guild_id}", ({ world, actor, param }) => {
    const guild = requireGuild(world, actor, param("guild_id"));
    removeMember(world, actor, { guildId: guild.id, userId: actor });
  }),
  route("POST", "/users/@me/channels", async ({ world, actor, body }) => {
    const { recipient_id: recipientId } = parse(z.object({ recipient_id: snowflake }), (await body()).json);
    return toApiChannel(world, openDm(world, actor, { recipientId }), actor);
  }),
  route("GET", "/users/{user_id}", ({ world, param }) => {
    const user = world.users.get(param("user_id"));
    if (!user) throw unknownUser();
    return toApiUser(user);
  }),
];

function showSelf({ world, actor, authorization }: BotRequest) {
  const user = world.users.get(actor);
  if (!user) throw unknownUser();
  const { email, verified, ...self } = toApiSelf(user);
  return authorization && !authorization.scopes.includes("email") ? self : { ...self, email, verified };
}

const guildsQuery = z.object({
  before: snowflake.optional(),
  after: snowflake.optional(),
  limit: queryInteger(1, 200).default(200),
  with_counts: queryBoolean.default(false),
});

function listMyGuilds({ world, actor, query }: BotRequest) {
  const { before, after, limit, with_counts } = parseQuery(guildsQuery, query);
  const own = [...world.guilds.values()]
    .filter((guild) => guild.members.has(actor))
    .filter(
      ({ id }) =>
        (before === undefined || compareIds(id, before) < 0) && (after === undefined || compareIds(id, after) > 0),
    )
    .sort((a, b) => compareIds(a.id, b.id));
  const page = before !== undefined && after === undefined ? own.slice(-limit) : own.slice(0, limit);
  return page.map((guild) => ({
    id: guild.id,
    name: guild.name,
    icon: null,
    banner: null,
    owner: guild.ownerId === actor,
    permissions: guildPermissions(guild, actor).toString(),
    features: guild.features,
    ...(with_counts && { approximate_member_count: guild.members.size, approximate_presence_count: 0 }),
  }));
}
