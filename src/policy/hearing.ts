import type { GuildId, MessageId } from "../domain/ids.ts";
import type { Label, Reading } from "../domain/label.ts";
import type { Message } from "../domain/message.ts";
import { linksMeantIn } from "../domain/text/links.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory } from "../ports/directory.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import type { Grant } from "./grant.ts";
import type { Client } from "./operation.ts";
import type { Operations } from "./operations.ts";
import { refuseGuild, refusePlace } from "./refuse-place.ts";
import type { Rules } from "./rules.ts";
import { type Whereabouts, whereabouts } from "./whereabouts.ts";

/** An event in the form in which a client is told of it. */
interface ClientEvent {
  /** Such as "discord.message"; on the wire `event/discord.message`. */
  readonly name: string;
  readonly payload: unknown;
  /** Present when the event addresses the agent: tools may be called within it. */
  readonly operation_id?: string;
}

/** Decides what a client hears. */
export interface Hearing {
  /** Null when the client is told nothing. Opens an operation, with the given label, where the event addresses the agent. */
  toClientEvent(event: DiscordEvent, client: Client, label: Label): ClientEvent | null;
}

export interface HearingDeps {
  readonly directory: Directory;
  readonly operations: Operations;
  readonly rules: Rules;
  readonly clock: Clock;
}

export function createHearing({ directory, operations, rules, clock }: HearingDeps): Hearing {
  return {
    toClientEvent(event, client, label) {
      if (client.grant.events === "none") return null;
      if (event.type === "message") return hearMessage(event, client, label);
      const heard = narrow(event, client);
      return heard && describe(heard, (id) => refuseGuild({ grant: client.grant, rules }, id) === null);
    },
  };

  function hearMessage(
    event: Extract<DiscordEvent, { type: "message" }>,
    client: Client,
    label: Label,
  ): ClientEvent | null {
    const { message, addressed } = event;
    if (!isCovered(event, client.grant)) return null;
    if (addressed) {
      const { id } = operations.openFor(client, message, label);
      // What it is told in one operation, a confined client knows in the next.
      if (client.grant.confined) label.join(toReading(message), clock.now());
      return { name: "discord.message", payload: message, operation_id: id };
    }
    return client.grant.events === "all" ? { name: "discord.message", payload: message } : null;
  }

  /** Whoever hears only what is addressed to the agent also hears what becomes of that. Null when nothing of it is for the client. */
  function narrow(event: OtherEvent, client: Client): OtherEvent | null {
    const { grant } = client;
    if (event.type === "connection" || event.type === "gap") return event;
    if (!isCovered(event, grant)) return null;
    if (grant.events === "all") return event;
    const began = (id: MessageId) => operations.beganWith(id, client);
    switch (event.type) {
      case "message_update":
        return began(event.message.message_id) ? event : null;
      case "message_delete": {
        const messageIds = event.messageIds.filter(began);
        return messageIds.length > 0 ? { ...event, messageIds } : null;
      }
      case "reaction":
        return began(event.messageId) ? event : null;
      default:
        return null;
    }
  }

  /** What concerns a place is for nobody where the place is unknown, or not covered by grant and rules. */
  function isCovered(event: Exclude<DiscordEvent, { type: "connection" | "gap" }>, grant: Grant): boolean {
    if (event.type === "guild" || event.type === "guild_removed")
      return refuseGuild({ grant, rules }, event.guildId) === null;
    return refusePlace({ grant, rules }, placeOf(event)) === null;
  }

  /** A channel that is gone is known no longer; the event says where it stood. */
  function placeOf(event: PlacedEvent): Whereabouts | undefined {
    if ("message" in event) return whereabouts(directory, event.message.channel_id);
    const { channelId } = event;
    if (!("lineage" in event) || event.lineage.length === 0) return whereabouts(directory, channelId);
    return { channel: { id: channelId, guildId: event.guildId }, lineage: event.lineage };
  }
}

type PlacedEvent = Exclude<DiscordEvent, { type: "guild" | "guild_removed" | "connection" | "gap" }>;

function toReading({ channel_id, message_id, content }: Message): Reading {
  return { channels: [channel_id], guilds: [], messages: [message_id], links: linksMeantIn(content) };
}

type OtherEvent = Exclude<DiscordEvent, { type: "message" }>;

/** In words of the wire. Of a gap only the servers that the client may know are named. */
function describe(event: OtherEvent, mayKnow: (guildId: GuildId) => boolean): ClientEvent {
  switch (event.type) {
    case "message_update":
      return { name: "discord.message_update", payload: event.message };
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
      return { name: "discord.gap", payload: { from, to, reason, guild_ids: guildIds.filter(mayKnow) } };
    }
  }
}
