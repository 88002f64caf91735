import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, GuildId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { BackOff } from "./back-off.ts";
import type { PageFetcher } from "./page-fetcher.ts";
import type { Timeline } from "./timeline.ts";

/** A guild, or null for what is outside of all guilds. */
type Region = GuildId | null;

export interface BackgroundReaderDeps {
  /** Every guild that can be read now, and null. */
  regions(): readonly Region[];
  /** The channels of a region whose archive has not been listed to its end. */
  archives(region: Region): readonly ChannelId[];
  /** Lists a page of it; true when there is more. */
  listArchive(channelId: ChannelId, signal: AbortSignal): Promise<boolean>;
  /** The timelines of a region that are to be read, now, whether something of them is still missing or not. */
  timelines(region: Region): readonly Timeline[];
  /** Below which id a timeline is to be read next; null when nothing of it is to be read. */
  nextBelow(timeline: Timeline): bigint | null;
  /** The lowest is read first. Depends on the kinds of channels and their ids alone, never on their content, which would reveal hidden channels. */
  orderOf(timeline: Timeline): bigint;
  /** Nothing of it has been read, and it is in no archive: its newest messages come before everything else. */
  isFirst(timeline: Timeline): boolean;
  /** A page of it is read next. */
  prepare(timeline: Timeline): void;
  /** The messages read below an id, down to another, turned out to be too old to be cached. */
  dropRead(timeline: Timeline, read: { readonly below: bigint; readonly from: bigint }): void;
  readonly fetcher: Pick<PageFetcher, "fetch" | "isBusy">;
  /** Between two pages, so that callers come first. */
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

interface Progress {
  /** Since it could be read last. */
  readonly failures: number;
  /** Read by the background since the start or the last gap. */
  readonly pages: number;
}

interface Candidate extends Progress {
  readonly timeline: Timeline;
  /** The newest messages of a channel, of which none could be read before. */
  readonly isFirst: boolean;
  readonly order: bigint;
}

interface NextPage extends Candidate {
  readonly below: bigint;
}

const UNTOUCHED: Progress = { failures: 0, pages: 0 };

const MIN_BACK_OFF_MS = 1_000;
const MAX_BACK_OFF_MS = 300_000;
/** How many times in a row it lets callers go first. */
const MAX_POSTPONED = 10;
/** After this many failures a channel no longer delays the rest of its guild. */
const MAX_FAILURES = 10;
/** If Discord refuses it, retrying hardly helps; other failures may be an outage that ends. */
const REFUSAL_FAILURES = 4;
const REFUSALS: readonly EarshotError["code"][] = ["not_found", "forbidden"];
/** Channels may have come into sight. */
const LOOK_INTERVAL_MS = 60_000;

/**
 * Reads history in the background, one page of each channel in turn and the newest first, as far back as the quotas allow. After a gap or a restart it also
 * reads the messages on disk again, because the text of a message that was deleted meanwhile must not stay there. Messages and archives fail independently of
 * each other.
 */
export class BackgroundReader {
  readonly #deps: BackgroundReaderDeps;
  readonly #closing = new AbortController();
  readonly #unread = new Map<Timeline, Progress>();
  /** Archives to be listed, with their guild and how often that failed. */
  readonly #unlisted = new Map<ChannelId, { readonly region: Region; readonly failures: number }>();
  /** To be looked through for what is unread. */
  readonly #toLookThrough = new Set<Region>();
  readonly #done = new Set<Region>();
  /** Guilds that were read completely once, whatever was missed since. */
  readonly #doneOnce = new Set<Region>();
  /** Timelines that were read completely since the last gap. */
  readonly #readIn = new Map<Region, WeakSet<Timeline>>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;
  #isReading = false;
  readonly #reading: BackOff;
  readonly #listing: BackOff;
  #postponed = 0;

  readonly #looking: NodeJS.Timeout;

  constructor(deps: BackgroundReaderDeps) {
    this.#deps = deps;
    const { clock } = deps;
    const minMs = Math.max(deps.intervalMs, MIN_BACK_OFF_MS);
    const pauses = { clock, minMs, maxMs: MAX_BACK_OFF_MS, onEnd: () => this.wake() };
    [this.#reading, this.#listing] = [new BackOff(pauses), new BackOff(pauses)];
    // Also where nothing happens: channels come into sight without a word.
    this.#looking = setInterval(() => this.wake(), LOOK_INTERVAL_MS);
    this.#looking.unref();
  }

  /** Call it whenever something may have become unread. Cheap; safe to repeat. */
  wake(): void {
    const { clock, intervalMs } = this.#deps;
    const isTime = clock.now() - this.#lookedAt >= LOOK_INTERVAL_MS;
    if (isTime) this.#lookAgain();
    if (this.#timer || this.#isReading || this.#closing.signal.aborted) return;
    const isToLook = this.#toLookThrough.size > 0;
    if (!isToLook && !this.#work.some(({ until }) => until === null)) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        void this.#goOn();
      },
      isToLook ? 0 : intervalMs,
    );
    this.#timer.unref();
  }

  /** Channels of a guild have come into sight. */
  look(region: Region): void {
    this.#toLookThrough.add(region);
    this.wake();
  }

  /** Earlier reads of these guilds no longer count. */
  restart(regions: readonly Region[]): void {
    for (const region of regions) {
      this.#done.delete(region);
      this.#readIn.delete(region);
      this.#toLookThrough.add(region);
    }
    for (const [timeline, { failures }] of this.#unread)
      if (regions.includes(timeline.place.guildId)) this.#unread.set(timeline, { failures, pages: 0 });
    // Discord was heard a moment ago: what could not be read before is no reason to wait.
    this.#reading.reset();
    this.#listing.reset();
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.wake();
  }

  /**
   * It has read all of the guild once, with every channel that was readable then, and all of this one since the start or the last gap. Reads by callers do not
   * count for a channel that came later: their presence must not show.
   */
  hasRead(timeline: Timeline): boolean {
    const { guildId } = timeline.place;
    return this.#doneOnce.has(guildId) && this.#readIn.get(guildId)?.has(timeline) === true;
  }

  /** Something of it is still to be read. */
  isUnread(timeline: Timeline): boolean {
    return this.#unread.has(timeline);
  }

  /** Channels and threads of which something is still to be read. */
  get unread(): number {
    return this.#unread.size;
  }

  /** Channels whose archive is still to be listed. */
  get unlisted(): number {
    return this.#unlisted.size;
  }

  /** When it goes on after Discord did not answer, or asked it to wait (ms since 1970); null while it does not wait. */
  get pausedUntil(): number | null {
    const pauses = this.#work.map(({ until }) => until);
    const ends = pauses.filter((until) => until !== null);
    return pauses.length === 0 || ends.length < pauses.length ? null : Math.min(...ends);
  }

  /** The back-offs of what is still to be done. */
  get #work(): readonly BackOff[] {
    return [...(this.#unread.size > 0 ? [this.#reading] : []), ...(this.#unlisted.size > 0 ? [this.#listing] : [])];
  }

  /** Guilds of which nothing more is to be read. */
  get guildsRead(): number {
    return this.#done.has(null) ? this.#done.size - 1 : this.#done.size;
  }

  close(): void {
    clearInterval(this.#looking);
    this.#closing.abort();
    this.#reading.reset();
    this.#listing.reset();
    if (this.#timer) clearTimeout(this.#timer);
  }

  #lookAgain(): void {
    this.#lookedAt = this.#deps.clock.now();
    for (const region of this.#deps.regions()) this.#toLookThrough.add(region);
  }

  async #goOn(): Promise<void> {
    const [region] = this.#toLookThrough;
    if (region !== undefined) this.#lookThrough(region);
    else if (this.#mayRead()) await this.#readSome();
    this.wake();
  }

  #lookThrough(region: Region): void {
    this.#toLookThrough.delete(region);
    if (!this.#deps.regions().includes(region)) {
      this.#forget(region);
      return;
    }
    this.#noteUnlisted(region, this.#deps.archives(region));
    const timelines = this.#deps.timelines(region);
    // Nothing of it can be read yet: who may read what is perhaps not known.
    if (region !== null && timelines.length === 0) return;
    const unread = new Set(timelines.filter((timeline) => this.#deps.nextBelow(timeline) !== null));
    for (const timeline of timelines) if (!unread.has(timeline)) this.#readOf(region).add(timeline);
    for (const timeline of this.#unread.keys())
      if (timeline.place.guildId === region && !unread.has(timeline)) this.#unread.delete(timeline);
    for (const timeline of unread) if (!this.#unread.has(timeline)) this.#unread.set(timeline, UNTOUCHED);
    this.#noteDone(region);
  }

  #noteUnlisted(region: Region, open: readonly ChannelId[]): void {
    for (const [id, one] of this.#unlisted) if (one.region === region && !open.includes(id)) this.#unlisted.delete(id);
    for (const id of open) if (!this.#unlisted.has(id)) this.#unlisted.set(id, { region, failures: 0 });
  }

  /** The guild cannot be reached, or the bot is not in it any more. */
  #forget(region: Region): void {
    this.#done.delete(region);
    this.#readIn.delete(region);
    for (const timeline of this.#unread.keys()) if (timeline.place.guildId === region) this.#unread.delete(timeline);
    this.#noteUnlisted(region, []);
  }

  #readOf(region: Region): WeakSet<Timeline> {
    const known = this.#readIn.get(region) ?? new WeakSet();
    this.#readIn.set(region, known);
    return known;
  }

  /** Callers come first. */
  #mayRead(): boolean {
    const isPostponed = this.#deps.fetcher.isBusy && this.#postponed < MAX_POSTPONED;
    this.#postponed = isPostponed ? this.#postponed + 1 : 0;
    return !isPostponed;
  }

  /**
   * The newest messages of every channel first, then the archives, because what is in them is to be read too. An archive that fails again and again waits
   * until everything else has been read.
   */
  async #readSome(): Promise<void> {
    const next = this.#reading.until === null ? this.#newest() : null;
    const [archive] = [...this.#unlisted].sort(([, a], [, b]) => a.failures - b.failures);
    const isDue = archive && this.#listing.until === null && (!next || archive[1].failures < MAX_FAILURES);
    if (isDue && !next?.isFirst) await this.#listArchive(archive[0], archive[1]);
    else if (next) await this.#readPage(next);
  }

  async #listArchive(channelId: ChannelId, { region, failures }: { region: Region; failures: number }): Promise<void> {
    this.#isReading = true;
    try {
      const isOpen = await this.#deps.listArchive(channelId, this.#closing.signal);
      this.#listing.reset();
      if (isOpen) this.#unlisted.set(channelId, { region, failures: 0 });
      else this.#unlisted.delete(channelId);
      this.#toLookThrough.add(region);
    } catch (error) {
      const weight = this.#noteFailure(error, failures, this.#listing);
      this.#unlisted.set(channelId, { region, failures: failures + weight });
      this.#noteDone(region);
    } finally {
      this.#isReading = false;
    }
  }

  async #readPage({ timeline, below, failures, pages }: NextPage): Promise<void> {
    this.#isReading = true;
    try {
      await this.#read(timeline, below);
      this.#reading.reset();
      this.#unread.set(timeline, { failures: 0, pages: pages + 1 });
    } catch (error) {
      const weight = this.#noteFailure(error, failures, this.#reading);
      if (weight > 0) this.#unread.set(timeline, { failures: failures + weight, pages });
    } finally {
      this.#isReading = false;
    }
    if (this.#deps.nextBelow(timeline) === null) this.#noteRead(timeline);
    else this.#noteDone(timeline.place.guildId);
  }

  async #read(timeline: Timeline, below: bigint): Promise<void> {
    const { fetcher, prepare, dropRead, nextBelow } = this.#deps;
    prepare(timeline);
    const page = await fetcher.fetch(timeline, { direction: "before", id: below }, this.#closing.signal);
    if (page && nextBelow(timeline) === below) dropRead(timeline, { below, from: page.from });
    if (page && nextBelow(timeline) === below) throw new Error("a page of history was read, and nothing became known");
  }

  /** Gives back for how many failures it counts. A refusal is an answer, which says nothing about other channels: it pauses only what was refused often. */
  #noteFailure(error: unknown, failures: number, backOff: BackOff): number {
    if (this.#closing.signal.aborted) return 0;
    const isRefused = error instanceof EarshotError && REFUSALS.includes(error.code);
    const reason = error instanceof EarshotError ? error.code : String(error);
    const retryAfterMs = error instanceof EarshotError ? (error.retryAfter ?? 0) * 1_000 : 0;
    if (!isRefused || failures >= MAX_FAILURES) backOff.pause(retryAfterMs);
    this.#deps.log.debug({ reason, failures }, "history could not be read yet");
    return isRefused ? REFUSAL_FAILURES : 1;
  }

  #noteDone(region: Region): void {
    if (this.#done.has(region) || this.#toLookThrough.has(region)) return;
    if (region !== null && !this.#readIn.has(region)) return;
    for (const one of this.#unlisted.values()) if (one.region === region && one.failures < MAX_FAILURES) return;
    for (const [{ place, gone }, { failures }] of this.#unread)
      if (place.guildId === region && !gone && failures < MAX_FAILURES) return;
    this.#done.add(region);
    this.#doneOnce.add(region);
    if (region !== null) this.#deps.log.info({}, "the history of a server has been read, as far as there is room");
  }

  /** Fewest failures first; then channels of which nothing has been read, then the one with the fewest pages read. */
  #newest(): NextPage | null {
    for (;;) {
      let next: Candidate | null = null;
      for (const [timeline, progress] of this.#unread) {
        const isFirst = progress.failures === 0 && this.#deps.isFirst(timeline);
        const candidate = { timeline, ...progress, isFirst, order: this.#deps.orderOf(timeline) };
        if (!next || comesBefore(candidate, next)) next = candidate;
      }
      if (!next) return null;
      const below = this.#deps.nextBelow(next.timeline);
      if (below !== null) return { ...next, below };
      this.#noteRead(next.timeline);
    }
  }

  /** It needs no more reading. If it was dropped, the channel's next timeline may still have everything to read. */
  #noteRead(timeline: Timeline): void {
    this.#unread.delete(timeline);
    const { guildId } = timeline.place;
    this.#readOf(guildId).add(timeline);
    if (timeline.isRemoved) this.#toLookThrough.add(guildId);
    this.#noteDone(guildId);
  }
}

function comesBefore(one: Candidate, other: Candidate): boolean {
  if (one.failures !== other.failures) return one.failures < other.failures;
  if (one.isFirst !== other.isFirst) return one.isFirst;
  return one.pages === other.pages ? one.order < other.order : one.pages < other.pages;
}
