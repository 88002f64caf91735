import type { APIApplication, APIUser } from "discord-api-types/v10";
import { ApplicationFlags, type UserFlags } from "discord-api-types/v10";
import type { ApplicationRecord, UserRecord } from "../world/records.ts";
import type { World } from "../world/world.ts";

const NO_FLAGS = 0 as UserFlags;

export function toApiUser(user: UserRecord): APIUser {
  return {
    id: user.id,
    username: user.username,
    avatar: null,
    discriminator: user.bot ? toDiscriminator(user.id) : "0",
    public_flags: NO_FLAGS,
    flags: NO_FLAGS,
    banner: null,
    accent_color: null,
    global_name: user.globalName,
    avatar_decoration_data: null,
    collectibles: null,
    primary_guild: null,
    ...(user.bot && { bot: true }),
  };
}

/** A user by id; an unknown one is rendered like a deleted account. */
export function toApiUserById(world: World, id: string): APIUser {
  return toApiUser(world.users.get(id) ?? { id, username: `deleted_user_${id}`, globalName: null, bot: false });
}

/** The bot's own account, as `GET /users/@me` and READY give it. */
export function toApiSelf(user: UserRecord): APIUser & { mfa_enabled: boolean; locale: string; verified: boolean } {
  return {
    ...toApiUser(user),
    mfa_enabled: false,
    locale: user.locale ?? "en-US",
    verified: true,
    email: null,
    premium_type: 0,
  };
}

/** The author of what a webhook said: not a user, though it looks like one. */
export function toWebhookAuthor(webhook: { readonly id: string; readonly name: string }): APIUser {
  return {
    id: webhook.id,
    username: webhook.name,
    avatar: null,
    discriminator: "0000",
    public_flags: NO_FLAGS,
    flags: NO_FLAGS,
    bot: true,
    global_name: null,
    primary_guild: null,
  };
}

/** Applications below the review threshold carry the "limited" flags for the privileged intents switched on. */
export function applicationFlags({ privileged }: ApplicationRecord): number {
  return (
    (privileged.presences ? ApplicationFlags.GatewayPresenceLimited : 0) |
    (privileged.members ? ApplicationFlags.GatewayGuildMembersLimited : 0) |
    (privileged.messageContent ? ApplicationFlags.GatewayMessageContentLimited : 0)
  );
}

/** The application as its own bot sees it. */
export function toApiApplication(world: World, application: ApplicationRecord): APIApplication & { flags_new: string } {
  const bot = world.users.get(application.botId);
  const owner = [...world.guilds.values()].find((guild) => guild.members.has(application.botId))?.ownerId;
  let guildCount = 0;
  for (const guild of world.guilds.values()) if (guild.members.has(application.botId)) guildCount += 1;
  const flags = applicationFlags(application);
  return {
    id: application.id,
    name: application.name,
    icon: null,
    description: "",
    type: null,
    ...(bot && { bot: toApiUser(bot) }),
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: Buffer.from(world.deriveSecret(`verify:${application.id}`), "base64url").toString("hex"),
    flags,
    flags_new: String(flags),
    redirect_uris: [...application.redirectUris],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    owner: toApiUserById(world, owner ?? application.botId),
    approximate_guild_count: guildCount,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    event_webhooks_url: null,
    event_webhooks_status: 1,
    explicit_content_filter: 0,
    team: null,
    eligible_oauth2_scopes: [],
    integration_types_config: { "0": {} },
  } as unknown as APIApplication & { flags_new: string };
}

/** Bots still have the four digits that people lost in 2023. */
function toDiscriminator(id: string): string {
  return String(Number(BigInt(id) % 9999n) + 1).padStart(4, "0");
}
