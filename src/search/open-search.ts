import type { ChannelId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { Consent } from "../ports/consent.ts";
import type { Discord } from "../ports/discord.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Log } from "../ports/log.ts";
import type { Search, SearchRequest, SearchResult } from "../ports/search.ts";
import type { Read } from "../ports/timelines.ts";
import type { TimelinesForSearch } from "../timeline/open-timelines.ts";
import { contains } from "./contains.ts";
import { type FindDeps, find } from "./find.ts";
import { BackgroundIndexer } from "./index/background-indexer.ts";
import { ChannelIndexes } from "./index/channel-indexes.ts";
import { TermReader } from "./index/message-terms.ts";
import { Vocabulary } from "./index/vocabulary.ts";
import type { GuildSearchPort } from "./older.ts";
import { PostTitles } from "./post-titles.ts";
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
