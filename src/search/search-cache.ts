import { BoundedMap } from "../domain/bounded-map.ts";
import type { ChannelId, GuildId, MessageId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord, DiscordEvent, GuildSearchAnswer } from "../ports/discord.ts";

const MAX_ANSWERS = 200;
const TTL_MS = 60_000;

interface Searched {
  readonly guildId: GuildId;
  readonly channelIds: readonly ChannelId[];
  /** Only what is older was searched for; null for everything up to now. */
  readonly maxId: MessageId | null;
}

interface Cached extends Searched {
  readonly answer: GuildSearchAnswer;
}

interface Flight extends Searched {
  readonly changed: Set<MessageId>;
  isVoid: boolean;
}

type Search = Discord["search"];

/**
 * Caches Discord's own search for a minute. An answer is evicted when one of its messages is deleted, when an edit or a new message in one of its channels
 * could have changed it, and when events may have been missed or access lost. Events in other channels do not evict it.
 */
export class SearchCache {
  readonly #search: Search;
  readonly #answers: BoundedMap<string, Cached>;
  /** For each request that is under way, what has changed meanwhile. Not a SingleFlight: who asks after a change must not get an answer from before it. */
  readonly #underWay = new Set<Flight>();

  constructor(search: Search, clock: Clock) {
    this.#search = search;
    this.#answers = new BoundedMap({ maxEntries: MAX_ANSWERS, ttlMs: TTL_MS, clock });
  }

  /** @see Discord.search */
  async search(guildId: GuildId, request: Parameters<Search>[1], signal?: AbortSignal): Promise<GuildSearchAnswer> {
    const key = JSON.stringify([guildId, request]);
    const known = this.#answers.get(key);
    if (known) return known.answer;
    const searched = { guildId, channelIds: request.channelIds, maxId: request.maxId ?? null };
    const flight = { ...searched, changed: new Set<MessageId>(), isVoid: false };
    this.#underWay.add(flight);
    try {
      const answer = await this.#search(guildId, request, signal);
      const isSound = answer.state === "ready" && !answer.messages.some((one) => flight.changed.has(one.message_id));
      if (isSound && !flight.isVoid) this.#answers.set(key, { ...searched, answer });
      return answer;
    } finally {
      this.#underWay.delete(flight);
    }
  }

  onEvent(event: DiscordEvent): void {
    switch (event.type) {
      // Otherwise the result would depend on whether another person has just searched for the same.
      case "message": {
        const { channel_id, message_id } = event.message;
        const isIn = inChannel(channel_id);
        this.#void((searched) => isIn(searched) && isBelow(message_id, searched.maxId));
        return;
      }
      case "message_delete":
        this.#drop(event.messageIds);
        return;
      case "message_update":
        // The new words may match other queries.
        if (event.message.edited_ts === null) this.#drop([event.message.message_id]);
        else this.#void(inChannel(event.message.channel_id));
        return;
      case "channel_deleted":
      case "access_lost":
        this.#void(inChannel(event.channelId));
        return;
      case "guild":
      case "guild_removed":
        this.#void(({ guildId }) => guildId === event.guildId);
        return;
      case "gap":
        this.#void(({ guildId }) => event.guildIds.includes(guildId));
    }
  }

  /** A person has opted out or in. */
  clear(): void {
    this.#void(() => true);
  }

  #void(concerns: (searched: Searched) => boolean): void {
    this.#answers.deleteWhere(concerns);
    for (const flight of this.#underWay) if (concerns(flight)) flight.isVoid = true;
  }

  #drop(ids: readonly MessageId[]): void {
    const gone = new Set(ids);
    for (const { changed } of this.#underWay) for (const id of ids) changed.add(id);
    this.#answers.deleteWhere(
      ({ answer }) => answer.state === "ready" && answer.messages.some(({ message_id }) => gone.has(message_id)),
    );
  }
}

function isBelow(id: MessageId, maxId: MessageId | null): boolean {
  return maxId === null || BigInt(id) < BigInt(maxId);
}

function inChannel(channelId: ChannelId): (searched: Searched) => boolean {
  return ({ channelIds }) => channelIds.includes(channelId);
}
