import { EarshotError } from "../../domain/errors.ts";
import type { ChannelId, GuildId, MessageId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Query } from "../../domain/search/query.ts";
import { toQueryTerms, toSpellings } from "../../domain/search/terms.ts";
import type { Discord, GuildSearchAnswer, GuildSearchRequest } from "../../ports/discord.ts";
import type { SearchResult } from "../../ports/timelines.ts";

/** Not every server has a search of its own. */
export type GuildSearch = Partial<Pick<Discord, "search">>;

/** What has not been looked at: channels of one guild, between two ids. */
export interface Unseen {
  readonly guildId: GuildId | null;
  readonly channelIds: readonly ChannelId[];
  readonly from: bigint;
  readonly to: bigint;
}

interface OlderDeps {
  readonly discord: GuildSearch;
  /** How many are enough. */
  readonly wanted: number;
  /** Others are as good as absent. */
  isWanted(message: Message): boolean;
  readonly signal?: AbortSignal;
}

interface Asked extends Pick<OlderDeps, "wanted" | "isWanted"> {
  readonly query: Query;
  readonly where: Omit<Unseen, "guildId">;
}

interface Older {
  readonly state: SearchResult["older"];
  readonly messages: readonly Message[];
}

/** Discord's own bounds. */
const MOST_CHANNELS = 500;
const PAGE = 25;
const LONGEST_CONTENT = 1_024;
const MOST_PEOPLE = 100;
/** So many pages are asked for at most, for each batch of channels. */
const MOST_PAGES = 4;

/** Asks Discord itself about what was not looked at. What it finds is as good as any other message, but is not all there is. */
export async function searchOlder(
  query: Query,
  unseen: readonly Unseen[],
  { discord, wanted, isWanted, signal }: OlderDeps,
): Promise<Older> {
  if (unseen.length === 0) return { state: "not_needed", messages: [] };
  const search = discord.search?.bind(discord);
  const batches = unseen.flatMap(inBatches);
  if (!search) return { state: "unavailable", messages: [] };
  const answers = await Promise.all(
    batches.map(({ guildId, ...where }) =>
      guildId === null
        ? { state: "unavailable" as const, messages: [] }
        : askGuild({ query, where, wanted, isWanted }, (request) => search(guildId, request, signal)),
    ),
  );
  const states = answers.map(({ state }) => state);
  const state = (["not_ready", "unavailable"] as const).find((each) => states.includes(each)) ?? "searched";
  return { state, messages: answers.flatMap(({ messages }) => messages) };
}

async function askGuild(
  { query, where, wanted, isWanted }: Asked,
  ask: (request: GuildSearchRequest) => Promise<GuildSearchAnswer>,
): Promise<Older> {
  const found = new Map<MessageId, Message>();
  let pages = 0;
  try {
    for (const content of toContents(query)) {
      let maxId = where.to + 1n;
      for (let offset = 0; pages < MOST_PAGES && found.size < wanted; offset += PAGE) {
        pages += 1;
        const answer = await ask(toRequest(query, { ...where, maxId, content, offset: content === null ? 0 : offset }));
        if (answer.state === "not_ready") return { state: "not_ready", messages: [...found.values()] };
        for (const message of answer.messages) if (isWanted(message)) found.set(message.message_id, message);
        if (!answer.isFull || answer.messages.length === 0) break;
        // By time, a lower bound leads on; Discord skips no more than 10,000.
        if (content === null) maxId = answer.messages.map(({ message_id }) => BigInt(message_id)).reduce(least);
      }
    }
    return { state: "searched", messages: [...found.values()] };
  } catch (error) {
    const isOut = error instanceof EarshotError && (error.code === "unavailable" || error.code === "rate_limited");
    if (!isOut) throw error;
    return { state: "unavailable", messages: [...found.values()] };
  }
}

/** Discord wants all words at once: first all, then the longest, which tend to be rare, by themselves. */
function toContents(query: Query): (string | null)[] {
  const text = [query.text, ...query.phrases].join("\n");
  const spellings = toSpellings(text);
  const words = toQueryTerms(text).map((term) => spellings.get(term)?.text ?? term);
  if (words.length === 0) return [null];
  const longest = [...words].sort((a, b) => b.length - a.length).slice(0, 2);
  const all = words.join(" ").slice(0, LONGEST_CONTENT).toWellFormed();
  return query.phrases.length > 0 || words.length === 1 ? [all] : [all, ...longest];
}

function toRequest(
  query: Query,
  {
    channelIds,
    from,
    maxId,
    content,
    offset,
  }: Omit<Unseen, "guildId" | "to"> & { maxId: bigint; content: string | null; offset: number },
): GuildSearchRequest {
  return {
    channelIds,
    limit: PAGE,
    offset,
    sort: content === null ? "newest" : "relevance",
    ...(content !== null && { content }),
    ...(query.from.length > 0 && { authorIds: query.from.slice(0, MOST_PEOPLE) }),
    ...(query.mentions.length > 0 && { mentions: query.mentions.slice(0, MOST_PEOPLE) }),
    ...(query.has.length > 0 && { has: query.has }),
    ...(from > 0n && { minId: String(from - 1n) as MessageId }),
    ...(maxId < 1n << 63n && { maxId: String(maxId) as MessageId }),
  };
}

function inBatches({ channelIds, ...rest }: Unseen): Unseen[] {
  const batches: Unseen[] = [];
  for (let start = 0; start < channelIds.length; start += MOST_CHANNELS)
    batches.push({ ...rest, channelIds: channelIds.slice(start, start + MOST_CHANNELS) });
  return batches;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
