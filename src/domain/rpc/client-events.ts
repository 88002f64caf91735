import { z } from "zod";
import { idSchema } from "../id-schema.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../ids.ts";
import { messageSchema } from "../message.ts";

const channelId = idSchema<ChannelId>();
const guildId = idSchema<GuildId>();
const deletedMessages = z.object({ channel_id: channelId, message_ids: z.array(idSchema<MessageId>()) });

/** The events about Discord for clients, by name; on the wire `event/<name>`. */
export const CLIENT_EVENTS = {
  "discord.message": messageSchema.describe("Somebody said something"),
  "discord.message_update": messageSchema.describe("A message was edited, or Discord added a link preview to it"),
  "discord.message_delete": deletedMessages.describe("A message was deleted"),
  "discord.message_delete_bulk": deletedMessages.describe("Several messages were deleted at once"),
  "discord.reaction": z
    .object({
      action: z.enum(["add", "remove", "clear"]),
      channel_id: channelId,
      message_id: idSchema<MessageId>(),
      user_id: idSchema<UserId>().nullable().describe("Null when a moderator cleared them"),
      emoji: z.string().nullable().describe("Null when all emoji were cleared"),
    })
    .describe("Somebody reacted to a message, or took that back"),
  "discord.channel": z
    .object({ channel_id: channelId })
    .describe("A channel or thread came into being, into sight, or changed"),
  "discord.channel_deleted": z
    .object({ channel_id: channelId, guild_id: guildId })
    .describe("A channel or thread was deleted"),
  "discord.access_lost": z
    .object({ channel_id: channelId, guild_id: guildId })
    .describe("The bot may no longer read a channel"),
  "discord.guild": z.object({ guild_id: guildId }).describe("A server came into sight, or changed"),
  "discord.guild_removed": z
    .object({ guild_id: guildId })
    .describe("The bot was removed from a server, or the server is gone"),
  "discord.connection": z
    .object({ state: z.enum(["connecting", "ready", "reconnecting", "token_refused", "closed"]) })
    .describe("The state of the connection to Discord"),
  "discord.gap": z
    .object({
      from: z.string(),
      to: z.string(),
      reason: z.enum(["resume_refused", "session_expired", "restart", "events_lost"]),
      guild_ids: z.array(guildId),
    })
    .describe("What happened on Discord between these times may have been missed"),
} as const satisfies Record<string, z.ZodType>;

export type ClientEventName = keyof typeof CLIENT_EVENTS;
export type ClientEventPayload<Name extends ClientEventName> = z.output<(typeof CLIENT_EVENTS)[Name]>;
