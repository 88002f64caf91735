import { EarshotError, throwIfCancelled } from "../domain/errors.ts";
import { type ChannelId, idTime, type MessageId, toId, type UserId } from "../domain/ids.ts";
import { firstIdAt, NEWEST, OLDEST } from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import { type OpenPace, Pace } from "../domain/steps/pace.ts";
import { createStepQueue } from "../domain/steps/step-queue.ts";
import type { ConsentChange } from "../ports/consent.ts";
import type { DiscordEvent } from "../ports/discord.ts";
import type { ChannelCoverage, Read, ReadOptions, TimelineStats, Timelines } from "../ports/timelines.ts";
import { type ArchivePort, Archives } from "./archives.ts";
import { BackgroundReader } from "./background-reader.ts";
import type { Families } from "./families.ts";
import { DEFAULTS, type TimelineOptions } from "./options.ts";
import { isRefusal, PageFetcher } from "./page-fetcher.ts";
import { type CursorKey, fromCursor, Outdated, type ReadFilter, ReadInProgress, toCursor } from "./read-in-progress.ts";
import { planReading, type ReadingPlan } from "./reading-plan.ts";
import type { Timeline } from "./timeline.ts";
import { TimelineStore, type TimelineStoreDeps } from "./timeline-store.ts";
import { goBack, goForward, lookAhead, type Walked, type Way, walkBack, walkForward } from "./walk.ts";

const MAX_RETURNED = 100;
/** Maximum restarts of a read because of missed events. */
const MAX_ATTEMPTS = 5;

/** Archives listed per search (of the first channels, with two requests each); the background reader lists the others. */
const MAX_ARCHIVES = 10;

/** A time span that ended within this time counts as ending now. */
const NOW_TOLERANCE_MS = 2_000;

export interface TimelinesDeps extends TimelineStoreDeps {
  readonly discord: TimelineStoreDeps["discord"] & ArchivePort;
  /** By default, each round of the event loop runs one step of one read. */
  readonly openPace?: OpenPace;
}

/** @see Timelines. Throws `misconfigured` if the index on disk cannot be opened. */
export function openTimelines(options: Partial<TimelineOptions>, deps: TimelinesDeps): TimelinesForSearch {
  return new ReadThrough({ ...DEFAULTS, ...options }, deps);
}

interface ReadRequest {
  readonly channelId: ChannelId;
  readonly options: ReadOptions;
  readonly cursorKey: CursorKey;
  /** Without a filter, every message is returned. */
  readonly filter?: ReadFilter;
}

/** The part of timelines that search needs beyond the port. */
export interface TimelinesForSearch extends Timelines {
  readonly fetcher: PageFetcher;
  readonly families: Families;
  readonly openPace: OpenPace;
  /** Calls the listener with each timeline that gets messages, first with those that have some. One listener at a time. */
  onAdded(listener: (timeline: Timeline) => void): void;
  /** Throws `not_found` unless the bot may read the channel now. */
  open(channelId: ChannelId): Promise<Timeline>;
  /** The oldest id down to which the cached messages are free to search; null if none are. */
  freeDownTo(timeline: Timeline): bigint | null;
  /** The background reader is still reading older messages of it, or of its guild, that will then be free to search. */
  isReading(timeline: Timeline): boolean;
  /** Reads from an id down to another, both included, or from the position of the request's cursor. */
  readBack(request: ReadRequest, way: Way): Promise<Read>;
  /** Repeats work that throws `Outdated`, because events were missed meanwhile. */
  untilCurrent<Result>(work: () => Promise<Result>): Promise<Result>;
}

class ReadThrough implements TimelinesForSearch {
  readonly #deps: TimelineStoreDeps;
  readonly openPace: OpenPace;
  readonly #store: TimelineStore;
  readonly fetcher: PageFetcher;
  readonly #archives: Archives;
  readonly #plan: ReadingPlan;
  readonly #background: BackgroundReader;
  readonly #stopListening: () => void;
  #onAdded: (timeline: Timeline) => void = () => {};
  #hits = 0;
  #misses = 0;
  #pages = 0;
  #closed = false;

  constructor(options: TimelineOptions, deps: TimelinesDeps) {
    this.#deps = deps;
    const pause = createStepQueue(setImmediate);
    this.openPace = deps.openPace ?? ((check) => new Pace({ pause, check }));
    this.#store = new TimelineStore(options, deps);
    const onPage = (timeline: Timeline) => {
      this.#pages += 1;
      this.#store.settle(timeline);
      this.#onAdded(timeline);
    };
    this.fetcher = new PageFetcher({ discord: deps.discord, clock: deps.clock, consent: deps.consent, onPage });
    this.#archives = new Archives(deps.discord);
    this.#plan = planReading(options, { ...deps, store: this.#store, archives: this.#archives });
    this.#background = new BackgroundReader({
      ...this.#plan,
      fetcher: this.fetcher,
      intervalMs: options.backgroundIntervalMs,
      clock: deps.clock,
      log: deps.log,
    });
    const stopEvents = deps.discord.listen((event) => {
      const isUnheld = event.type === "message" && !this.#store.timelines.has(event.message.channel_id);
      this.#store.onEvent(event);
      const added = event.type === "message" ? this.#store.timelines.get(event.message.channel_id) : undefined;
      if (added) this.#onAdded(added);
      this.#voidArchives(event);
      const isNewChannel = isUnheld && added !== undefined;
      if (isNewChannel) this.#background.look(event.message.guild_id);
      else if (event.type === "gap")
        this.#background.restart(event.shard === 0 ? [null, ...event.guildIds] : event.guildIds);
      else if (event.type === "guild" || event.type === "guild_removed") this.#background.restart([event.guildId]);
      else if (event.type === "channel" && !deps.discord.directory.channel(event.channelId)?.thread)
        this.#background.look(deps.discord.directory.channel(event.channelId)?.guildId ?? null);
      else this.#background.wake();
    });
    const stopConsent = deps.consent.listen((change) => this.#onConsentChange(change));
    this.#stopListening = () => {
      stopEvents();
      stopConsent();
    };
    this.#background.wake();
  }

  async recent(channelId: ChannelId, options: ReadOptions): Promise<Read> {
    return this.readBack({ channelId, options, cursorKey: ["recent", channelId] }, { from: NEWEST, last: OLDEST });
  }

  async before(channelId: ChannelId, messageId: MessageId, options: ReadOptions): Promise<Read> {
    const cursorKey = ["before", channelId, messageId];
    return this.readBack({ channelId, options, cursorKey }, { from: toNumber(messageId) - 1n, last: OLDEST });
  }

  async after(channelId: ChannelId, messageId: MessageId, options: ReadOptions): Promise<Read> {
    const request = { channelId, options, cursorKey: ["after", channelId, messageId] };
    const from = startOf(request, toNumber(messageId) + 1n);
    return this.#read(request, (read) => {
      read.look({ from: toNumber(messageId), to: from });
      return walkForward(read, { from, last: NEWEST });
    });
  }

  async around(channelId: ChannelId, messageId: MessageId, options: ReadOptions): Promise<Read> {
    const request = { channelId, options, cursorKey: ["around", channelId, messageId] };
    const id = toNumber(messageId);
    startOf(request, id);
    return this.#read(request, async (read) => {
      while (!read.timeline.knownAt(id)) if (await read.fetch("around", id)) break;
      const { limit, scan } = read.budget;
      read.ceiling = Math.floor((Math.min(limit, scan) - 1) / 2);
      await goForward(read, { from: id + 1n, last: NEWEST });
      read.ceiling = Number.POSITIVE_INFINITY;
      await goBack(read, { from: id, last: OLDEST });
      return { position: id, hasMore: false };
    });
  }

  async range(channelId: ChannelId, span: { from: number; to: number }, options: ReadOptions): Promise<Read> {
    const { from, to } = span;
    if (Number.isNaN(from) || Number.isNaN(to))
      throw new EarshotError("invalid", "The span must be given as two times.");
    const cursorKey = ["range", channelId, from, to];
    const request = { channelId, options, cursorKey };
    const start = startOf(request, firstIdAt(to + 1) - 1n);
    const isAboutNow = options.cursor === undefined && to > this.#deps.clock.now() - NOW_TOLERANCE_MS;
    return this.#read(request, async (read) => {
      // If everything up to the end is known, it joins the live events and need not be requested again.
      read.look({ from: start, to: firstIdAt(to + 1) - 1n });
      if (isAboutNow && !read.timeline.knownAt(start)) await read.fetch("before", NEWEST + 1n);
      else await lookAhead(read, firstIdAt(to + 1));
      return walkBack(read, { from: start, last: firstIdAt(from) });
    });
  }

  async message(channelId: ChannelId, messageId: MessageId, signal?: AbortSignal): Promise<Message | undefined> {
    const id = toNumber(messageId);
    const held = await this.#findHeld(channelId, id);
    throwIfCancelled(signal);
    if (held !== undefined) return held ?? undefined;
    const request = { channelId, options: { limit: 1, ...(signal && { signal }) }, cursorKey: [] };
    const { messages } = await this.#read(request, async (read) => {
      while (!read.timeline.knownAt(id)) {
        const page = await read.fetch("around", id);
        const found = page?.messages.find(({ message_id }) => message_id === messageId);
        if (found) read.examine(found);
        if (page) return { position: id, hasMore: false };
      }
      return walkBack(read, { from: id, last: id });
    });
    return messages[0];
  }

  /** Null if it does not exist; undefined if that is unknown. Thousands of facts may rest on messages, which every search of facts
   * checks. */
  async #findHeld(channelId: ChannelId, id: bigint): Promise<Message | null | undefined> {
    const timeline = await this.open(channelId);
    if (timeline.isRemoved || !timeline.knownAt(id)) return undefined;
    this.#hits += 1;
    return (timeline.ids.has(id) && timeline.get([id])[0]) || null;
  }

  /** As if they had been left out and included again at once. */
  letGoOf(userId: UserId): void {
    this.#onConsentChange({ userId, isLeftOut: true });
    if (!this.#deps.consent.isLeftOut(userId)) this.#onConsentChange({ userId, isLeftOut: false });
  }

  onAdded(listener: (timeline: Timeline) => void): void {
    this.#onAdded = listener;
    for (const timeline of this.#store.timelines.values()) listener(timeline);
  }

  get families(): Families {
    return this.#store.families;
  }

  async listArchives(channelIds: readonly ChannelId[], signal?: AbortSignal): Promise<ReadonlySet<ChannelId>> {
    const listing: Promise<void>[] = [];
    for (const id of channelIds.slice(0, MAX_ARCHIVES))
      if (this.#archives.isUntouched(id)) listing.push(this.#listArchive(id, signal));
    await Promise.all(listing);
    const listed = new Set<ChannelId>();
    for (const id of channelIds) if (this.#archives.isListed(id)) listed.add(id);
    return listed;
  }

  async #listArchive(id: ChannelId, signal: AbortSignal | undefined): Promise<void> {
    const guildId = this.#deps.discord.directory.channel(id)?.guildId ?? null;
    try {
      do await this.#archives.list(id, guildId, signal);
      while (!this.#plan.readsAhead && this.#archives.isOpen(id));
    } catch (error) {
      throwIfCancelled(signal);
      if (!isRefusal(error)) throw error;
    }
  }

  holds(channelId: ChannelId, messageId: MessageId): boolean {
    const timeline = this.#store.timelines.has(channelId) ? this.#store.open(channelId) : null;
    const id = toNumber(messageId);
    return timeline !== null && !timeline.gone && timeline.ids.has(id) && timeline.knownAt(id) !== undefined;
  }

  /** A missed event may concern a thread; and a channel's archive is not announced when the channel becomes visible. */
  #voidArchives(event: DiscordEvent): void {
    if (event.type === "gap") this.#archives.forget(event.guildIds);
    else if (event.type === "guild" || event.type === "guild_removed") this.#archives.forget([event.guildId]);
    else if (event.type === "channel_deleted" || event.type === "access_lost")
      this.#archives.forgetChannel(event.channelId);
  }

  stats(): TimelineStats {
    const { unread, unlisted, pausedUntil, guildsRead } = this.#background;
    return {
      ...this.#store.stats(),
      unread,
      unlisted,
      pausedUntil,
      guildsRead,
      hits: this.#hits,
      misses: this.#misses,
      pages: this.#pages,
    };
  }

  held(): readonly ChannelCoverage[] {
    return [...this.#store.timelines.values()].map(({ place, size, known, ids }) => {
      const [oldest = BigInt(place.channelId)] = ids.oldest(OLDEST, NEWEST, 1);
      const intervals = known.map(({ from, to }) => ({
        from: Math.max(idTime(from), idTime(oldest)),
        to: to === NEWEST ? null : idTime(to),
      }));
      return { channelId: place.channelId, messages: size, isPrivate: place.family.isPrivate, intervals };
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopListening();
    this.#background.close();
    this.fetcher.close();
    this.#archives.close();
    this.#store.close();
  }

  /** Nothing of a guild is free until the background reader has read all of it once, so that the range of a search does not depend on
   * reads by others. */
  freeDownTo(timeline: Timeline): bigint | null {
    if (!this.#plan.isAhead(timeline) || !this.#background.hasRead(timeline)) return null;
    return timeline.heldDownTo(this.#deps.clock.now());
  }

  isReading(timeline: Timeline): boolean {
    if (!this.#plan.isAhead(timeline)) return false;
    return this.#background.isUnread(timeline) || !this.#background.hasRead(timeline);
  }

  async readBack(request: ReadRequest, { from, last }: Way): Promise<Read> {
    const start = startOf(request, from);
    return this.#read(request, async (read) => {
      read.look({ from: start, to: from });
      await lookAhead(read, from + 1n);
      return walkBack(read, { from: start, last });
    });
  }

  #onConsentChange(change: ConsentChange): void {
    const toRead = this.#store.onConsentChange(change);
    // Only regions with dropped messages are read again: the range of other people's searches must not reveal activity elsewhere.
    for (const region of toRead) this.#background.look(region);
  }

  async #read(request: ReadRequest, walk: (read: ReadInProgress) => Promise<Walked>): Promise<Read> {
    const { channelId, options, cursorKey, filter = null } = request;
    const { limit, scan } = options;
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_RETURNED)
      throw new EarshotError("invalid", `The limit must be a whole number from 1 to ${MAX_RETURNED}.`);
    if (scan !== undefined && (!Number.isInteger(scan) || scan < 1))
      throw new EarshotError("invalid", "The number of messages to examine must be a whole number, 1 or more.");
    const budget = { limit, scan: scan ?? filter?.defaultScan ?? limit };
    return this.untilCurrent(async () => {
      const timeline = await this.open(channelId);
      const heldDownTo = this.freeDownTo(timeline);
      const read = new ReadInProgress(timeline, { options, budget, filter, heldDownTo }, this);
      try {
        throwIfCancelled(options.signal);
        const { position, hasMore } = await walk(read);
        if (read.pages === 0) this.#hits += 1;
        else this.#misses += 1;
        const cursor = hasMore ? toCursor(cursorKey, position) : null;
        return { messages: read.messages(), coverage: read.coverage(!hasMore), has_more: hasMore, cursor };
      } finally {
        read.close();
      }
    });
  }

  /** Starts over if events were missed meanwhile. */
  async untilCurrent<Result>(work: () => Promise<Result>): Promise<Result> {
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
  async open(channelId: ChannelId): Promise<Timeline> {
    if (this.#closed) throw new EarshotError("unavailable", "Earshot is shutting down.");
    const { directory, botId } = this.#deps.discord;
    const isId = toId<ChannelId>(channelId) !== null;
    if (isId && !directory.channel(channelId)) await directory.learn(botId, channelId);
    if (!isId || !directory.canRead(botId, channelId))
      throw new EarshotError("not_found", "There is no such channel, or the bot may not read it.");
    const timeline = this.#store.of(channelId);
    timeline.throwIfGone();
    return timeline;
  }
}

function startOf({ options, cursorKey }: ReadRequest, otherwise: bigint): bigint {
  return options.cursor === undefined ? otherwise : fromCursor(cursorKey, options.cursor);
}

/** Throws `invalid` for an invalid id. */
export function toNumber(messageId: MessageId): bigint {
  if (toId<MessageId>(messageId) === null) throw new EarshotError("invalid", "That is not the id of a message.");
  return BigInt(messageId);
}
