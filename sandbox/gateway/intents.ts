import { GatewayIntentBits as Intent } from "discord-api-types/v10";

/** The intent that each guild event needs; `null`: none. Events not listed are never sent. */
const IN_GUILDS: Readonly<Record<string, number | null>> = {
  GUILD_CREATE: Intent.Guilds,
  GUILD_UPDATE: Intent.Guilds,
  GUILD_DELETE: Intent.Guilds,
  GUILD_ROLE_CREATE: Intent.Guilds,
  GUILD_ROLE_UPDATE: Intent.Guilds,
  GUILD_ROLE_DELETE: Intent.Guilds,
  CHANNEL_CREATE: Intent.Guilds,
  CHANNEL_UPDATE: Intent.Guilds,
  CHANNEL_DELETE: Intent.Guilds,
  CHANNEL_PINS_UPDATE: Intent.Guilds,
  THREAD_CREATE: Intent.Guilds,
  THREAD_UPDATE: Intent.Guilds,
  THREAD_DELETE: Intent.Guilds,
  THREAD_LIST_SYNC: Intent.Guilds,
  THREAD_MEMBER_UPDATE: Intent.Guilds,
  THREAD_MEMBERS_UPDATE: Intent.Guilds,
  GUILD_MEMBER_ADD: Intent.GuildMembers,
  GUILD_MEMBER_UPDATE: Intent.GuildMembers,
  GUILD_MEMBER_REMOVE: Intent.GuildMembers,
  GUILD_AUDIT_LOG_ENTRY_CREATE: Intent.GuildModeration,
  GUILD_BAN_ADD: Intent.GuildModeration,
  GUILD_BAN_REMOVE: Intent.GuildModeration,
  GUILD_EMOJIS_UPDATE: Intent.GuildExpressions,
  GUILD_STICKERS_UPDATE: Intent.GuildExpressions,
  INVITE_CREATE: Intent.GuildInvites,
  INVITE_DELETE: Intent.GuildInvites,
  INTEGRATION_CREATE: Intent.GuildIntegrations,
  INTEGRATION_DELETE: Intent.GuildIntegrations,
  WEBHOOKS_UPDATE: Intent.GuildWebhooks,
  PRESENCE_UPDATE: Intent.GuildPresences,
  MESSAGE_CREATE: Intent.GuildMessages,
  MESSAGE_UPDATE: Intent.GuildMessages,
  MESSAGE_DELETE: Intent.GuildMessages,
  MESSAGE_DELETE_BULK: Intent.GuildMessages,
  MESSAGE_REACTION_ADD: Intent.GuildMessageReactions,
  MESSAGE_REACTION_REMOVE: Intent.GuildMessageReactions,
  MESSAGE_REACTION_REMOVE_ALL: Intent.GuildMessageReactions,
  MESSAGE_REACTION_REMOVE_EMOJI: Intent.GuildMessageReactions,
  MESSAGE_POLL_VOTE_ADD: Intent.GuildMessagePolls,
  MESSAGE_POLL_VOTE_REMOVE: Intent.GuildMessagePolls,
  TYPING_START: Intent.GuildMessageTyping,
  INTERACTION_CREATE: null,
};

/** The same for DMs. A bot receives no event when a DM is opened. */
const IN_DIRECT_MESSAGES: Readonly<Record<string, number | null>> = {
  MESSAGE_CREATE: Intent.DirectMessages,
  MESSAGE_UPDATE: Intent.DirectMessages,
  MESSAGE_DELETE: Intent.DirectMessages,
  CHANNEL_PINS_UPDATE: Intent.DirectMessages,
  MESSAGE_REACTION_ADD: Intent.DirectMessageReactions,
  MESSAGE_REACTION_REMOVE: Intent.DirectMessageReactions,
  MESSAGE_REACTION_REMOVE_ALL: Intent.DirectMessageReactions,
  MESSAGE_REACTION_REMOVE_EMOJI: Intent.DirectMessageReactions,
  MESSAGE_POLL_VOTE_ADD: Intent.DirectMessagePolls,
  MESSAGE_POLL_VOTE_REMOVE: Intent.DirectMessagePolls,
  TYPING_START: Intent.DirectMessageTyping,
  INTERACTION_CREATE: null,
  USER_UPDATE: null,
};

export function isIntended(intents: number, type: string, guildId: string | null): boolean {
  const needed = (guildId === null ? IN_DIRECT_MESSAGES : IN_GUILDS)[type];
  return needed === null || (needed !== undefined && hasIntent(intents, needed));
}

export function hasIntent(intents: number, intent: number): boolean {
  return (intents & intent) !== 0;
}
