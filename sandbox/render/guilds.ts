import type { APIChannel, APIGuild, APIThreadChannel, GatewayGuildCreateDispatchData } from "discord-api-types/v10";
import { canView } from "../world/permissions.ts";
import type { GuildRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { toApiChannel, toGatewayChannel } from "./channels.ts";
import { toApiEmoji, toApiSticker } from "./expressions.ts";
import { toApiMember, toApiRole } from "./members.ts";
import { toTimestamp } from "./timestamp.ts";

export function toApiGuild(world: World, guild: GuildRecord): APIGuild {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    description: guild.description,
    home_header: null,
    splash: null,
    discovery_splash: null,
    features: [...guild.features],
    banner: null,
    owner_id: guild.ownerId,
    application_id: null,
    region: "us-central",
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: guild.systemChannelId,
    system_channel_flags: 0,
    widget_enabled: false,
    widget_channel_id: null,
    verification_level: 0,
    roles: [...guild.roles.values()].map(toApiRole),
    default_message_notifications: 0,
    mfa_level: 0,
    explicit_content_filter: 0,
    max_presences: null,
    max_members: 500_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    vanity_url_code: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    preferred_locale: guild.preferredLocale ?? "en-US",
    rules_channel_id: null,
    safety_alerts_channel_id: null,
    public_updates_channel_id: null,
    premium_progress_bar_enabled: false,
    nsfw: false,
    nsfw_level: 0,
    emojis: [...guild.emojis.values()].map(toApiEmoji),
    stickers: [...world.stickers.values()].filter(({ guildId }) => guildId === guild.id).map(toApiSticker),
    incidents_data: null,
    hub_type: null,
  } as unknown as APIGuild;
}

export interface GuildViewer {
  readonly id: string;
  /** With more members the guild counts as large and is sent with the viewer alone. */
  readonly largeThreshold: number;
  /** Whether the session's intents allow the member list at all. */
  readonly withMembers: boolean;
}

/** The data of GUILD_CREATE: everything this bot may know of the guild, hidden channels obfuscated. */
export function toGatewayGuild(world: World, guild: GuildRecord, viewer: GuildViewer): GatewayGuildCreateDispatchData {
  const large = guild.members.size > viewer.largeThreshold;
  const own = guild.members.get(viewer.id);
  const listed = viewer.withMembers && !large ? [...guild.members.values()] : own ? [own] : [];
  const channels: APIChannel[] = [];
  const threads: APIChannel[] = [];
  for (const channel of guild.channels.values()) {
    if (!channel.thread) channels.push(toGatewayChannel(world, channel, viewer.id));
    else if (!channel.thread.archived && canView(guild, channel, viewer.id)) {
      threads.push(toApiChannel(world, channel, viewer.id));
    }
  }
  return {
    ...toApiGuild(world, guild),
    joined_at: toTimestamp(own?.joinedAt ?? 0),
    large,
    unavailable: false,
    member_count: guild.members.size,
    members: listed.map((member) => toApiMember(world, member)),
    channels: channels as GatewayGuildCreateDispatchData["channels"],
    threads: threads as APIThreadChannel[],
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}
