import type { ChannelId, GuildId, MessageId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { Query } from "../domain/search/query.ts";
import type { Discord, GuildSearchAnswer, GuildSearchRequest } from "../ports/discord.ts";
import type { SearchResult } from "../ports/search.ts";
import { isRefusal } from "../timeline/page-fetcher.ts";

/** Not every server has a search of its own. */
export type GuildSearchPort = Partial<Pick<Discord, "search">>;

/** The range that has not been searched: channels of one guild, between two ids. */
export interface Unseen {
  readonly guildId: GuildId | null;
  readonly channelIds: readonly ChannelId[];
  readonly from: bigint;
  readonly to: bigint;
}

interface OlderDeps {
  readonly discord: GuildSearchPort;
  /** Texts to ask for one after the other, until there is enough; null for everything. */
  readonly contents: readonly (string | null)[];
  /** How many are enough. */
  readonly wanted: number;
  /** Selects the wanted messages of a page; others count as absent. */
  pick(messages: readonly Message[]): Message[];
  readonly signal?: AbortSignal;
}

interface GuildSearch extends Pick<OlderDeps, "contents" | "wanted" | "pick"> {
  readonly query: Query;
  readonly where: Omit<Unseen, "guildId">;
}

export interface Older {
  readonly state: SearchResult["older"];
  readonly messages: readonly Message[];
}

/** Discord's own bounds. */
const MAX_CHANNELS = 500;
/** Archives may hold thousands of threads: the first come first. */
const MAX_BATCHES = 4;
const PAGE = 25;
const MAX_PEOPLE = 100;
/** Per batch of channels. */
const MAX_PAGES = 4;
/** More than that many are made only where unwanted messages take up room. */
const MAX_REQUESTS = 8;

/** Asks Discord's own search about what was not looked at. Its hits are as good as any other message, but are not all there are. */
export async function searchOlder(
  query: Query,
  unseen: readonly Unseen[],
  { discord, contents, wanted, pick, signal }: OlderDeps,
): Promise<Older> {
  const search = discord.search?.bind(discord);
  const batches = unseen.flatMap(inBatches).slice(0, MAX_BATCHES);
  if (!search) return { state: "unavailable", messages: [] };
  const answers = await Promise.all(
    batches.map(({ guildId, ...where }) =>
      guildId === null
        ? { state: "unavailable" as const, messages: [] }
        : searchGuild({ query, where, contents, wanted, pick }, (request) => search(guildId, request, signal)),
    ),
  );
  const states = answers.map(({ state }) => state);
  const state = (["not_ready", "unavailable"] as const).find((each) => states.includes(each)) ?? "searched";
  return { state, messages: answers.flatMap(({ messages }) => messages) };
}

async function searchGuild(
  { query, where, contents, wanted, pick }: GuildSearch,
  send: (request: GuildSearchRequest) => Promise<GuildSearchAnswer>,
): Promise<Older> {
  const hits = new Map<MessageId, Message>();
  let pages = 0;
  let requests = 0;
  const sendCounted = (request: GuildSearchRequest) => {
    requests += 1;
    return send(request);
  };
  try {
    for (const content of contents) {
      const search = new WantedPages({ query, where, content, pick }, sendCounted);
      while (pages < MAX_PAGES && hits.size < wanted) {
        const page = await search.next(MAX_REQUESTS - requests);
        if (page === "not_ready") return { state: "not_ready", messages: [...hits.values()] };
        for (const message of page) hits.set(message.message_id, message);
        if (page.length > 0) pages += 1;
        if (page.length < PAGE) break;
      }
    }
    return { state: "searched", messages: [...hits.values()] };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { state: "unavailable", messages: [...hits.values()] };
  }
}

/**
 * The results of Discord's search, paged as if the unwanted messages had never been written. Otherwise the number and choice of results would reveal words of
 * people who opted out, and questions to the agent would displace their answers.
 */
class WantedPages {
  readonly #search: Omit<GuildSearch, "contents" | "wanted"> & { readonly content: string | null };
  readonly #send: (request: GuildSearchRequest) => Promise<GuildSearchAnswer>;
  #left: Message[] = [];
  #maxId: bigint;
  #isAtEnd = false;

  constructor(
    search: Omit<GuildSearch, "contents" | "wanted"> & { readonly content: string | null },
    send: (request: GuildSearchRequest) => Promise<GuildSearchAnswer>,
  ) {
    this.#search = search;
    this.#send = send;
    this.#maxId = search.where.to + 1n;
  }

  /** Fewer than a page at the end, and when no more requests may be made. */
  async next(maxRequests: number): Promise<readonly Message[] | "not_ready"> {
    for (let count = 0; this.#left.length < PAGE && !this.#isAtEnd && count < maxRequests; count += 1)
      if (!(await this.#fetch())) return "not_ready";
    return this.#left.splice(0, PAGE);
  }

  async #fetch(): Promise<boolean> {
    const { query, where, content, pick } = this.#search;
    const answer = await this.#send(toRequest(query, { ...where, maxId: this.#maxId, content }));
    if (answer.state === "not_ready") return false;
    this.#left.push(...pick(answer.messages));
    this.#isAtEnd = !answer.isFull || answer.messages.length === 0;
    this.#maxId = answer.messages.map(({ message_id }) => BigInt(message_id)).reduce(least, this.#maxId);
    return true;
  }
}

function toRequest(
  query: Query,
  { channelIds, from, maxId, content }: Omit<Unseen, "guildId" | "to"> & { maxId: bigint; content: string | null },
): GuildSearchRequest {
  return {
    channelIds,
    limit: PAGE,
    ...(content !== null && { content }),
    ...(query.from.length > 0 && { authorIds: query.from.slice(0, MAX_PEOPLE) }),
    ...(query.mentions.length > 0 && { mentions: query.mentions.slice(0, MAX_PEOPLE) }),
    ...(query.has.length > 0 && { has: query.has }),
    ...(from > 0n && { minId: String(from - 1n) as MessageId }),
    ...(maxId < 1n << 63n && { maxId: String(maxId) as MessageId }),
  };
}

function inBatches({ channelIds, ...rest }: Unseen): Unseen[] {
  const batches: Unseen[] = [];
  for (let start = 0; start < channelIds.length; start += MAX_CHANNELS)
    batches.push({ ...rest, channelIds: channelIds.slice(start, start + MAX_CHANNELS) });
  return batches;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
