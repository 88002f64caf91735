import { ChannelType, PermissionFlagsBits } from "discord-api-types/v10";
import { z } from "zod";
import { permissionsInGuild, requireGuild, requirePermission } from "../../actions/access.ts";
import { createChannel } from "../../actions/channels.ts";
import { toApiChannel, toApiThreadMember } from "../../render/channels.ts";
import { toApiGuild } from "../../render/guilds.ts";
import { canView } from "../../world/permissions.ts";
import type { ChannelRecord } from "../../world/records.ts";
import { compareIds } from "../../world/snowflake.ts";
import { channelTraits, toTraits } from "../bodies/channel.ts";
import { parse, parseQuery, queryBoolean } from "../parse.ts";
import { type BotRequest, Reply, route } from "../route.ts";
import { showWebhook } from "./webhooks.ts";

export const guildRoutes = [
  route("GET", "/guilds/{guild_id}", ({ world, actor, param, query }) => {
    const guild = requireGuild(world, actor, param("guild_id"));
    const { with_counts } = parseQuery(z.object({ with_counts: queryBoolean.default(false) }), query);
    const counts = { approximate_member_count: guild.members.size, approximate_presence_count: 0 };
    return { ...toApiGuild(world, guild), ...(with_counts && counts) };
  }),
  route("GET", "/guilds/{guild_id}/channels", ({ world, actor, param }) => {
    const guild = requireGuild(world, actor, param("guild_id"));
    const visible = [...guild.channels.values()].filter((one) => !one.thread && canView(guild, one, actor));
    return visible.map((channel) => toApiChannel(world, channel, actor));
  }),
  route("POST", "/guilds/{guild_id}/channels", async ({ world, actor, param, body }) => {
    const { type, ...traits } = parse(newChannelBody, (await body()).json);
    const guildId = param("guild_id");
    const channel = createChannel(world, actor, { ...toTraits(traits), name: traits.name, type, guildId });
    return new Reply(201, toApiChannel(world, channel, actor));
  }),
  route("GET", "/guilds/{guild_id}/threads/active", listActiveThreads),
  route("GET", "/guilds/{guild_id}/webhooks", ({ world, actor, param }) => {
    const guild = requireGuild(world, actor, param("guild_id"));
    requirePermission(permissionsInGuild(world, guild, actor), PermissionFlagsBits.ManageWebhooks);
    const own = [...world.webhooks.values()].filter((webhook) => webhook.guildId === guild.id);
    return own.map((webhook) => showWebhook(world, webhook));
  }),
];

const CREATABLE = [
  ChannelType.GuildText,
  ChannelType.GuildVoice,
  ChannelType.GuildCategory,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildStageVoice,
  ChannelType.GuildForum,
  ChannelType.GuildMedia,
] as const;

const newChannelBody = z.object({
  ...channelTraits.shape,
  name: z.string(),
  type: z
    .literal([...CREATABLE])
    .nullish()
    .transform((type) => type ?? ChannelType.GuildText),
});

function listActiveThreads({ world, actor, param }: BotRequest) {
  const guild = requireGuild(world, actor, param("guild_id"));
  const threads = [...guild.channels.values()]
    .filter((channel): channel is ChannelRecord & { thread: object } => channel.thread?.archived === false)
    .filter((channel) => canView(guild, channel, actor))
    .sort((a, b) => compareIds(b.id, a.id));
  const joined = threads.filter(({ thread }) => thread.members.has(actor));
  return {
    threads: threads.map((thread) => toApiChannel(world, thread, actor)),
    members: joined.map((thread) => toApiThreadMember(world, thread, { userId: actor })),
    has_more: false,
  };
}
