import type { ChannelId, GuildId, MessageId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { Discord, DiscordEvent, GuildSearchAnswer } from "../ports/discord.ts";

const MAX_ANSWERS = 200;
const KEPT_MS = 60_000;

/** What was searched. */
interface Searched {
  readonly guildId: GuildId;
  readonly channelIds: readonly ChannelId[];
  /** Only what is older was searched for; null for everything up to now. */
  readonly maxId: MessageId | null;
}

interface Kept extends Searched {
  readonly at: number;
  readonly answer: GuildSearchAnswer;
}

interface Flight extends Searched {
  readonly changed: Set<MessageId>;
  isVoid: boolean;
}

type Search = Discord["search"];

/**
 * Discord's own search, which is not asked for the same twice within a minute. An answer goes with the first of its messages that is deleted, with an
 * edit or a new message in one of its channels where that could be among what was searched, and where something may have been missed or may no longer be read. What happens in other channels changes nothing.
 */
export class SearchCache {
  readonly #search: Search;
  readonly #clock: Clock;
  readonly #answers = new Map<string, Kept>();
  /** For each question that is under way, what has changed meanwhile. */
  readonly #underWay = new Set<Flight>();

  constructor(search: Search, clock: Clock) {
    this.#search = search;
    this.#clock = clock;
  }

  /** @see Discord.search */
  async search(guildId: GuildId, request: Parameters<Search>[1], signal?: AbortSignal): Promise<GuildSearchAnswer> {
    const key = JSON.stringify([guildId, request]);
    const known = this.#answers.get(key);
    if (known && this.#clock.now() - known.at < KEPT_MS) return known.answer;
    const searched = { guildId, channelIds: request.channelIds, maxId: request.maxId ?? null };
    const flight = { ...searched, changed: new Set<MessageId>(), isVoid: false };
    this.#underWay.add(flight);
    try {
      const answer = await this.#search(guildId, request, signal);
      const isSound = answer.state === "ready" && !answer.messages.some((one) => flight.changed.has(one.message_id));
      if (isSound && !flight.isVoid) this.#keep(key, { ...searched, at: this.#clock.now(), answer });
      return answer;
    } finally {
      this.#underWay.delete(flight);
    }
  }

  onEvent(event: DiscordEvent): void {
    switch (event.type) {
      // Whether it is found would otherwise depend on whether somebody else has just asked the same.
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
        // Other words may be found by other questions.
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

  #void(concerns: (searched: Searched) => boolean): void {
    for (const [key, kept] of this.#answers) if (concerns(kept)) this.#answers.delete(key);
    for (const flight of this.#underWay) if (concerns(flight)) flight.isVoid = true;
  }

  #keep(key: string, kept: Kept): void {
    this.#answers.delete(key);
    this.#answers.set(key, kept);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MAX_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
  }

  #drop(ids: readonly MessageId[]): void {
    const gone = new Set(ids);
    for (const { changed } of this.#underWay) for (const id of ids) changed.add(id);
    for (const [key, { answer }] of this.#answers)
      if (answer.state === "ready" && answer.messages.some(({ message_id }) => gone.has(message_id)))
        this.#answers.delete(key);
  }
}

function isBelow(id: MessageId, maxId: MessageId | null): boolean {
  return maxId === null || BigInt(id) < BigInt(maxId);
}

function inChannel(channelId: ChannelId): (searched: Searched) => boolean {
  return ({ channelIds }) => channelIds.includes(channelId);
}
