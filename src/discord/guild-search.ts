import { DiscordAPIError, HTTPError } from "@discordjs/rest";
import { BoundedMap } from "../domain/bounded-map.ts";
import { EarshotError } from "../domain/errors.ts";
import { type ChannelId, compareIds, type GuildId, type MessageId, toId, type UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { Clock } from "../ports/clock.ts";
import type { Directory } from "../ports/directory.ts";
import type { GuildSearchAnswer, GuildSearchRequest } from "../ports/discord.ts";
import { count, isRecord, list, type Raw } from "./read.ts";

/** @see https://docs.discord.com/developers/resources/message#search-guild-messages */
export type SearchQuery = Readonly<Record<string, string | number | boolean | readonly string[]>>;

interface SearchDeps {
  /** Returns Discord's answer: a page of hits, or that there is no index yet. */
  readonly ask: (guildId: GuildId, query: SearchQuery, signal?: AbortSignal) => Promise<Raw>;
  readonly read: (raw: Raw, channelId: ChannelId) => Message | null;
  readonly directory: Directory;
  readonly botId: UserId;
  readonly clock: Clock;
}

const MAX = { channels: 500, people: 100, hits: 25, characters: 1_024 };
const INDEX_NOT_READY = 110_000;
const UNKNOWN_GUILD = 10_004;
/** Discord sends 0 if the time is unknown. */
const MIN_RETRY_SECONDS = 5;
const MAX_RETRY_SECONDS = 3_600;
/** A refused search is not retried at once, because refusals count towards a ban of the address. */
const REFUSAL_TTL_MS = 600_000;
const MAX_REFUSED_GUILDS = 10_000;

/** Discord's own search, with the bot's access. Remembers servers without it. */
export class GuildSearch {
  readonly #deps: SearchDeps;
  #isMissing = false;
  readonly #refused: BoundedMap<GuildId, true>;

  constructor(deps: SearchDeps) {
    this.#deps = deps;
    this.#refused = new BoundedMap({ maxEntries: MAX_REFUSED_GUILDS, ttlMs: REFUSAL_TTL_MS, clock: deps.clock });
  }

  async search(guildId: GuildId, request: GuildSearchRequest, signal?: AbortSignal): Promise<GuildSearchAnswer> {
    check(request);
    const { directory, botId } = this.#deps;
    const wanted = new Set(
      request.channelIds.filter((id) => directory.channel(id)?.guildId === guildId && directory.canRead(botId, id)),
    );
    if (wanted.size === 0) return { state: "ready", messages: [], isFull: false };
    if (this.#isMissing) throw noSearch();
    if (this.#refused.has(guildId)) throw refused();
    const answer = await this.#ask(guildId, toQuery(request, [...wanted]), signal);
    if (answer["code"] === INDEX_NOT_READY) return { state: "not_ready", retryAfter: toSeconds(answer["retry_after"]) };
    if (!Array.isArray(answer["messages"]))
      throw new EarshotError("unavailable", "Discord's answer to the search could not be read; try again later.");
    const hits = list(answer["messages"]).flatMap(toHit);
    const total = count(answer["total_results"]);
    return {
      state: "ready",
      messages: this.#read(hits, wanted, request),
      isFull: hits.length >= request.limit || total > request.limit,
    };
  }

  async #ask(guildId: GuildId, query: SearchQuery, signal?: AbortSignal): Promise<Raw> {
    try {
      return await this.#deps.ask(guildId, query, signal);
    } catch (error) {
      const { status, code } = toRefusal(error);
      if (status === 405 || status === 501 || (status === 404 && code !== UNKNOWN_GUILD)) {
        this.#isMissing = true;
        throw noSearch();
      }
      if (status !== 403) throw error;
      this.#refused.set(guildId, true);
      throw refused();
    }
  }

  /** Keeps only requested channels, and each message once, whatever the server sends. */
  #read(hits: readonly Raw[], wanted: ReadonlySet<ChannelId>, { limit }: GuildSearchRequest): Message[] {
    const messages = new Map<MessageId, Message>();
    for (const hit of hits) {
      const channelId = toId<ChannelId>(hit["channel_id"]);
      if (!channelId || !wanted.has(channelId)) continue;
      // The channel determines the guild.
      const message = this.#deps.read({ ...hit, guild_id: undefined }, channelId);
      if (message) messages.set(message.message_id, message);
    }
    return [...messages.values()].slice(0, limit).sort((a, b) => compareIds(b.message_id, a.message_id));
  }
}

function toQuery(request: GuildSearchRequest, channelIds: readonly ChannelId[]): SearchQuery {
  const { content, authorIds, mentions, has, minId, maxId, limit } = request;
  return {
    channel_id: channelIds,
    limit,
    // The caller decides whether an age-restricted channel may be read.
    include_nsfw: true,
    sort_by: "timestamp",
    sort_order: "desc",
    ...(content && { content }),
    ...(authorIds && { author_id: authorIds }),
    ...(mentions && { mentions }),
    ...(has && { has }),
    ...(minId && { min_id: minId }),
    ...(maxId && { max_id: maxId }),
  };
}

function check({ channelIds, authorIds = [], mentions = [], limit, content = "" }: GuildSearchRequest): void {
  const isWithin =
    channelIds.length > 0 &&
    channelIds.length <= MAX.channels &&
    authorIds.length <= MAX.people &&
    mentions.length <= MAX.people &&
    Number.isInteger(limit) &&
    limit >= 1 &&
    limit <= MAX.hits &&
    content.length <= MAX.characters;
  if (!isWithin) throw new EarshotError("invalid", "The search asks for nothing, or for more than Discord allows.");
}

/** Each hit is a separate list. If it contains surrounding messages, the hit is the marked one. */
function toHit(group: unknown): readonly Raw[] {
  const messages = list(group).filter(isRecord);
  const marked = messages.filter((message) => message["hit"] === true);
  return marked.length > 0 ? marked : messages.length === 1 ? messages : [];
}

function toRefusal(error: unknown): { status?: number; code?: unknown } {
  const cause = error instanceof EarshotError ? error.cause : undefined;
  if (cause instanceof DiscordAPIError) return { status: cause.status, code: cause.code };
  return cause instanceof HTTPError ? { status: cause.status } : {};
}

function toSeconds(value: unknown): number {
  return typeof value === "number" && value > MIN_RETRY_SECONDS
    ? Math.min(Math.ceil(value), MAX_RETRY_SECONDS)
    : MIN_RETRY_SECONDS;
}

function noSearch(): EarshotError {
  return new EarshotError("unavailable", "This server has no search of its own: only what was read can be searched.");
}

function refused(): EarshotError {
  return new EarshotError(
    "unavailable",
    "Discord does not let the bot search there; it needs the Message Content intent.",
  );
}
