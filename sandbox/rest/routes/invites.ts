import { PermissionFlagsBits } from "discord-api-types/v10";
import { z } from "zod";
import {
  permissionsIn,
  permissionsInGuild,
  requireGuild,
  requirePermission,
  requirePlace,
} from "../../actions/access.ts";
import { createInvite, deleteInvite, findInvite, openInvites } from "../../actions/invites.ts";
import { toTimestamp } from "../../render/timestamp.ts";
import { toApiUserById } from "../../render/users.ts";
import type { InviteRecord } from "../../world/records.ts";
import type { World } from "../../world/world.ts";
import { parse, parseQuery, queryBoolean } from "../parse.ts";
import { route } from "../route.ts";

export const inviteRoutes = [
  route("POST", "/channels/{channel_id}/invites", async ({ world, actor, param, body }) => {
    const given = parse(inviteBody, (await body()).json);
    const invite = createInvite(world, actor, {
      channelId: param("channel_id"),
      maxAgeSeconds: given.max_age ?? 86_400,
      maxUses: given.max_uses ?? 0,
      temporary: given.temporary ?? false,
      isNew: given.unique ?? false,
    });
    return showWhole(world, invite);
  }),
  route("GET", "/channels/{channel_id}/invites", ({ world, actor, param }) => {
    const place = requirePlace(world, actor, param("channel_id"));
    requirePermission(permissionsIn(world, place, actor), PermissionFlagsBits.ManageChannels);
    const own = [...openInvites(world)].filter(({ channelId }) => channelId === place.channel.id);
    return own.map((invite) => showWhole(world, invite));
  }),
  route("GET", "/guilds/{guild_id}/invites", ({ world, actor, param }) => {
    const guild = requireGuild(world, actor, param("guild_id"));
    requirePermission(permissionsInGuild(world, guild, actor), PermissionFlagsBits.ManageGuild);
    const own = [...openInvites(world)].filter(({ guildId }) => guildId === guild.id);
    return own.map((invite) => showWhole(world, invite));
  }),
  route("GET", "/invites/{code}", ({ world, param, query }) => {
    const { with_counts } = parseQuery(z.object({ with_counts: queryBoolean.default(false) }), query);
    const invite = findInvite(world, param("code"));
    const members = world.guilds.get(invite.guildId)?.members.size ?? 0;
    const counts = { approximate_member_count: members, approximate_presence_count: 0 };
    return { ...show(world, invite), ...(with_counts && counts) };
  }),
  route("DELETE", "/invites/{code}", ({ world, actor, param }) =>
    show(world, deleteInvite(world, actor, param("code"))),
  ),
];

const inviteBody = z.object({
  max_age: z.int().min(0).max(5_184_000).nullish(),
  max_uses: z.int().min(0).max(100).nullish(),
  temporary: z.boolean().nullish(),
  unique: z.boolean().nullish(),
});

/** An invite in the form for people who have the code. */
function show(world: World, { code, guildId, channelId, inviterId, maxAgeSeconds, createdAt }: InviteRecord) {
  const guild = world.guilds.get(guildId);
  const channel = world.channels.get(channelId);
  return {
    type: 0,
    code,
    inviter: toApiUserById(world, inviterId),
    expires_at: maxAgeSeconds === 0 ? null : toTimestamp(createdAt + maxAgeSeconds * 1_000),
    guild_id: guildId,
    guild: {
      id: guildId,
      name: guild?.name ?? "",
      splash: null,
      banner: null,
      description: guild?.description ?? null,
      icon: null,
      features: guild?.features ?? [],
      verification_level: 0,
      vanity_url_code: null,
      nsfw_level: 0,
      nsfw: false,
      premium_subscription_count: 0,
    },
    channel: { id: channelId, type: channel?.type ?? 0, name: channel?.name ?? null },
  };
}

/** People in the sandbox do not join by invites, so the use count is always zero. */
function showWhole(world: World, invite: InviteRecord) {
  const { maxAgeSeconds, maxUses, temporary, createdAt } = invite;
  return {
    ...show(world, invite),
    uses: 0,
    max_uses: maxUses,
    max_age: maxAgeSeconds,
    temporary,
    created_at: toTimestamp(createdAt),
  };
}
