import { hash } from "node:crypto";
import type { Echoes } from "../domain/answer/echoes.ts";
import { EarshotError, throwIfCancelled } from "../domain/errors.ts";
import { idTime } from "../domain/ids.ts";
import { type Interval, NEWEST } from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import type { OpenPace, Pace } from "../domain/steps/pace.ts";
import type { Coverage, ReadOptions } from "../ports/timelines.ts";
import type { ChangeJournal } from "./journal.ts";
import type { Direction, Page, PageFetcher } from "./page-fetcher.ts";
import type { Timeline } from "./timeline.ts";

/** The intervals known when the read began are invalid now: it must start over. */
export class Outdated extends Error {}

export interface Budget {
  /** Messages to return. */
  readonly limit: number;
  /** Messages to examine. */
  readonly scan: number;
}

/** Selects the examined messages that a read returns. */
export interface ReadFilter {
  /** The default number of messages to examine. */
  readonly defaultScan: number;
  accepts(message: Message): boolean;
  /** Examines known messages from a position down to `bottom`, both included; returns the position to continue from. May stop early if
   * the read must rest. */
  examineKnown(read: ReadInProgress, position: bigint, bottom: bigint): bigint;
}

interface ReadScope {
  readonly options: ReadOptions;
  readonly budget: Budget;
  /** Null if every message is returned. */
  readonly filter: ReadFilter | null;
  /** The oldest id down to which the background reader's cache is complete; null if none is. */
  readonly heldDownTo: bigint | null;
}

export interface ReadInProgressDeps {
  readonly fetcher: PageFetcher;
  readonly openPace: OpenPace;
}

const PROGRESS_STEP = 100;
/** Maximum echoes skipped without counting as examined. */
const MAX_FREE_ECHOES = 2_000;

/** One read: its progress, its results, and changes since its start. */
export class ReadInProgress {
  readonly timeline: Timeline;
  readonly budget: Budget;
  readonly filter: ReadFilter | null;
  scanned = 0;
  pages = 0;
  /** The last fetched page, which may be too old to be cached. */
  page: Page | null = null;
  /** The maximum to examine for now. */
  ceiling = Number.POSITIVE_INFINITY;
  /** The budget of the current step is used up. */
  mustRest = false;
  readonly #openPace: OpenPace;
  /** Created lazily, because most reads end before they must rest. */
  #pace: Pace | null = null;
  readonly #fetcher: PageFetcher;
  readonly #options: ReadOptions;
  readonly #journal: ChangeJournal;
  readonly #epoch: number;
  /** Includes echoes in pages that are not cached; null if echoes are returned, too. */
  readonly #echoes: Echoes | null;
  /** The messages that decide which ones are echoes: those read by this read, and the background reader's cache. */
  #looked: Interval | null = null;
  #skipped = 0;
  #accepted: Message[] = [];
  #newest: bigint | null = null;
  #oldest: bigint | null = null;

  constructor(
    timeline: Timeline,
    { options, budget, filter, heldDownTo }: ReadScope,
    { fetcher, openPace }: ReadInProgressDeps,
  ) {
    if (timeline.isRemoved) throw new Outdated();
    this.timeline = timeline;
    this.budget = budget;
    this.filter = filter;
    this.#options = options;
    this.#fetcher = fetcher;
    this.#openPace = openPace;
    this.#epoch = timeline.epoch;
    this.#journal = timeline.openJournal();
    this.#echoes = options.withoutEchoes ? timeline.echoes.over() : null;
    if (heldDownTo !== null) this.look({ from: heldDownTo, to: NEWEST });
  }

  /** Maximum further messages to return. */
  get toReturn(): number {
    return this.budget.limit - this.#accepted.length;
  }

  /** Maximum further messages to examine. */
  get toScan(): number {
    const charged = this.scanned + Math.max(0, this.#skipped - MAX_FREE_ECHOES);
    return Math.min(this.budget.scan, this.ceiling) - charged;
  }

  /** Messages examined, including skipped echoes. */
  get passed(): number {
    return this.scanned + this.#skipped;
  }

  get isSpent(): boolean {
    return this.toReturn <= 0 || this.toScan <= 0;
  }

  get passesOverEchoes(): boolean {
    return this.#echoes !== null;
  }

  spend(units: number): void {
    this.#pace ??= this.#openPace(() => this.check());
    if (this.#pace.spend(units)) this.mustRest = true;
  }

  /** Ends a step. Throws as `check` does. */
  async rest(): Promise<void> {
    this.mustRest = false;
    await this.#pace?.rest();
  }

  /** Adds an interval covered by this read, or by one that it continues. */
  look(interval: Interval): void {
    this.#looked = this.#lookedWith(interval);
  }

  #lookedWith({ from, to }: Interval): Interval {
    const { from: low, to: high } = this.#looked ?? { from, to };
    return { from: from < low ? from : low, to: to > high ? to : high };
  }

  /** Whether it is an echo, judged by the covered intervals and the message itself. */
  isEcho(id: bigint): boolean {
    return this.#echoes?.isWithin(id, this.#lookedWith({ from: id, to: id })) ?? false;
  }

  /** Skips this many more echoes; false if they are too many. */
  maySkip(count: number): boolean {
    this.#skipped += count;
    return this.#skipped <= MAX_FREE_ECHOES;
  }

  /** The number of cached messages between two ids (both included) that count. */
  count(from: bigint, to: bigint): number {
    const all = this.timeline.ids.count(from, to);
    return this.#echoes ? all - this.timeline.echoes.between({ from, to }).filter((id) => this.isEcho(id)).length : all;
  }

  /** The oldest id down to which cached messages may be examined; undefined if all may be. */
  scanEnd(position: bigint): bigint | undefined {
    const { ids } = this.timeline;
    let low = this.toScan;
    let high = low + (this.#echoes ? Math.max(0, MAX_FREE_ECHOES - this.#skipped) : 0);
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const end = ids.countDown(position, middle);
      if (end !== undefined && this.count(end, position) <= this.toScan) low = middle;
      else high = middle - 1;
    }
    return ids.countDown(position, low);
  }

  /** Examines cached messages in this order. Echoes are skipped without being read, because a channel may have thousands. */
  examineHeld(ids: readonly bigint[]): void {
    for (const id of ids) {
      const [message] = this.isEcho(id) ? [] : this.timeline.get([id]);
      if (message) this.examine(message);
      else this.noteExamined({ count: 0, skipped: 1, newest: id, oldest: id, accepted: [] });
    }
  }

  examine(message: Message): void {
    const id = BigInt(message.message_id);
    this.look({ from: id, to: id });
    if (this.isEcho(id)) {
      this.#skipped += 1;
      return;
    }
    this.noteExamined({ count: 1, newest: id, oldest: id, accepted: this.#accepts(message) ? [message] : [] });
  }

  /** For many at once: how many count between two ids, how many do not, and those that the filter accepts. */
  noteExamined(part: {
    count: number;
    skipped?: number;
    newest: bigint;
    oldest: bigint;
    accepted: readonly Message[];
  }): void {
    this.#skipped += part.skipped ?? 0;
    this.look({ from: part.oldest, to: part.newest });
    if (part.count === 0) return;
    const accepted = part.accepted.filter(({ author }) => !this.#options.isLeftOut?.(author.id));
    this.#report({ ...part, accepted });
    this.scanned += part.count;
    this.#accepted.push(...accepted);
    if (this.#newest === null || part.newest > this.#newest) this.#newest = part.newest;
    if (this.#oldest === null || part.oldest < this.#oldest) this.#oldest = part.oldest;
  }

  /** @see PageFetcher.fetch */
  async fetch(direction: Direction, id: bigint): Promise<Page | null> {
    this.pages += 1;
    this.page = await this.#fetcher.fetch(this.timeline, { direction, id }, this.#options.signal);
    this.check();
    if (this.page) this.#echoes?.change([], this.page.messages);
    return this.page;
  }

  /** Call after every wait: throws if the read must stop or start over. */
  check(): void {
    throwIfCancelled(this.#options.signal);
    this.timeline.throwIfGone();
    if (this.timeline.epoch !== this.#epoch) throw new Outdated();
  }

  /** Reports at every hundredth message, even if many are examined at once: the number of cached messages must not be noticeable. */
  #report({ count, newest, accepted }: { count: number; newest: bigint; accepted: readonly Message[] }): void {
    const { onProgress } = this.#options;
    if (!onProgress) return;
    const rankOf = ({ message_id }: Message) =>
      this.scanned + (count === 1 ? 1 : this.count(BigInt(message_id), newest));
    const next = (Math.floor(this.scanned / PROGRESS_STEP) + 1) * PROGRESS_STEP;
    for (let scanned = next; scanned <= this.scanned + count; scanned += PROGRESS_STEP) {
      const soFar = accepted.filter((message) => rankOf(message) <= scanned).length;
      onProgress({ scanned, scan: this.budget.scan, found: this.#accepted.length + soFar });
    }
  }

  /**
   * The current messages, newest first: without messages that were deleted, or edited so that the filter rejects them, during the read, and
   * without late echoes.
   */
  messages(): Message[] {
    const standing: Message[] = [];
    for (const message of this.#accepted) {
      const current = this.#journal.current(message);
      if (current && this.#accepts(current)) standing.push(current);
    }
    return standing.sort((a, b) => (BigInt(a.message_id) < BigInt(b.message_id) ? 1 : -1));
  }

  #accepts(message: Message): boolean {
    if (this.#options.isLeftOut?.(message.author.id) || this.isEcho(BigInt(message.message_id))) return false;
    return this.filter?.accepts(message) ?? true;
  }

  coverage(complete: boolean): Coverage {
    const [oldest, newest] = this.#ends();
    const from = timeOf(oldest);
    const to = newest === oldest ? from : timeOf(newest);
    return { scanned: this.scanned, from, to, complete };
  }

  /** The oldest and the newest message examined, without late echoes. */
  #ends(): [oldest: bigint | null, newest: bigint | null] {
    if (!this.#echoes || this.filter) return [this.#oldest, this.#newest];
    const left = this.#accepted.map(({ message_id }) => BigInt(message_id)).filter((id) => !this.isEcho(id));
    return left.reduce<[bigint | null, bigint | null]>(
      ([low, high], id) => [low === null || id < low ? id : low, high === null || id > high ? id : high],
      [null, null],
    );
  }

  close(): void {
    this.timeline.closeJournal(this.#journal);
  }
}

function timeOf(id: bigint | null): string | null {
  return id === null ? null : new Date(idTime(id)).toISOString();
}

/** The key of a cursor: the kind of read, the channel, and all other parameters. */
export type CursorKey = readonly (string | bigint | number)[];

/** The cursor at which a read continues. It is valid only for the same key. */
export function toCursor(key: CursorKey, position: bigint): string {
  const text = JSON.stringify([...key, position].map(String));
  return `${position.toString(36)}.${hash("sha256", text, "base64url").slice(0, 12)}`;
}

/** Throws `invalid` for anything but a cursor of the same key. */
export function fromCursor(key: CursorKey, cursor: string): bigint {
  const [digits = "", seal] = cursor.split(".");
  const position = /^[0-9a-z]{1,13}$/.test(digits)
    ? [...digits].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n)
    : null;
  if (position === null || position > NEWEST || toCursor(key, position) !== cursor || seal === undefined)
    throw new EarshotError("invalid", "The cursor does not belong to this request: start again without one.");
  return position;
}
