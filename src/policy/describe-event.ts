import { withoutTarget } from "../domain/message.ts";
import type { DiscordEvent } from "../ports/discord.ts";

/** An event as it is pushed to a client. */
export interface ClientEvent {
  /** Such as "discord.message"; on the wire `event/discord.message`. */
  readonly name: string;
  readonly payload: unknown;
  /** Present when the event addresses the agent: tools may be called within it. */
  readonly operation_id?: string;
}

export type OtherEvent = Exclude<DiscordEvent, { type: "message" }>;

/** In words of the wire. */
export function describeEvent(event: OtherEvent): ClientEvent {
  switch (event.type) {
    case "message_update":
      return { name: "discord.message_update", payload: withoutTarget(event.message) };
    case "message_delete": {
      const name = event.messageIds.length > 1 ? "discord.message_delete_bulk" : "discord.message_delete";
      return { name, payload: { channel_id: event.channelId, message_ids: event.messageIds } };
    }
    case "reaction": {
      const { action, channelId, messageId, userId, emoji } = event;
      return {
        name: "discord.reaction",
        payload: { action, channel_id: channelId, message_id: messageId, user_id: userId, emoji },
      };
    }
    case "channel":
      return { name: "discord.channel", payload: { channel_id: event.channelId } };
    case "channel_deleted":
    case "access_lost":
      return { name: `discord.${event.type}`, payload: { channel_id: event.channelId, guild_id: event.guildId } };
    case "guild":
    case "guild_removed":
      return { name: `discord.${event.type}`, payload: { guild_id: event.guildId } };
    case "connection":
      return { name: "discord.connection", payload: { state: event.state } };
    case "gap": {
      const { from, to, reason, guildIds } = event;
      return { name: "discord.gap", payload: { from, to, reason, guild_ids: guildIds } };
    }
  }
}
