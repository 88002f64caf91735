import { type EarshotError, throwIfCancelled } from "../../domain/errors.ts";
import type { MessageId, UserId } from "../../domain/ids.ts";
import { type Interval, type Intervals, intervalAt, joinInterval, NEWEST, OLDEST } from "../../domain/intervals.ts";
import type { Message } from "../../domain/message.ts";
import type { ChangeJournal } from "../../timeline/journal.ts";
import { isRefusal, PAGE, type Page, type PageFetcher } from "../../timeline/page-fetcher.ts";
import { Outdated } from "../../timeline/read-in-progress.ts";
import type { Timeline } from "../../timeline/timeline.ts";

export interface ScanRequest {
  readonly span: Interval;
  /** Only this person's messages are looked at; null for everybody's. */
  readonly onlyBy: UserId | null;
  /** The lower end of the cached messages that are searched whatever the request allows; null if none are. */
  readonly heldDownTo: bigint | null;
  /** @see SearchRequest */
  readonly withEchoes: boolean;
}

/**
 * The range of one channel that a search covers: from the newest message that may count down to the oldest. Messages that happen to be cached further down are
 * not searched: that depends on earlier requests by others, and on their permissions.
 */
export class ChannelScan {
  readonly timeline: Timeline;
  readonly span: Interval;
  /** @see ScanRequest */
  readonly onlyBy: UserId | null;
  readonly withEchoes: boolean;
  readonly #heldDownTo: bigint | null;
  /** Hits of Discord's own search here. */
  guildSearchHits: readonly Message[] = [];
  /** Pages fetched for this search: not all of their messages may be kept. */
  readonly #pages: Page[] = [];
  readonly #fetched = new Map<bigint, Message>();
  readonly #journal: ChangeJournal;
  readonly #epoch: number;
  /** Everything above was looked at. */
  #position: bigint;
  #depth = 0;
  /** Messages looked at so far, without those that were held for everybody. */
  counted = 0;
  /** Why Discord gives no more of it; null while it does. */
  refusal: EarshotError | null = null;
  /** False while what is not held is left to Discord's own search. */
  isPaged = true;

  constructor(timeline: Timeline, { span, onlyBy, heldDownTo, withEchoes }: ScanRequest) {
    this.timeline = timeline;
    this.span = span;
    this.onlyBy = onlyBy;
    this.withEchoes = withEchoes;
    this.#heldDownTo = heldDownTo;
    this.#epoch = timeline.epoch;
    this.#journal = timeline.openJournal();
    this.#position = heldDownTo !== null && heldDownTo <= span.to ? heldDownTo - 1n : span.to;
  }

  /** Its cached messages are searched whatever the request allows. */
  get isFree(): boolean {
    return this.#heldDownTo !== null;
  }

  /** By what was said here it is decided what is an echo: what was looked at, and what is held for everybody. */
  get seen(): Interval {
    const { from, to } = this.covered;
    const held = this.#heldDownTo;
    return held === null ? { from, to } : { from: held < from ? held : from, to: NEWEST };
  }

  /** There is nothing more to fetch. */
  get isDone(): boolean {
    return !this.isPaged || this.timeline.gone || this.refusal !== null || this.#position < this.span.from;
  }

  get covered(): Interval {
    const { from, to } = this.span;
    return { from: this.#position < from ? from : this.#position + 1n, to };
  }

  /** Messages that were looked at but are not held, as they stand now, oldest first. */
  unheld(): Message[] {
    if (this.guildSearchHits.length + this.#fetched.size + this.#journal.created.size === 0) return [];
    const { from, to } = this.covered;
    const unheld = new Map<bigint, Message>();
    for (const message of this.currentGuildHits()) unheld.set(BigInt(message.message_id), message);
    // With a small quota, messages since a page was fetched may already be evicted.
    for (const message of [...this.#fetched.values(), ...this.#journal.created.values()]) {
      const current = this.#journal.current(message);
      if (current && BigInt(message.message_id) >= from) unheld.set(BigInt(message.message_id), current);
    }
    const isHeld = (id: bigint) => id >= from && this.timeline.knownAt(id) !== undefined;
    return [...unheld]
      .filter(([id]) => id <= to && !isHeld(id))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, message]) => message);
  }

  /** A message that was held when it was looked at and had to make room since, as it stands now; undefined where it was not fetched for this search. */
  recall(id: bigint): Message | undefined {
    if (this.timeline.gone) return undefined;
    const message = this.#fetched.get(id) ?? this.#journal.created.get(String(id) as MessageId);
    return (message && this.#journal.current(message)) ?? undefined;
  }

  /** Hits of Discord's own search, as they stand now, oldest first. */
  currentGuildHits(): Message[] {
    const held = (message: Message) => {
      const id = BigInt(message.message_id);
      if (id < this.span.from || id > this.span.to) return [];
      return this.timeline.knownAt(id) ? this.timeline.get([id]) : (this.#journal.current(message) ?? []);
    };
    return this.guildSearchHits.flatMap(held).sort((a, b) => (BigInt(a.message_id) < BigInt(b.message_id) ? -1 : 1));
  }

  /** Down to where everything was looked at and can still be, from the top; above the top when nothing was. */
  completeDownTo(): bigint {
    const { from, to } = this.covered;
    const all = this.#pages.reduce<Intervals>((intervals, page) => joinInterval(intervals, page), this.timeline.known);
    const bottom = intervalAt(all, to)?.from ?? to + 1n;
    return bottom < from ? from : bottom;
  }

  /**
   * Down to where everything was looked at; below all ids where that is everything, above all where it is nothing. Discord tells which message is a
   * channel's newest, but not whether its author opted out, so that does not count. Nor does the pace of others where only one person's messages do.
   */
  end(): bigint {
    const bottom = this.completeDownTo();
    if (bottom <= this.span.from) return OLDEST - 1n;
    return bottom <= this.span.to && this.onlyBy === null ? bottom : NEWEST + 1n;
  }

  /** Looks a page further, whether that is held or has to be fetched. Gives back how many messages that were, at most a page. */
  async advance(fetcher: PageFetcher, signal: AbortSignal | undefined): Promise<number> {
    const before = this.counted;
    this.#depth += PAGE;
    while (!this.isDone && this.counted < this.#depth) {
      const here = this.timeline.knownAt(this.#position) ?? this.#pageAt(this.#position);
      if (here) this.#pass(here);
      else {
        const page = await fetcher.fetch(this.timeline, { direction: "before", id: this.#position + 1n }, signal);
        this.check(signal);
        if (page) this.#keep(page);
      }
    }
    return this.counted - before;
  }

  /** Something that was looked at was let go of meanwhile, to make room for what this very search has fetched, say. */
  get hasLost(): boolean {
    return !this.timeline.gone && this.completeDownTo() > this.covered.from;
  }

  /** Fetches that again. */
  async refetch(fetcher: PageFetcher, signal: AbortSignal | undefined): Promise<void> {
    while (this.hasLost) {
      const page = await fetcher.fetch(this.timeline, { direction: "before", id: this.completeDownTo() }, signal);
      this.check(signal);
      if (page) this.#keep(page);
    }
  }

  /** After every wait: whether it makes sense to go on. */
  check(signal: AbortSignal | undefined): void {
    throwIfCancelled(signal);
    if (this.timeline.epoch !== this.#epoch) throw new Outdated();
  }

  close(): void {
    this.timeline.closeJournal(this.#journal);
  }

  #keep(page: Page): void {
    this.#pages.push(page);
    for (const message of page.messages) this.#fetched.set(BigInt(message.message_id), message);
  }

  #pageAt(id: bigint): Page | undefined {
    return this.#pages.find(({ from, to }) => from <= id && id <= to);
  }

  /** Goes down through the available messages, as far as the depth allows. Messages older than the requested range do not count. */
  #pass(here: Interval | Page): void {
    const wanted = this.#depth - this.counted;
    const from = here.from < this.span.from ? this.span.from : here.from;
    let count: number;
    let last: bigint | undefined;
    if ("messages" in here) {
      const between = here.messages
        .map(({ message_id }) => BigInt(message_id))
        .filter((id) => id >= from && id <= this.#position);
      count = Math.min(between.length, wanted);
      last = between[count - 1];
    } else {
      const { ids } = this.timeline;
      count = Math.min(ids.count(from, this.#position), wanted);
      last = ids.countDown(this.#position, count);
    }
    this.counted += count;
    this.#position = (count < wanted ? here.from : (last ?? here.from)) - 1n;
  }
}

/** A page of a quiet channel costs less than a full one, but it costs a request. */
const MIN_PAGE_COST = 20;
/** Discord takes 50 requests a second: more at once would only stand in the way of others, also after the search was called off. */
const MAX_CONCURRENT_PAGES = 50;
/** After this many refusals in a row all of Discord counts as unreachable: waiting for each channel would take too long. */
const MAX_REFUSALS = 20;

interface ScanDeps {
  readonly fetcher: PageFetcher;
  readonly signal?: AbortSignal;
  readonly onRound: () => void;
  /** Looking further would change nothing. Asked ever more seldom, as it takes the longer the more was looked at. */
  readonly isEnough?: () => Promise<boolean>;
}

/** How many times in a row it is asked whether there is enough; after that each time twice as many rounds have passed. */
const ROUNDS_ASKED = 4;

/**
 * Fetches further pages of the channels, one page of each in turn, until the limit of messages is reached or there are no more. A page counts whether it was
 * cached or not, so that the same request always scans equally far. A channel that Discord refuses does not stop the others. Throws Discord's error if it
 * refuses all of them.
 */
export async function scanChannels(
  scans: readonly ChannelScan[],
  maxMessages: number,
  { fetcher, signal, onRound, isEnough }: ScanDeps,
): Promise<void> {
  let left = maxMessages;
  let refusals = 0;
  const orRefused = <Result>(scan: ChannelScan, work: Promise<Result>) =>
    work.catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      scan.refusal = error;
      return null;
    });
  const advance = async (scan: ChannelScan) => {
    const count = await orRefused(scan, scan.advance(fetcher, signal));
    refusals = count === null ? refusals + 1 : 0;
    left -= Math.max(MIN_PAGE_COST, count ?? 0);
  };
  let isOver = (await isEnough?.()) ?? false;
  let rounds = 0;
  const endRound = async () => {
    onRound();
    rounds += 1;
    const isAsked = rounds <= ROUNDS_ASKED || Number.isInteger(Math.log2(rounds));
    if (isAsked) isOver = (await isEnough?.()) ?? false;
  };
  const mayGoOn = () => !isOver && left > 0 && refusals < MAX_REFUSALS;
  for (let open = scans.filter(isOpen); mayGoOn() && open.length > 0; open = open.filter(isOpen)) {
    let next = 0;
    while (mayGoOn() && next < open.length) {
      const wave = open.slice(next, next + Math.min(MAX_CONCURRENT_PAGES, Math.ceil(left / PAGE)));
      next += wave.length;
      await Promise.all(wave.map(advance));
      await endRound();
    }
  }
  const refetched: Promise<unknown>[] = [];
  for (const scan of scans)
    if (scan.isPaged && scan.refusal === null && scan.hasLost)
      refetched.push(orRefused(scan, scan.refetch(fetcher, signal)));
  await Promise.all(refetched);
  const standing = scans.filter(({ timeline }) => !timeline.gone);
  const [first] = standing;
  const hasNothing = (scan: ChannelScan) => scan.refusal !== null && scan.counted === 0 && !scan.isFree;
  if (first?.refusal && standing.every(hasNothing)) throw first.refusal;
}

function isOpen({ isDone }: ChannelScan): boolean {
  return !isDone;
}
