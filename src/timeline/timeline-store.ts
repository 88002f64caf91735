import { join } from "node:path";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import { type Interval, OLDEST } from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import type { Clock } from "../ports/clock.ts";
import type { Consent, ConsentChange } from "../ports/consent.ts";
import type { Discord, DiscordEvent } from "../ports/discord.ts";
import type { Log } from "../ports/log.ts";
import type { MessageIndex, OpenMessageIndex } from "../ports/message-index.ts";
import { Families, type Family } from "./families.ts";
import { MemoryBudget } from "./memory-budget.ts";
import { DAY_MS, type TimelineOptions } from "./options.ts";
import { resumable } from "./resumable.ts";
import { Room } from "./room.ts";
import { type HeldStats, sumStats } from "./sum-stats.ts";
import { SupervisedIndex } from "./supervised-index.ts";
import { Timeline } from "./timeline.ts";
import { MAX_UNCONFIRMED_MS } from "./unconfirmed.ts";

export interface TimelineStoreDeps {
  readonly discord: Pick<Discord, "botId" | "directory" | "listen" | "history" | "lastHeardAt">;
  readonly openIndex: OpenMessageIndex;
  readonly consent: Consent;
  readonly clock: Clock;
  readonly log: Log;
}

const SWEEP_INTERVAL_MS = 60_000;

/** All timelines, kept current by events and within their quotas. */
export class TimelineStore {
  readonly #options: TimelineOptions;
  readonly #deps: TimelineStoreDeps;
  readonly #memory: SupervisedIndex;
  readonly #disk: SupervisedIndex | null;
  readonly #onDisk: ReadonlySet<ChannelId>;
  readonly #timelines = new Map<ChannelId, Timeline>();
  readonly families: Families;
  readonly #budget: MemoryBudget;
  #reads = 0;
  #sweptAt: number;
  readonly #sweeping: NodeJS.Timeout;
  #isTidying = false;
  #closed = false;

  constructor(options: TimelineOptions, deps: TimelineStoreDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#sweptAt = deps.clock.now();
    this.#onDisk = new Set(options.disk?.channels);
    this.families = new Families(deps.discord.directory);
    this.#budget = new MemoryBudget(options.totalBytes, {
      families: this.families,
      onEmpty: (timeline) => this.#remove(timeline),
    });
    const supervised = { ...deps, onFailure: (index: MessageIndex) => this.#discardAllOf(index) };
    this.#memory = new SupervisedIndex(null, supervised);
    this.#disk = options.disk ? new SupervisedIndex(join(options.disk.folder, "messages.db"), supervised) : null;
    if (this.#disk) this.#resume(this.#disk);
    this.#sweep();
    this.#sweeping = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS);
    this.#sweeping.unref();
  }

  /** The timeline of a channel, for a reader. Throws `unavailable` while its index is being rebuilt. */
  of(channelId: ChannelId): Timeline {
    this.#refresh();
    if (this.#deps.clock.now() - this.#sweptAt >= SWEEP_INTERVAL_MS) this.#sweep();
    const guildId = this.#deps.discord.directory.channel(channelId)?.guildId ?? null;
    const timeline = this.#timelines.get(channelId) ?? this.#open(channelId, guildId);
    this.#reads += 1;
    timeline.usedAt = this.#reads;
    return timeline;
  }

  /** Channels that may have cached messages. */
  get timelines(): ReadonlyMap<ChannelId, Timeline> {
    return this.#timelines;
  }

  /** The timeline of a channel, without a reader; null while its index is being rebuilt. */
  open(channelId: ChannelId): Timeline | null {
    const known = this.#timelines.get(channelId);
    if (known || this.#closed || !this.#storeOf(channelId).isUsable) return known ?? null;
    return this.#open(channelId, this.#deps.discord.directory.channel(channelId)?.guildId ?? null);
  }

  /** Timelines on disk with unconfirmed messages that can be read now. */
  unconfirmed(): Timeline[] {
    const { directory, botId } = this.#deps.discord;
    return [...this.#timelines.values()].filter(
      ({ place, doubtful }) => doubtful.length > 0 && directory.canRead(botId, place.channelId),
    );
  }

  /** Drops the cached messages of a channel in an interval. */
  erase({ place }: Timeline, interval: Interval): void {
    this.#keep("erase", place.channelId, (timeline) => timeline.drop(interval, this.#deps.clock.now()));
  }

  stats(): HeldStats {
    return sumStats([...this.#timelines.values()]);
  }

  /** Never throws: if an event cannot be applied, the whole cache of its place is dropped. */
  onEvent(event: DiscordEvent): void {
    if (this.#closed) return;
    this.#refresh();
    if ("message" in event && this.#deps.consent.isLeftOut(event.message.author.id)) {
      const timeline = this.#timelines.get(event.message.channel_id);
      if (timeline) timeline.isPartial = true;
    } else this.#apply(event);
  }

  /**
   * Removes all cached messages of a person who opted out. The amount of other cached messages must not reveal that they wrote: timelines
   * that had too small a quota for everything are dropped and read again, and so are private threads and DMs, which are read only for
   * people. When a person opts in again, their messages are missing from the cache. Never throws. Returns the guilds that have to be read
   * again.
   */
  onConsentChange({ userId, isLeftOut }: ConsentChange): ReadonlySet<GuildId | null> {
    const families = new Set<Family>();
    if (this.#closed) return new Set();
    this.#refresh();
    if (isLeftOut) this.#removeAuthor(userId, families);
    const concerned = [...this.#timelines.values()].filter(({ isPartial, room, place: { family, outlivesGaps } }) => {
      if (!isLeftOut) return isPartial;
      const wasCut = families.has(family) && (room.own.cutoff > OLDEST || family.room.cutoff > OLDEST);
      return !outlivesGaps && (family.isPrivate || wasCut);
    });
    this.#doubt((timeline) => concerned.includes(timeline), this.#deps.clock.now());
    // In other channels, their message may have taken the room of others.
    const cut = isLeftOut ? [...this.#timelines.values()].filter(({ room }) => room.noteGrown()) : [];
    return new Set([...concerned, ...cut].map(({ place }) => place.guildId));
  }

  #removeAuthor(userId: UserId, families: Set<Family>): void {
    for (const { index, isUsable } of [this.#memory, ...(this.#disk ? [this.#disk] : [])]) {
      if (!isUsable) continue;
      this.#succeeds("leave out", () => {
        for (const [channelId, ids] of index.writtenBy(userId))
          this.#keep("leave out", channelId, (timeline) => {
            families.add(timeline.place.family);
            timeline.isPartial = true;
            this.#removeFrom(timeline, ids);
          });
      });
    }
    // A failed index has closed itself, and nothing of it is served.
    this.#refresh();
    // Pages in progress may contain some.
    for (const timeline of this.#timelines.values()) if (timeline.isWatched) timeline.epoch += 1;
  }

  /** Evicts messages beyond the quotas after a timeline has grown. */
  settle(timeline: Timeline): void {
    const now = this.#deps.clock.now();
    timeline.dropSurplus(now);
    if (this.#isBudgeted(timeline) && this.#budget.settle(timeline, now)) this.#tidy();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#sweeping);
    for (const timeline of this.#timelines.values()) timeline.gone = true;
    this.#noteHeard();
    this.#memory.close();
    this.#disk?.close();
  }

  #apply(event: DiscordEvent): void {
    const now = this.#deps.clock.now();
    switch (event.type) {
      case "message":
        this.#create(event.message, now);
        break;
      case "message_update":
        this.#keep(event.type, event.message.channel_id, (timeline) => {
          const { bytes } = timeline;
          timeline.update(event.message, now);
          if (timeline.bytes < bytes) timeline.room.noteGrown();
          // An edit may enlarge a message considerably.
          this.settle(timeline);
        });
        break;
      case "message_delete":
        this.#keep(event.type, event.channelId, (timeline) => this.#removeFrom(timeline, event.messageIds));
        break;
      case "channel_deleted":
      case "access_lost":
        this.#lose(({ channelId }) => channelId === event.channelId);
        break;
      case "guild_removed":
        this.#lose(({ channelId, guildId }) => guildId === event.guildId || event.channelIds.includes(channelId));
        this.#recount();
        break;
      // Discord describes a guild at the start of a session and after an outage: events before may have been missed.
      case "guild":
        this.#doubt(({ place }) => place.guildId === event.guildId, now);
        this.#recount();
        break;
      case "gap":
        this.#doubt(
          ({ place: { guildId } }) => (guildId === null ? event.shard === 0 : event.guildIds.includes(guildId)),
          Date.parse(event.from),
        );
        break;
    }
  }

  #create(message: Message, now: number): void {
    const { channel_id: channelId, guild_id: guildId } = message;
    const { directory, botId } = this.#deps.discord;
    // Messages in channels whose history the bot cannot read are not cached.
    if (!directory.canRead(botId, channelId)) return;
    // While its index is being rebuilt, nothing of a channel is cached, so nothing must be kept current.
    if (!this.#timelines.has(channelId)) {
      if (!this.#storeOf(channelId).isUsable) return;
      this.#open(channelId, guildId);
    }
    this.#keep("message", channelId, (timeline) => {
      timeline.create(message, now);
      this.settle(timeline);
    });
  }

  #removeFrom(timeline: Timeline, messageIds: readonly MessageId[]): void {
    timeline.remove(messageIds, this.#deps.clock.now());
    timeline.room.noteGrown();
    if (this.#isBudgeted(timeline)) this.#budget.countDeleted(timeline);
  }

  #doubt(concerns: (timeline: Timeline) => boolean, since: number): void {
    for (const each of [...this.#timelines.values()]) {
      if (!concerns(each)) continue;
      this.#keep("doubt", each.place.channelId, (timeline) => {
        timeline.doubt(since, this.#deps.clock.now());
        timeline.isPartial = false;
        this.#count(timeline);
        if (timeline.isEmpty && !timeline.isWatched) this.#remove(timeline);
      });
    }
    this.#tidy();
  }

  #lose(concerns: (place: Timeline["place"]) => boolean): void {
    for (const timeline of [...this.#timelines.values()]) {
      if (!concerns(timeline.place)) continue;
      timeline.gone = true;
      this.#giveUp(timeline);
    }
    this.#tidy();
  }

  /** Changes the cached messages of a channel. If that fails, they are no longer correct and are dropped. */
  #keep(what: string, channelId: ChannelId, change: (timeline: Timeline) => void): void {
    const timeline = this.#timelines.get(channelId);
    if (timeline && !this.#succeeds(what, () => change(timeline))) this.#giveUp(timeline);
  }

  #giveUp(timeline: Timeline): void {
    this.#remove(timeline);
    if (!timeline.gone) timeline.discard();
    // Otherwise the next timeline of the channel would find the messages left in the index.
    if (!this.#succeeds("forget", () => timeline.forget()))
      this.#storeOf(timeline.place.channelId).fail(timeline.place.index, "a channel cannot be forgotten");
  }

  #discardAllOf(index: MessageIndex): void {
    for (const timeline of [...this.#timelines.values()]) {
      if (timeline.place.index !== index) continue;
      this.#remove(timeline);
      timeline.discard();
    }
  }

  #refresh(): void {
    this.#memory.refresh();
    this.#disk?.refresh();
  }

  #storeOf(channelId: ChannelId): SupervisedIndex {
    return this.#disk && this.#onDisk.has(channelId) ? this.#disk : this.#memory;
  }

  /** Loads the index on disk from before the start. */
  #resume(disk: SupervisedIndex): void {
    if (!disk.isUsable) return;
    const { index } = disk;
    const isResumed = this.#succeeds("resume", () => {
      const heardAt = index.heardAt();
      for (const held of resumable(index, this.#options, this.#deps))
        this.#open(held.channelId, held.guildId).resume(held, { heardAt, now: this.#deps.clock.now() });
    });
    if (!isResumed) disk.fail(index, "what it holds cannot be read");
    disk.refresh();
  }

  #remove(timeline: Timeline): void {
    this.#budget.remove(timeline);
    timeline.isRemoved = true;
    if (this.#timelines.get(timeline.place.channelId) === timeline) this.#timelines.delete(timeline.place.channelId);
  }

  #count(timeline: Timeline): void {
    if (this.#isBudgeted(timeline)) this.#budget.count(timeline);
  }

  #isBudgeted({ place, isRemoved }: Timeline): boolean {
    return !place.outlivesGaps && !isRemoved;
  }

  /** Call when channels may have been added or removed, which changes the quotas. */
  #recount(): void {
    this.#succeeds("recount", () => this.#budget.recount(this.#deps.clock.now()));
    this.#tidy();
  }

  #open(channelId: ChannelId, guildId: GuildId | null): Timeline {
    const store = this.#storeOf(channelId);
    const isOnDisk = store === this.#disk;
    const bounds = isOnDisk
      ? { maxMessages: Number.POSITIVE_INFINITY, retentionMs: (this.#options.disk?.retentionDays ?? 0) * DAY_MS }
      : { maxMessages: this.#options.messagesPerChannel, retentionMs: Number.POSITIVE_INFINITY };
    const { botId } = this.#deps.discord;
    // Messages on disk do not share a memory quota with their threads.
    const family = isOnDisk ? { id: channelId, isPrivate: false, room: new Room() } : this.families.of(channelId);
    const place = { channelId, guildId, family, index: store.index, botId, outlivesGaps: isOnDisk, ...bounds };
    const timeline = new Timeline(place);
    this.#timelines.set(channelId, timeline);
    return timeline;
  }

  /** Drops expired messages. */
  #sweep(): void {
    const now = this.#deps.clock.now();
    this.#sweptAt = now;
    this.#refresh();
    this.#doubtUnheard(now);
    for (const { place } of [...this.#timelines.values()])
      this.#keep("sweep", place.channelId, (timeline) => {
        timeline.dropExpired(now);
        this.#dropUnconfirmed(timeline, now);
        const old = place.outlivesGaps ? undefined : timeline.ids.heldSinceBefore(now - this.#options.maxAgeMs);
        if (old) timeline.drop(old, now);
        this.#count(timeline);
      });
    this.#noteHeard();
    this.#recount();
    this.#tidy();
  }

  /** Lets the next process know since when events were missed. */
  #noteHeard(): void {
    const heardAt = this.#deps.discord.lastHeardAt();
    if (heardAt === null || !this.#disk?.isUsable) return;
    const { index } = this.#disk;
    this.#succeeds("note", () => index.noteHeard(Math.min(heardAt, this.#deps.clock.now())));
  }

  /** A gap is reported only after the reconnect; messages on disk cannot wait longer for that than for their confirmation. */
  #doubtUnheard(now: number): void {
    const heardAt = this.#deps.discord.lastHeardAt();
    if (heardAt !== null && now - heardAt >= MAX_UNCONFIRMED_MS) this.#doubt(() => true, heardAt);
  }

  #dropUnconfirmed(timeline: Timeline, now: number): void {
    const before = timeline.unconfirmed;
    timeline.dropUnconfirmed(now);
    const messages = before - timeline.unconfirmed;
    if (messages > 0)
      this.#deps.log.warn({ messages }, "messages on disk were erased: Discord did not confirm them within 24 hours");
  }

  #succeeds(what: string, work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.#deps.log.error({ what, error: String(error) }, "a timeline could not be kept current");
      return false;
    }
  }

  /** In small portions, so that other work is not delayed. */
  #tidy(): void {
    if (this.#isTidying) return;
    this.#isTidying = true;
    const goOn = () => {
      let isMore = false;
      if (!this.#closed)
        this.#succeeds("tidy", () => {
          isMore = this.#budget.evictSome(this.#deps.clock.now()) || this.#memory.index.tidy();
        });
      this.#isTidying = isMore;
      if (isMore) setImmediate(goOn);
    };
    setImmediate(goOn);
  }
}
