import { BoundedMap } from "../domain/bounded-map.ts";
import type { ChannelId, MessageId } from "../domain/ids.ts";
import { lazy } from "../domain/lazy.ts";
import { type Message, withoutTarget } from "../domain/message.ts";
import type { Clock } from "../ports/clock.ts";
import type { Consent } from "../ports/consent.ts";
import type { Directory } from "../ports/directory.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import { type ChannelLocation, isListed, locateChannel, refuseGuild, refusePlace } from "./apply-rules.ts";
import type { ConfinedLabels } from "./confined-labels.ts";
import type { Grant } from "./grant.ts";
import { toEventGrantKey } from "./grant-key.ts";
import type { Client } from "./operation.ts";
import type { Operations } from "./operations.ts";
import type { Rules } from "./rules.ts";

/**
 * The decisions about one event, made once for all clients with equal grants. Permissions may change at any time: use it in the same turn
 * of the event loop, and for this event only.
 */
export interface EventDecisions {
  /** False if the event is pushed to no client with this grant. Opens no operation. */
  mayConcern(grant: Grant): boolean;
  /** Null if nothing is pushed. Opens an operation if the event addresses the agent; otherwise equal grants get the same object. */
  toClientEvent(client: Client): ClientEvent | null;
}

export interface ClientEventsDeps {
  readonly directory: Directory;
  readonly operations: Operations;
  readonly rules: Rules;
  readonly consent: Pick<Consent, "isLeftOut">;
  readonly confined: Pick<ConfinedLabels, "of">;
  readonly clock: Clock;
}

/** The decision for all clients with one grant: no push, the same push for all, or one decision for each by the operations it began. */
type GrantDecision = ClientEvent | "nobody" | "by_client";

/** Ids of messages of people who opted out: their edits, deletions and reactions are not pushed either. */
const MAX_OPTED_OUT = 10_000;

/** Decides which client gets which events. */
export class ClientEvents {
  readonly #deps: ClientEventsDeps;
  readonly #optedOut = new BoundedMap<MessageId, true>({ maxEntries: MAX_OPTED_OUT });
  readonly #grantKeys = new WeakMap<Grant, string>();

  constructor(deps: ClientEventsDeps) {
    this.#deps = deps;
  }

  /** Must be called for every event, even while no client is connected. */
  note(event: DiscordEvent): void {
    if (event.type === "message" && this.#isOptedOut(event.message)) this.#optedOut.set(event.message.message_id, true);
  }

  /** Whether a message that addressed the client's agent may still be pushed, with its current text. */
  mayStillPush(event: Extract<DiscordEvent, { type: "message" }>, { grant }: Client): boolean {
    return getsEvents(grant) && this.#isCovered(event, grant, this.#placeOf(event));
  }

  /** For one client. Null if nothing is pushed. Opens an operation if the event addresses the agent. */
  toClientEvent(event: DiscordEvent, client: Client): ClientEvent | null {
    return this.decide(event).toClientEvent(client);
  }

  /** For an event that goes to many clients. */
  decide(event: DiscordEvent): EventDecisions {
    const byGrant = new Map<string, GrantDecision>();
    const forGrant = event.type === "message" ? this.#forMessage(event) : this.#forOther(event);
    const shared = (grant: Grant): GrantDecision => {
      if (!getsEvents(grant)) return "nobody";
      const key = this.#keyOf(grant);
      const known = byGrant.get(key);
      if (known !== undefined) return known;
      const decision = forGrant(grant);
      byGrant.set(key, decision);
      return decision;
    };
    return {
      mayConcern: (grant) => shared(grant) !== "nobody",
      toClientEvent: (client) => {
        const decision = shared(client.grant);
        if (decision === "nobody") return null;
        const clientEvent = decision === "by_client" ? this.#forClient(event, client) : decision;
        if (clientEvent && (event.type === "message_update" || (event.type === "message" && event.addressed)))
          this.#told(event.message, client);
        return clientEvent;
      },
    };
  }

  #keyOf(grant: Grant): string {
    const known = this.#grantKeys.get(grant);
    if (known !== undefined) return known;
    const key = toEventGrantKey(grant);
    this.#grantKeys.set(grant, key);
    return key;
  }

  /** A message that does not address the agent goes only to clients with `events: "all"`; the check of its author runs once for all of
   * them. */
  #forMessage(event: Extract<DiscordEvent, { type: "message" }>): (grant: Grant) => GrantDecision {
    const { message, addressed } = event;
    const place = lazy(() => this.#placeOf(event));
    const clientEvent = lazy(() =>
      this.#isOptedOut(message) ? "nobody" : { name: "discord.message", payload: withoutTarget(message) },
    );
    return (grant) => {
      if (!addressed && grant.events !== "all") return "nobody";
      if (!this.#isCovered(event, grant, place())) return "nobody";
      return addressed ? "by_client" : clientEvent();
    };
  }

  #forOther(event: OtherEvent): (grant: Grant) => GrantDecision {
    const place = lazy(() => (isPlaced(event) ? this.#placeOf(event) : undefined));
    const withoutPrivate = lazy(() => this.#withoutOptedOut(event));
    const clientEvent = lazy(() => {
      const left = withoutPrivate();
      return left ? describeEvent(left) : "nobody";
    });
    const hasBegun = lazy(() => messageIdsOf(event).some((id) => this.#deps.operations.hasBegun(id)));
    return (grant) => {
      if (event.type === "connection") return clientEvent();
      if (event.type === "gap") return this.#forGap(event, grant);
      if (grant.events === "addressed" && !hasBegun()) return "nobody";
      if (!this.#isCovered(event, grant, place())) return "nobody";
      return grant.events === "all" ? clientEvent() : "by_client";
    };
  }

  /** Pushed to clients that may know one of its servers, or receive direct messages. Names only servers that the client may know. */
  #forGap(event: Extract<DiscordEvent, { type: "gap" }>, grant: Grant): GrantDecision {
    const guildIds = event.guildIds.filter((id) => refuseGuild({ grant, rules: this.#deps.rules }, id) === null);
    const hearsDms = event.shard === 0 && grant.directMessages && this.#deps.rules.directMessages;
    return hearsDms || guildIds.length > 0 ? describeEvent({ ...event, guildIds }) : "nobody";
  }

  /** For a client that gets only messages to the agent, and their later changes. */
  #forClient(event: DiscordEvent, client: Client): ClientEvent | null {
    if (event.type === "message") {
      // People who ask get an answer even if they have opted out of being quoted to others.
      const { id } = this.#deps.operations.openFor(client, event.message);
      return { name: "discord.message", payload: withoutTarget(event.message), operation_id: id };
    }
    const left = this.#ofBegun(event, client);
    return left && describeEvent(left);
  }

  /** A confined client's label includes the messages pushed to it. */
  #told(message: Message, { grant, name }: Client): void {
    if (grant.confined) this.#deps.confined.of(name).addMessage(message, this.#deps.clock.now());
  }

  #isOptedOut({ author, channel_id }: Message): boolean {
    return this.#deps.consent.isLeftOut(author.id) || this.#isOptedOutPlace(channel_id);
  }

  #isOptedOutPlace(channelId: ChannelId): boolean {
    const place = locateChannel(this.#deps.directory, channelId);
    return place !== undefined && isListed(this.#deps.rules.optOut.channels, place.lineage);
  }

  #isByOptedOut({ userId }: Extract<DiscordEvent, { type: "reaction" }>): boolean {
    return userId !== null && this.#deps.consent.isLeftOut(userId);
  }

  /** Removes changes to messages of people and in channels that opted out; null if nothing is left. */
  #withoutOptedOut(event: OtherEvent): OtherEvent | null {
    if ((event.type === "message_delete" || event.type === "reaction") && this.#isOptedOutPlace(event.channelId))
      return null;
    switch (event.type) {
      case "message_update":
        return this.#isOptedOut(event.message) ? null : event;
      case "message_delete": {
        const messageIds = event.messageIds.filter((id) => !this.#optedOut.has(id));
        return messageIds.length > 0 ? { ...event, messageIds } : null;
      }
      case "reaction":
        return this.#isByOptedOut(event) || this.#optedOut.has(event.messageId) ? null : event;
      default:
        return event;
    }
  }

  /** The part of an event about messages that began an operation of the client; null without any. */
  #ofBegun(event: OtherEvent, client: Client): OtherEvent | null {
    const began = (id: MessageId) => this.#deps.operations.beganWith(id, client);
    switch (event.type) {
      case "message_update":
        return began(event.message.message_id) ? event : null;
      case "message_delete": {
        const messageIds = event.messageIds.filter(began);
        return messageIds.length > 0 ? { ...event, messageIds } : null;
      }
      case "reaction":
        return began(event.messageId) && !this.#isByOptedOut(event) ? event : null;
      default:
        return null;
    }
  }

  /** An event of an unknown place, or of one outside grant and rules, reaches no client. */
  #isCovered(
    event: Exclude<DiscordEvent, { type: "connection" | "gap" }>,
    grant: Grant,
    place: ChannelLocation | undefined,
  ): boolean {
    return isPlaced(event)
      ? refusePlace({ grant, rules: this.#deps.rules }, place) === null
      : refuseGuild({ grant, rules: this.#deps.rules }, event.guildId) === null;
  }

  /** A deleted channel is unknown, so the event contains its lineage. */
  #placeOf(event: PlacedEvent): ChannelLocation | undefined {
    if ("message" in event) return locateChannel(this.#deps.directory, event.message.channel_id);
    const { channelId } = event;
    if (!("lineage" in event) || event.lineage.length === 0) return locateChannel(this.#deps.directory, channelId);
    return { channel: { id: channelId, guildId: event.guildId }, lineage: event.lineage };
  }
}

type PlacedEvent = Exclude<DiscordEvent, { type: "guild" | "guild_removed" | "connection" | "gap" }>;

function isPlaced(event: DiscordEvent): event is PlacedEvent {
  return "message" in event || "channelId" in event;
}

function messageIdsOf(event: OtherEvent): readonly MessageId[] {
  if (event.type === "message_update") return [event.message.message_id];
  if (event.type === "message_delete") return event.messageIds;
  return event.type === "reaction" ? [event.messageId] : [];
}

/** A client that confirms for people is not an agent: it gets no events, whatever its grant says. */
function getsEvents({ events, confirm }: Grant): boolean {
  return events !== "none" && !confirm;
}

/** An event as it is pushed to a client. */
export interface ClientEvent {
  /** Such as "discord.message"; on the wire `event/discord.message`. */
  readonly name: string;
  readonly payload: unknown;
  /** Present if the event addresses the agent: tools may be called within this operation. */
  readonly operation_id?: string;
}

type OtherEvent = Exclude<DiscordEvent, { type: "message" }>;

/** The event in the wire format. */
function describeEvent(event: OtherEvent): ClientEvent {
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
