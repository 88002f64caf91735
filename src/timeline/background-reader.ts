import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, GuildId } from "../domain/ids.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { BackOff } from "./back-off.ts";
import type { PageFetcher } from "./page-fetcher.ts";
import type { Timeline } from "./timeline.ts";

/** A guild, or null for everything outside of guilds. */
type Region = GuildId | null;

export interface BackgroundReaderDeps {
  /** Every guild that can be read now, and null. */
  regions(): readonly Region[];
  /** The channels of a region whose archive is not listed to its end. */
  archives(region: Region): readonly ChannelId[];
  /** Lists one more page of it; true if there is more. */
  listArchive(channelId: ChannelId, signal: AbortSignal): Promise<boolean>;
  /** The timelines of a region in scope now, whether complete or not. */
  timelines(region: Region): readonly Timeline[];
  /** The upper end (an id) of the next page of a timeline; null if nothing is left to read. */
  nextBelow(timeline: Timeline): bigint | null;
  /** The lowest is read first. Depends only on the kinds and ids of channels: their content would reveal hidden channels. */
  orderOf(timeline: Timeline): bigint;
  /** Nothing of it was read, and it is not archived: its newest messages come before everything else. */
  isFirst(timeline: Timeline): boolean;
  /** Called before a page of it is read. */
  prepare(timeline: Timeline): void;
  /** The messages in this range are too old to be cached. */
  dropRead(timeline: Timeline, read: { readonly below: bigint; readonly from: bigint }): void;
  readonly fetcher: Pick<PageFetcher, "fetch" | "isBusy">;
  /** Pause between two pages, so that callers come first. */
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

interface Progress {
  /** Since the last success. */
  readonly failures: number;
  /** Read by this reader since the start or the last gap. */
  readonly pages: number;
}

interface Candidate extends Progress {
  readonly timeline: Timeline;
  /** Its newest messages come next, and none could be read before. */
  readonly isFirst: boolean;
  readonly order: bigint;
}

interface NextPage extends Candidate {
  readonly below: bigint;
}

const UNTOUCHED: Progress = { failures: 0, pages: 0 };

const MIN_BACK_OFF_MS = 1_000;
const MAX_BACK_OFF_MS = 300_000;
/** Maximum times in a row that it lets callers go first. */
const MAX_POSTPONED = 10;
/** After this many failures a channel no longer delays the rest of its guild. */
const MAX_FAILURES = 10;
/** If Discord refuses it, a retry rarely helps; other failures may be an outage that ends. */
const REFUSAL_FAILURES = 4;
const REFUSALS: readonly EarshotError["code"][] = ["not_found", "forbidden"];
/** Channels may have become visible. */
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
  /** Archives to list, with their guild and the number of failures. */
  readonly #unlisted = new Map<ChannelId, { readonly region: Region; readonly failures: number }>();
  /** Regions to search for unread channels. */
  readonly #toLookThrough = new Set<Region>();
  readonly #done = new Set<Region>();
  /** Guilds that were read completely once, even if events were missed since. */
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
    // Even without events, because channels can become visible unannounced.
    this.#looking = setInterval(() => this.wake(), LOOK_INTERVAL_MS);
    this.#looking.unref();
  }

  /** Call whenever there may be something to read. Cheap; safe to repeat. */
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

  /** Call when channels of a guild have become visible. */
  look(region: Region): void {
    this.#toLookThrough.add(region);
    this.wake();
  }

  /** Call when earlier reads of these guilds no longer count. */
  restart(regions: readonly Region[]): void {
    for (const region of regions) {
      this.#done.delete(region);
      this.#readIn.delete(region);
      this.#toLookThrough.add(region);
    }
    for (const [timeline, { failures }] of this.#unread)
      if (regions.includes(timeline.place.guildId)) this.#unread.set(timeline, { failures, pages: 0 });
    // An event of Discord just arrived, so earlier failures are no reason to wait.
    this.#reading.reset();
    this.#listing.reset();
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.wake();
  }

  /**
   * It has read the whole guild once, with every channel that was readable then, and all of this one since the start or the last gap. Reads
   * by callers do not count for a later channel: their presence must not be noticeable.
   */
  hasRead(timeline: Timeline): boolean {
    const { guildId } = timeline.place;
    return this.#doneOnce.has(guildId) && this.#readIn.get(guildId)?.has(timeline) === true;
  }

  isUnread(timeline: Timeline): boolean {
    return this.#unread.has(timeline);
  }

  /** Number of channels and threads with history left to read. */
  get unread(): number {
    return this.#unread.size;
  }

  /** Number of channels whose archive must still be listed. */
  get unlisted(): number {
    return this.#unlisted.size;
  }

  /** When it continues after a failure or rate limit (ms since 1970); null while it does not wait. */
  get pausedUntil(): number | null {
    const pauses = this.#work.map(({ until }) => until);
    const ends = pauses.filter((until) => until !== null);
    return pauses.length === 0 || ends.length < pauses.length ? null : Math.min(...ends);
  }

  /** The back-offs of unfinished work. */
  get #work(): readonly BackOff[] {
    return [...(this.#unread.size > 0 ? [this.#reading] : []), ...(this.#unlisted.size > 0 ? [this.#listing] : [])];
  }

  /** Number of guilds that are read completely. */
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
    // Nothing of it can be read yet, perhaps because permissions are unknown.
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

  /** Call when the guild is unreachable, or the bot has left it. */
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

  /** False while callers come first. */
  #mayRead(): boolean {
    const isPostponed = this.#deps.fetcher.isBusy && this.#postponed < MAX_POSTPONED;
    this.#postponed = isPostponed ? this.#postponed + 1 : 0;
    return !isPostponed;
  }

  /**
   * The newest messages of every channel first, then the archives, because their threads must be read, too. An archive that fails
   * repeatedly waits until everything else was read.
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

  /** Returns the number of failures that this one counts for. A refusal says nothing about other channels: it delays only channels that
   * were refused often. */
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

  /** Fewest failures first; then channels without any read page, then the one with the fewest pages read. */
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

  /** It is complete. If it was dropped, the channel's next timeline may still be unread. */
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
