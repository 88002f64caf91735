import { EarshotError } from "../domain/errors.ts";
import { type ChannelId, type MessageId, toId } from "../domain/ids.ts";
import { NEWEST, OLDEST } from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import { type Keyword, toKeywords } from "../domain/search/keywords.ts";
import { type OpenPace, Pace } from "../domain/steps/pace.ts";
import { createStepQueue } from "../domain/steps/step-queue.ts";
import type { Read, ReadOptions, SearchRequest, SearchResult, TimelineStats, Timelines } from "../ports/timelines.ts";
import { BackgroundReader } from "./background-reader.ts";
import { type CursorKey, fromCursor, toCursor } from "./cursor.ts";
import { firstIdAt } from "./first-id-at.ts";
import { Holdings, type HoldingsDeps } from "./holdings.ts";
import { Look, type LookDeps, Outdated } from "./look.ts";
import { DEFAULTS, type TimelineOptions } from "./options.ts";
import { PageFetcher, throwIfCancelled, throwIfGone } from "./page-fetcher.ts";
import { planReading, type ReadingPlan } from "./reading-plan.ts";
import { find } from "./search/find.ts";
import { SearchCache } from "./search/search-cache.ts";
import type { Timeline } from "./timeline.ts";
import { goBack, goForward, type Walked, walkBack, walkForward } from "./walk.ts";

const DEFAULT_SCAN = 1_000;
const MAX_RETURNED = 100;
/** A read starts over at most this often because events were missed meanwhile. */
const MAX_ATTEMPTS = 5;

/** A time span that ends within so many milliseconds ends now. */
const NOW_TOLERANCE_MS = 2_000;

export interface TimelinesDeps extends HoldingsDeps {
  /** By default one step of one read runs in each round of the event loop. */
  readonly openPace?: OpenPace;
}

/** @see Timelines. Throws `misconfigured` where the index on disk cannot be opened. */
export function openTimelines(options: Partial<TimelineOptions>, deps: TimelinesDeps): Timelines {
  return new ReadThrough({ ...DEFAULTS, ...options }, deps);
}

interface Request {
  readonly channelId: ChannelId;
  readonly options: ReadOptions;
  readonly question: CursorKey;
  readonly keywords?: readonly Keyword[];
}

class ReadThrough implements Timelines {
  readonly #deps: HoldingsDeps;
  readonly #openPace: OpenPace;
  readonly #holdings: Holdings;
  readonly #fetcher: PageFetcher;
  readonly #plan: ReadingPlan;
  readonly #background: BackgroundReader;
  readonly #stopListening: () => void;
  #hits = 0;
  /** Null where the server has no search. */
  readonly #searches: SearchCache | null;
  #misses = 0;
  #pages = 0;
  #closed = false;

  constructor(options: TimelineOptions, deps: TimelinesDeps) {
    this.#deps = deps;
    const pause = createStepQueue(setImmediate);
    this.#openPace = deps.openPace ?? ((check) => new Pace({ pause, check }));
    this.#holdings = new Holdings(options, deps);
    const onPage = (timeline: Timeline) => {
      this.#pages += 1;
      this.#holdings.settle(timeline);
    };
    this.#fetcher = new PageFetcher({ discord: deps.discord, clock: deps.clock, optedOut: options.optedOut, onPage });
    this.#searches = deps.discord.search ? new SearchCache(deps.discord.search.bind(deps.discord), deps.clock) : null;
    this.#plan = planReading(options, { ...deps, holdings: this.#holdings });
    this.#background = new BackgroundReader({
      ...this.#plan,
      fetcher: this.#fetcher,
      intervalMs: options.backgroundIntervalMs,
      clock: deps.clock,
      log: deps.log,
    });
    this.#stopListening = deps.discord.listen((event) => {
      const isUnheld = event.type === "message" && !this.#holdings.has(event.message.channel_id);
      this.#searches?.hear(event);
      this.#holdings.hear(event);
      const isNewPlace = isUnheld && this.#holdings.has(event.message.channel_id);
      if (isNewPlace) this.#background.look(event.message.guild_id);
      else if (event.type === "gap")
        this.#background.restart(event.shard === 0 ? [null, ...event.guildIds] : event.guildIds);
      else if (event.type === "guild" || event.type === "guild_removed") this.#background.restart([event.guildId]);
      else this.#background.wake();
    });
    this.#background.wake();
  }

  async recent(channelId: ChannelId, options: ReadOptions): Promise<Read> {
    return this.#readBack({ channelId, options, question: ["recent", channelId] }, { from: NEWEST, last: OLDEST });
  }

  async before(channelId: ChannelId, messageId: MessageId, options: ReadOptions): Promise<Read> {
    const question = ["before", channelId, messageId];
    return this.#readBack({ channelId, options, question }, { from: toNumber(messageId) - 1n, last: OLDEST });
  }

  async after(channelId: ChannelId, messageId: MessageId, options: ReadOptions): Promise<Read> {
    const request = { channelId, options, question: ["after", channelId, messageId] };
    const from = startOf(request, toNumber(messageId) + 1n);
    return this.#read(request, (look) => walkForward(look, { from, last: NEWEST }));
  }

  async around(channelId: ChannelId, messageId: MessageId, options: ReadOptions): Promise<Read> {
    const request = { channelId, options, question: ["around", channelId, messageId] };
    const id = toNumber(messageId);
    startOf(request, id);
    return this.#read(request, async (look) => {
      while (!look.timeline.knownAt(id)) if (await look.fetch("around", id)) break;
      const { limit, scan } = look.budget;
      look.ceiling = Math.floor((Math.min(limit, scan) - 1) / 2);
      await goForward(look, { from: id + 1n, last: NEWEST });
      look.ceiling = Number.POSITIVE_INFINITY;
      await goBack(look, { from: id, last: OLDEST });
      return { position: id, hasMore: false };
    });
  }

  async range(channelId: ChannelId, span: { from: number; to: number }, options: ReadOptions): Promise<Read> {
    const { from, to } = span;
    if (Number.isNaN(from) || Number.isNaN(to))
      throw new EarshotError("invalid", "The span must be given as two times.");
    const question = ["range", channelId, from, to];
    const request = { channelId, options, question };
    const start = startOf(request, firstIdAt(to + 1) - 1n);
    const isAboutNow = options.cursor === undefined && to > this.#deps.clock.now() - NOW_TOLERANCE_MS;
    return this.#read(request, async (look) => {
      // What is known up to the very end joins what is heard from then on, and need not be asked for again.
      if (isAboutNow && !look.timeline.knownAt(start)) await look.fetch("before", NEWEST + 1n);
      return walkBack(look, { from: start, last: firstIdAt(from) });
    });
  }

  async search(
    channelId: ChannelId,
    query: string,
    options: ReadOptions & { readonly before?: MessageId },
  ): Promise<Read> {
    const keywords = toKeywords(query);
    if (keywords.length === 0)
      throw new EarshotError("invalid", "The query has no word to look for: give at least one.");
    const question = ["search", channelId, options.before ?? "", ...keywords.map(({ lower }) => lower)];
    const from = options.before === undefined ? NEWEST : toNumber(options.before) - 1n;
    return this.#readBack({ channelId, options, question, keywords }, { from, last: OLDEST });
  }

  async message(channelId: ChannelId, messageId: MessageId, signal?: AbortSignal): Promise<Message | undefined> {
    const id = toNumber(messageId);
    const request = { channelId, options: { limit: 1, ...(signal && { signal }) }, question: [] };
    const { messages } = await this.#read(request, async (look) => {
      while (!look.timeline.knownAt(id)) {
        const page = await look.fetch("around", id);
        const found = page?.messages.find(({ message_id }) => message_id === messageId);
        if (found) look.examine(found);
        if (page) return { position: id, hasMore: false };
      }
      return walkBack(look, { from: id, last: id });
    });
    return messages[0];
  }

  async find(request: SearchRequest): Promise<SearchResult> {
    const { vocabulary, reader } = this.#holdings;
    return this.#untilCurrent(() =>
      find(request, {
        vocabulary,
        reader,
        fetcher: this.#fetcher,
        discord: this.#searches ?? {},
        semantic: this.#holdings.semantic,
        openPace: this.#openPace,
        open: (channelId) => this.#timeline(channelId),
        isReading: (timeline) =>
          this.#plan.isAhead(timeline) &&
          (this.#background.isUnread(timeline) || !this.#background.isDone(timeline.place.guildId)),
        heldDownTo: (timeline) => this.#heldDownTo(timeline),
      }),
    );
  }

  stats(): TimelineStats {
    const { unread, guildsRead } = this.#background;
    return {
      ...this.#holdings.stats(),
      unread,
      guildsRead,
      hits: this.#hits,
      misses: this.#misses,
      pages: this.#pages,
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopListening();
    this.#background.close();
    this.#fetcher.close();
    this.#holdings.close();
  }

  /** Until all of a guild has been read ahead nothing is free, so that how far a search comes does not depend on what others have read. */
  #heldDownTo(timeline: Timeline): bigint | null {
    if (!this.#plan.isAhead(timeline) || !this.#background.hasRead(timeline)) return null;
    return timeline.heldDownTo(this.#deps.clock.now());
  }

  async #readBack(request: Request, { from, last }: { from: bigint; last: bigint }): Promise<Read> {
    const start = startOf(request, from);
    return this.#read(request, (look) => walkBack(look, { from: start, last }));
  }

  async #read(request: Request, walk: (look: Look) => Promise<Walked>): Promise<Read> {
    const { channelId, options, question, keywords = null } = request;
    const budget = toBudget(options, keywords !== null);
    return this.#untilCurrent(async () => {
      const look = new Look(await this.#timeline(channelId), { options, budget, keywords }, this.#lookDeps);
      try {
        throwIfCancelled(options.signal);
        const { position, hasMore } = await walk(look);
        if (look.pages === 0) this.#hits += 1;
        else this.#misses += 1;
        const cursor = hasMore ? toCursor(question, position) : null;
        return { messages: look.finds(), coverage: look.coverage(!hasMore), has_more: hasMore, cursor };
      } finally {
        look.close();
      }
    });
  }

  get #lookDeps(): LookDeps {
    return { fetcher: this.#fetcher, openPace: this.#openPace };
  }

  /** Starts over when events were missed meanwhile. */
  async #untilCurrent<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Outdated)) throw error;
      }
    }
    throw new EarshotError("unavailable", "The connection to Discord keeps breaking; try again later.");
  }

  /** Throws `not_found` unless the bot may read the channel now. */
  async #timeline(channelId: ChannelId): Promise<Timeline> {
    if (this.#closed) throw new EarshotError("unavailable", "Earshot is shutting down.");
    const { directory, botId } = this.#deps.discord;
    const isId = toId<ChannelId>(channelId) !== null;
    if (isId && !directory.channel(channelId)) await directory.learn(botId, channelId);
    if (!isId || !directory.canRead(botId, channelId))
      throw new EarshotError("not_found", "There is no such channel, or the bot may not read it.");
    const timeline = this.#holdings.of(channelId);
    throwIfGone(timeline);
    return timeline;
  }
}

function startOf({ options, question }: Request, otherwise: bigint): bigint {
  return options.cursor === undefined ? otherwise : fromCursor(question, options.cursor);
}

function toBudget({ limit, scan }: ReadOptions, isSearch: boolean): { limit: number; scan: number } {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RETURNED)
    throw new EarshotError("invalid", `The limit must be a whole number from 1 to ${MAX_RETURNED}.`);
  if (scan !== undefined && (!Number.isInteger(scan) || scan < 1))
    throw new EarshotError("invalid", "The number of messages to examine must be a whole number, 1 or more.");
  return { limit, scan: scan ?? (isSearch ? DEFAULT_SCAN : limit) };
}

function toNumber(messageId: MessageId): bigint {
  if (toId<MessageId>(messageId) === null) throw new EarshotError("invalid", "That is not the id of a message.");
  return BigInt(messageId);
}
