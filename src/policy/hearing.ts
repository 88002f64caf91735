import type { ChannelId, GuildId, MessageId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory } from "../ports/directory.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import type { ConfinedLabels } from "./confined-labels.ts";
import type { Grant } from "./grant.ts";
import type { Client } from "./operation.ts";
import type { Operations } from "./operations.ts";
import { isNamed, refuseGuild, refusePlace } from "./refuse-place.ts";
import type { Rules } from "./rules.ts";
import { toReading } from "./to-reading.ts";
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
  /** To be told of everything that happens, also while no client listens. */
  note(event: DiscordEvent): void;
  /** Whether a message that addressed the client's agent may still be pushed, in the words in which it stands now. */
  mayStillTell(event: Extract<DiscordEvent, { type: "message" }>, client: Client): boolean;
  /** Null when the client is told nothing. Opens an operation where the event addresses the agent. */
  toClientEvent(event: DiscordEvent, client: Client): ClientEvent | null;
}

export interface HearingDeps {
  readonly directory: Directory;
  readonly operations: Operations;
  readonly rules: Rules;
  readonly confined: Pick<ConfinedLabels, "of">;
  readonly clock: Clock;
}

/** Messages of people who opted out, whose later fate is nobody's business. */
const MAX_OPTED_OUT = 10_000;

export function createHearing({ directory, operations, rules, confined, clock }: HearingDeps): Hearing {
  /** The oldest first. */
  const optedOut = new Set<MessageId>();

  return {
    note(event) {
      if (event.type === "message" && isOptedOut(event.message)) noteOptedOut(event.message.message_id);
    },
    mayStillTell: (event, { grant }) => grant.events !== "none" && isCovered(event, grant),
    toClientEvent(event, client) {
      if (client.grant.events === "none") return null;
      if (event.type === "message") return hearMessage(event, client);
      const heard = narrow(event, client);
      if (!heard) return null;
      if (heard.type === "message_update") told(heard.message, client);
      return describe(heard, (id) => refuseGuild({ grant: client.grant, rules }, id) === null);
    },
  };

  function hearMessage(event: Extract<DiscordEvent, { type: "message" }>, client: Client): ClientEvent | null {
    const { message, addressed } = event;
    if (!isCovered(event, client.grant)) return null;
    if (addressed) {
      // Who asks is answered, also if they have opted out of being quoted to others.
      const { id } = operations.openFor(client, message);
      told(message, client);
      return { name: "discord.message", payload: message, operation_id: id };
    }
    if (client.grant.events !== "all" || isOptedOut(message)) return null;
    return { name: "discord.message", payload: message };
  }

  /** What it is told in one operation, a confined client knows in the next. */
  function told(message: Message, { grant, name }: Client): void {
    if (grant.confined) confined.of(name).join(toReading(message), clock.now());
  }

  function isOptedOut({ author, channel_id }: Message): boolean {
    return rules.optOut.people.includes(author.id) || isOptedOutPlace(channel_id);
  }

  function isOptedOutPlace(channelId: ChannelId): boolean {
    const place = whereabouts(directory, channelId);
    return place !== undefined && isNamed(rules.optOut.channels, place);
  }

  function noteOptedOut(id: MessageId): void {
    optedOut.add(id);
    const [oldest] = optedOut;
    if (optedOut.size > MAX_OPTED_OUT && oldest !== undefined) optedOut.delete(oldest);
  }

  function isByOptedOut({ userId }: Extract<DiscordEvent, { type: "reaction" }>): boolean {
    return userId !== null && rules.optOut.people.includes(userId);
  }

  /** Without what became of messages of people and in channels that opted out; null when nothing is left. */
  function withoutOptedOut(event: OtherEvent): OtherEvent | null {
    if ((event.type === "message_delete" || event.type === "reaction") && isOptedOutPlace(event.channelId)) return null;
    switch (event.type) {
      case "message_update":
        return isOptedOut(event.message) ? null : event;
      case "message_delete": {
        const messageIds = event.messageIds.filter((id) => !optedOut.has(id));
        return messageIds.length > 0 ? { ...event, messageIds } : null;
      }
      case "reaction":
        return isByOptedOut(event) || optedOut.has(event.messageId) ? null : event;
      default:
        return event;
    }
  }

  /** Whoever hears only what is addressed to the agent also hears what becomes of that. Null when nothing of it is for the client. */
  function narrow(event: OtherEvent, client: Client): OtherEvent | null {
    const { grant } = client;
    if (event.type === "connection") return event;
    if (event.type === "gap") return concernsGap(event, grant) ? event : null;
    if (!isCovered(event, grant)) return null;
    if (grant.events === "all") return withoutOptedOut(event);
    const began = (id: MessageId) => operations.beganWith(id, client);
    switch (event.type) {
      case "message_update":
        return began(event.message.message_id) ? event : null;
      case "message_delete": {
        const messageIds = event.messageIds.filter(began);
        return messageIds.length > 0 ? { ...event, messageIds } : null;
      }
      case "reaction":
        return began(event.messageId) && !isByOptedOut(event) ? event : null;
      default:
        return null;
    }
  }

  /** A gap is for who may know of a server that it concerns, or hears direct messages. */
  function concernsGap({ guildIds, shard }: Extract<DiscordEvent, { type: "gap" }>, grant: Grant): boolean {
    const hearsDms = shard === 0 && grant.directMessages && rules.directMessages;
    return hearsDms || guildIds.some((id) => refuseGuild({ grant, rules }, id) === null);
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
