import { EarshotError } from "../domain/errors.ts";
import { type Channel, isPostList } from "../domain/guild.ts";
import type { ChannelId } from "../domain/ids.ts";
import { type Interval, NEWEST, OLDEST } from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import { containsKeywords, type Keyword, toKeywords } from "../domain/search/keywords.ts";
import { COST } from "../domain/steps/pace.ts";
import type { Clock } from "../ports/clock.ts";
import type { Consent } from "../ports/consent.ts";
import type { Directory } from "../ports/directory.ts";
import type { Discord, DiscordEvent } from "../ports/discord.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Log } from "../ports/log.ts";
import type { Search, SearchRequest, SearchResult } from "../ports/search.ts";
import type { Read } from "../ports/timelines.ts";
import { type TimelinesForSearch, toNumber } from "../timeline/open-timelines.ts";
import type { ReadFilter, ReadInProgress } from "../timeline/read-in-progress.ts";
import { type FindDeps, find } from "./find.ts";
import { BackgroundIndexer } from "./index/background-indexer.ts";
import { ChannelIndexes } from "./index/channel-indexes.ts";
import { TermReader } from "./index/message-terms.ts";
import { Vocabulary } from "./index/vocabulary.ts";
import type { GuildSearchPort } from "./older.ts";
import { QueryReader } from "./rank/query-reader.ts";
import { SearchCache } from "./search-cache.ts";
import { SemanticSearch } from "./semantic/semantic.ts";

export interface SearchOptions {
  /** How long a search waits for an embedder, if there is one. */
  readonly embedderWaitMs?: number;
  /** Whether messages are indexed as they are taken in, and not only when they are searched; true unless given. */
  readonly indexesAhead?: boolean;
}

export interface SearchDeps {
  readonly timelines: TimelinesForSearch;
  readonly discord: Pick<Discord, "listen"> & GuildSearchPort & Partial<Pick<Discord, "directory">>;
  readonly consent: Pick<Consent, "listen">;
  readonly clock: Clock;
  readonly log: Log;
  /** Without one, search goes by words alone. */
  readonly embedder?: Embedder | null;
}

const EMBEDDER_WAIT_MS = 2_000;

/** @see Search. To be closed before the timelines. */
export function openSearch(options: SearchOptions, deps: SearchDeps): Search {
  const { embedderWaitMs = EMBEDDER_WAIT_MS, indexesAhead = true } = options;
  const { timelines, discord, consent, clock, log, embedder } = deps;
  const { families } = timelines;
  const semantic = embedder ? new SemanticSearch(embedderWaitMs, { embedder, clock, log, families }) : null;
  const cache = discord.search ? new SearchCache(discord.search.bind(discord), clock) : null;
  const stopConsent = cache ? consent.listen(() => cache.clear()) : () => {};
  const titles = new PostTitles(discord.directory);
  const terms = { vocabulary: new Vocabulary(), reader: new TermReader((message) => titles.of(message)) };
  const indexes = new ChannelIndexes(terms, semantic?.vectors ?? null);
  const indexer = new BackgroundIndexer(indexes);
  if (indexesAhead) timelines.onAdded((timeline) => indexer.note(timeline));
  const stopListening = discord.listen((event) => {
    cache?.onEvent(event);
    for (const postId of titles.changedBy(event)) indexes.retitle(postId, BigInt(postId));
  });
  const queries = new QueryReader();
  const findDeps: FindDeps = { queries, ...terms, timelines, indexes, semantic, discord: cache ?? {} };
  return {
    find: (request: SearchRequest): Promise<SearchResult> => timelines.untilCurrent(() => find(request, findDeps)),
    contains: (channelId: ChannelId, query, options): Promise<Read> =>
      contains({ channelId, query, options }, timelines),
    letGoOf(authorId) {
      cache?.clear();
      semantic?.letGoOf(authorId);
      terms.reader.clear();
      queries.clear();
    },
    async close() {
      indexer.close();
      stopListening();
      stopConsent();
      semantic?.close();
    },
  };
}

const DEFAULT_SCAN = 1_000;
/** How many candidates are looked up at a time. */
const MAX_CANDIDATES = 500;
/** Among how many messages: in memory the store reads the text of each. */
const MAX_SCANNED = 4_000;
/** The cost of a lookup in units of work: in all, and for each message that is searched. */
const LOOKUP_COST = 30_000;
const SCANNED_COST = 50;

/**
 * @see Search.contains. Not the word index of `find`, which knows whole words: keywords may begin and end anywhere, across words and punctuation
 * and in scripts without spaces. So candidates come from the message store (`MessageIndex.candidates`), and each is read and compared.
 */
async function contains(
  { channelId, query, options }: { channelId: ChannelId; query: string; options: Parameters<Search["contains"]>[2] },
  timelines: Pick<TimelinesForSearch, "readBack">,
): Promise<Read> {
  const keywords = toKeywords(query);
  if (keywords.length === 0) throw new EarshotError("invalid", "The query has no word to look for: give at least one.");
  const cursorKey = ["search", channelId, options.before ?? "", ...keywords.map(({ lower }) => lower)];
  const from = options.before === undefined ? NEWEST : toNumber(options.before) - 1n;
  return timelines.readBack({ channelId, options, cursorKey, filter: toFilter(keywords) }, { from, last: OLDEST });
}

function toFilter(keywords: readonly Keyword[]): ReadFilter {
  return {
    defaultScan: DEFAULT_SCAN,
    accepts: ({ content }) => containsKeywords(content, keywords),
    examineKnown(read, position, bottom) {
      const scanEnd = read.scanEnd(position) ?? bottom;
      const { hits, end } = readCandidates(read, keywords, { from: scanEnd > bottom ? scanEnd : bottom, to: position });
      noteExamined(read, { from: end, to: position }, hits);
      return end - 1n;
    },
  };
}

/** Reads candidates, newest first, until there are as many hits as wanted or the step is over; `end` is how far it got. */
function readCandidates(
  read: ReadInProgress,
  keywords: readonly Keyword[],
  { from, to }: Interval,
): { hits: readonly Message[]; end: bigint } {
  const { timeline, toReturn } = read;
  const { index, channelId } = timeline.place;
  const lowest = timeline.ids.countDown(to, MAX_SCANNED) ?? from;
  const bottom = lowest > from ? lowest : from;
  const within = { from: bottom, to, limit: MAX_CANDIDATES };
  const ids = index.candidates(channelId, keywords, within).map(BigInt);
  const hits: Message[] = [];
  read.spend(LOOKUP_COST + SCANNED_COST * timeline.ids.count(bottom, to));
  for (const id of ids) {
    const [message] = timeline.get([id]);
    if (message && containsKeywords(message.content, keywords) && !read.isEcho(id)) hits.push(message);
    read.spend(COST.message + (message?.content.length ?? 0) * (COST.character + keywords.length));
    if (hits.length >= toReturn || read.mustRest) return { hits, end: id };
  }
  return { hits, end: (ids.length < MAX_CANDIDATES ? undefined : ids.at(-1)) ?? bottom };
}

function noteExamined(read: ReadInProgress, { from, to }: Interval, accepted: readonly Message[]): void {
  const { ids } = read.timeline;
  const all = ids.count(from, to);
  if (all === 0) return;
  const count = read.count(from, to);
  // Counted from the newest.
  const counts = (rank: number) => !read.isEcho(ids.countDown(to, rank) ?? from);
  let [first, last] = [1, all];
  while (first < last && !counts(first)) first += 1;
  while (last > first && !counts(last)) last -= 1;
  const [newest = to, oldest = from] = [ids.countDown(to, first), ids.countDown(to, last)];
  read.noteExamined({ count, skipped: all - count, newest, oldest, accepted });
}

/** Titles and tags of forum posts. The first message of a post, which has the post's id, is found by them too. */
class PostTitles {
  readonly #directory: Pick<Directory, "channel" | "channels"> | undefined;

  constructor(directory: Pick<Directory, "channel" | "channels"> | undefined) {
    this.#directory = directory;
  }

  /** Empty for every other message. */
  of({ message_id, channel_id }: Pick<Message, "message_id" | "channel_id">): string {
    if (String(message_id) !== String(channel_id)) return "";
    const post = this.#directory?.channel(channel_id);
    return post && this.#isPost(post) ? [post.name, ...post.tags].join(" ") : "";
  }

  /** The posts whose title or tags may have changed. */
  changedBy(event: DiscordEvent): ChannelId[] {
    const channel = event.type === "channel" ? this.#directory?.channel(event.channelId) : undefined;
    if (!channel?.guildId) return [];
    if (!isPostList(channel)) return this.#isPost(channel) ? [channel.id] : [];
    const posts = this.#directory?.channels(channel.guildId).filter(({ parentId }) => parentId === channel.id) ?? [];
    return posts.map(({ id }) => id);
  }

  #isPost({ thread, parentId }: Channel): boolean {
    return thread !== null && parentId !== null && isPostList(this.#directory?.channel(parentId));
  }
}
