import { GatewayIntentBits, GatewayVersion } from "discord-api-types/v10";
import { toGatewayGuild } from "../render/guilds.ts";
import { applicationFlags, toApiSelf } from "../render/users.ts";
import type { GuildRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { viewableChannels } from "./channel-access.ts";
import type { GatewayDeps } from "./deps.ts";
import { hasIntent } from "./intents.ts";
import type { Session } from "./session.ts";

/** Sends READY, with all guilds unavailable, then each guild of the shard. */
export function greet(session: Session, { world, url }: GatewayDeps): void {
  const { application, botId } = session;
  const user = world.users.get(botId);
  const guilds = [...world.guilds.values()].filter((guild) => guild.members.has(botId) && session.covers(guild.id));
  const ready = {
    v: Number(GatewayVersion),
    user: user && toApiSelf(user),
    user_settings: {},
    session_type: "normal",
    session_id: session.id,
    resume_gateway_url: url(),
    relationships: [],
    private_channels: [],
    presences: [],
    guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
    guild_join_requests: [],
    geo_ordered_rtc_regions: [],
    shard: session.shard,
    application: { id: application.id, flags: applicationFlags(application) },
    _trace: [],
  };
  session.dispatch("READY", JSON.stringify(ready));
  for (const guild of guilds) showGuild(session, guild, world);
}

/** GUILD_CREATE; for a guild with an outage the word that it stays unavailable. */
export function showGuild(session: Session, guild: GuildRecord, world: World): void {
  const tellsGuilds = hasIntent(session.intents, GatewayIntentBits.Guilds);
  if (guild.unavailable) {
    if (tellsGuilds) session.dispatch("GUILD_DELETE", JSON.stringify({ id: guild.id, unavailable: true }));
    return;
  }
  session.shown.set(guild.id, viewableChannels(guild, session.botId));
  if (!tellsGuilds) return;
  const data = toGatewayGuild(world, guild, {
    id: session.botId,
    largeThreshold: session.largeThreshold,
    // Discord sends other members than the bot itself only together with their presences.
    withMembers: hasIntent(session.intents, GatewayIntentBits.GuildPresences),
  });
  session.dispatch("GUILD_CREATE", JSON.stringify(data));
}
