import { Echoes } from "../domain/answer/echoes.ts";
import { EarshotError } from "../domain/errors.ts";
import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import {
  cutInterval,
  type Interval,
  type Intervals,
  intervalAt,
  joinInterval,
  NEWEST,
  OLDEST,
} from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import type { HeldChannel, MessageIndex } from "../ports/message-index.ts";
import type { Family } from "./families.ts";
import { IdList } from "./id-list.ts";
import { ChangeJournal, isOlder } from "./journal.ts";
import { ChannelRoom } from "./room.ts";
import {
  addUnconfirmed,
  cutUnconfirmed,
  isDue,
  toHeld,
  toIntervals,
  toUnconfirmed,
  type UnconfirmedInterval,
} from "./unconfirmed.ts";
import { weighHeld } from "./weigh-message.ts";

export interface TimelinePlace {
  readonly channelId: ChannelId;
  readonly guildId: GuildId | null;
  /** The family with its quota. */
  readonly family: Family;
  readonly index: MessageIndex;
  readonly botId: UserId;
  /** After a gap, messages are kept to be confirmed piece by piece, instead of dropped. */
  readonly outlivesGaps: boolean;
  readonly maxMessages: number;
  /** Maximum age of a message. */
  readonly retentionMs: number;
}

/** Notified synchronously about changes to one channel's messages, so that derived data (the search index) never outlives them. */
export interface MessageObserver {
  /** Messages were edited or deleted, cached or not. */
  outdated(ids: readonly bigint[]): void;
  /** Cached messages were added, replaced or removed, or have become or ceased to be echoes. */
  changed(ids: readonly bigint[]): void;
  /** Replies to these are interpreted differently: see `Echoes.questionFor`. */
  relinked(ids: readonly bigint[]): void;
  /** All messages up to this id are dropped; `changed` lists them next. */
  trimmed(upTo: bigint): void;
  /** Nothing cached may be served any more. */
  cleared(): void;
}

/** Maximum messages weighed at a time. */
const MAX_READ_AT_ONCE = 32;

interface Change {
  readonly put?: readonly Message[];
  readonly remove?: readonly bigint[];
  readonly known?: Intervals;
  readonly unconfirmed?: readonly UnconfirmedInterval[];
}

/**
 * The cached messages of one channel or thread. An interval is known when all of its messages are cached and events keep it current: the newest interval
 * reaches to the end of all ids. A gap ends that for all intervals at once, because an edit or a deletion of any message may be among the missed events.
 */
export class Timeline {
  readonly place: TimelinePlace;
  readonly #ids = new IdList();
  /** @see IdList */
  readonly ids: Pick<IdList, "at" | "count" | "countDown" | "newest" | "oldest" | "has" | "heldSinceBefore"> =
    this.#ids;
  readonly #journals = new Set<ChangeJournal>();
  readonly #observers: MessageObserver[] = [];
  readonly room: ChannelRoom;
  readonly #echoes: Echoes;
  #known: Intervals = [];
  /** Cached since before a gap, and not confirmed since. */
  #unconfirmed: readonly UnconfirmedInterval[] = [];
  /** The same without times. */
  #doubtful: Intervals = [];
  /** Incremented when known intervals become invalid. */
  epoch = 0;
  /** The channel is deleted or hidden: nothing of it may be served. */
  gone = false;
  /** It was dropped: events no longer reach it, so it must not be used. Readers get the channel's new timeline from the store. */
  isRemoved = false;
  /** Known intervals contain messages of people who are left out. */
  isPartial = false;
  /** The last read, as a count of reads. */
  usedAt = 0;
  /** Estimated size of the messages. */
  #bytes = 0;

  constructor(place: TimelinePlace) {
    this.place = place;
    this.room = new ChannelRoom({ family: place.family.room, retentionMs: place.retentionMs });
    this.#echoes = new Echoes({
      botId: place.botId,
      read: (id) => this.get([id])[0],
      holds: (id) => this.#ids.has(id),
    });
  }

  /** Echoes among the cached messages. */
  get echoes(): Omit<Echoes, "change" | "clear"> {
    return this.#echoes;
  }

  /** Continues with an index from before the start. Events since `heardAt` were missed. */
  resume({ messageIds, complete }: HeldChannel, { heardAt, now }: { heardAt: number | null; now: number }): void {
    this.#ids.add(messageIds.map(BigInt), now);
    const messages = this.get(messageIds.map(BigInt));
    this.#bytes = messages.reduce((sum, message) => sum + weighHeld(message), 0);
    this.#echoes.change([], messages);
    const unconfirmed = cutUnconfirmed(toUnconfirmed(complete, heardAt), this.#aboveNewestHeld());
    this.#apply({ known: [], unconfirmed }, now);
  }

  throwIfGone(): void {
    if (this.gone) throw new EarshotError("not_found", "There is no such channel, or the bot may not read it.");
  }

  get size(): number {
    return this.#ids.size;
  }

  /** Estimated size. */
  get bytes(): number {
    return this.#bytes;
  }

  *weights(): Generator<number, void> {
    let next = OLDEST;
    // Usually one is needed; otherwise they are read in batches.
    for (let count = 1; ; count = Math.min(2 * count, MAX_READ_AT_ONCE)) {
      const ids = this.#ids.oldest(next, NEWEST, count);
      const weights = new Map(this.get(ids).map((message) => [BigInt(message.message_id), weighHeld(message)]));
      for (const id of ids) yield weights.get(id) ?? 0;
      const last = ids.at(-1);
      if (last === undefined) return;
      next = last + 1n;
    }
  }

  /**
   * The oldest id down to which everything that fits is cached: the whole channel if it is small enough. Null while some of it is missing.
   * Independent of who has read how much of it.
   */
  heldDownTo(now: number): bigint | null {
    if (this.bottom === OLDEST) return OLDEST;
    return [this.room.cutoff(now), this.room.lastCutoff(now)].find((cutoff) => this.bottom <= cutoff) ?? null;
  }

  /** No older messages fit. */
  isFull(now: number): boolean {
    return this.bottom === OLDEST || (!this.room.hasGrown && this.bottom <= this.room.cutoff(now));
  }

  /** All messages from here to the newest are known; above the newest if none are. */
  get bottom(): bigint {
    return this.knownAt(NEWEST)?.from ?? NEWEST + 1n;
  }

  get known(): Intervals {
    return this.#known;
  }

  get doubtful(): Intervals {
    return this.#doubtful;
  }

  /** Number of cached messages that were not confirmed since a gap. */
  get unconfirmed(): number {
    return this.#doubtful.reduce((sum, { from, to }) => sum + this.#ids.count(from, to), 0);
  }

  /** Time since which the oldest of them is unconfirmed; null if there are none. */
  get unconfirmedSince(): number | null {
    const withMessages = this.#unconfirmed.filter(({ from, to }) => this.#ids.count(from, to) > 0);
    return withMessages.length === 0 ? null : Math.min(...withMessages.map(({ since }) => since));
  }

  get isWatched(): boolean {
    return this.#journals.size > 0;
  }

  get isEmpty(): boolean {
    return this.#known.length + this.#doubtful.length === 0;
  }

  knownAt(id: bigint): Interval | undefined {
    return intervalAt(this.#known, id);
  }

  get(ids: readonly bigint[]): Message[] {
    return this.place.index.get(
      this.place.channelId,
      ids.map((id) => String(id) as MessageId),
    );
  }

  /** For the lifetime of the timeline. */
  observe(observer: MessageObserver): void {
    this.#observers.push(observer);
  }

  openJournal(): ChangeJournal {
    const journal = new ChangeJournal();
    this.#journals.add(journal);
    return journal;
  }

  closeJournal(journal: ChangeJournal): void {
    this.#journals.delete(journal);
  }

  /** Adds a received message. The first one after a gap starts an interval, because all later ones will be received. */
  create(message: Message, now: number): void {
    for (const journal of this.#journals) journal.noteCreated(message);
    const id = BigInt(message.message_id);
    const isKnown = this.knownAt(id) !== undefined;
    if (this.#ids.has(id) && isKnown) return;
    // Late and out of order: messages between it and the next one are unknown.
    if (!isKnown && (this.knownAt(NEWEST) || this.#ids.count(id, NEWEST) > 0)) return;
    this.#apply({ put: [message], ...(!isKnown && this.#cover({ from: id, to: NEWEST })) }, now);
  }

  update(message: Message, now: number): void {
    for (const journal of this.#journals) journal.noteUpdated(message);
    const id = BigInt(message.message_id);
    for (const observer of this.#observers) observer.outdated([id]);
    const [held] = this.#ids.has(id) ? this.get([id]) : [];
    if (!held || isOlder(message, held)) return;
    this.#apply({ put: [message] }, now);
  }

  remove(messageIds: readonly MessageId[], now: number): void {
    for (const journal of this.#journals) journal.noteDeleted(messageIds);
    const ids = messageIds.map(BigInt);
    for (const observer of this.#observers) observer.outdated(ids);
    const held = ids.filter((id) => this.#ids.has(id));
    if (held.length > 0) this.#apply({ remove: held }, now);
  }

  /** Takes over Discord's messages of an interval, as of the time when the journal was opened; returns the current ones. */
  learn(
    interval: Interval,
    messages: readonly Message[],
    { journal, now }: { journal: ChangeJournal; now: number },
  ): Message[] {
    const standing = new Map<bigint, Message>();
    for (const message of [...messages, ...journal.created.values()]) {
      const id = BigInt(message.message_id);
      const current = journal.current(message);
      const isHere = message.channel_id === this.place.channelId && id >= interval.from && id <= interval.to;
      if (isHere && current && !standing.has(id)) standing.set(id, current);
    }
    const kept = this.#worthKeeping(interval, standing.keys(), now);
    if (kept) this.#replace(kept, standing, now);
    return [...standing.values()].sort((a, b) => (BigInt(a.message_id) < BigInt(b.message_id) ? 1 : -1));
  }

  /** Call when events after `since` may have been missed. */
  doubt(since: number, now: number): void {
    this.epoch += 1;
    if (this.place.outlivesGaps) {
      const intervals = cutInterval(this.#known, this.#aboveNewestHeld());
      this.#apply({ known: [], unconfirmed: addUnconfirmed(this.#unconfirmed, intervals, since) }, now);
    } else this.drop({ from: OLDEST, to: NEWEST }, now);
  }

  /** Drops an interval: it becomes unknown, and its messages are removed. */
  drop(interval: Interval, now: number): void {
    const known = cutInterval(this.#known, interval);
    const unconfirmed = cutUnconfirmed(this.#unconfirmed, interval);
    if (interval.from === OLDEST) for (const observer of this.#observers) observer.trimmed(interval.to);
    if (known.length + unconfirmed.length > 0)
      this.#apply({ remove: this.#ids.newest(interval.from, interval.to), known, unconfirmed }, now);
    else this.forget();
  }

  /** Drops everything. Nothing is served any more, even if the index fails. */
  forget(): void {
    try {
      this.place.index.forget(this.place.channelId);
    } finally {
      this.#clear();
    }
  }

  /** Call when the index's content of this timeline is wrong: reads in progress start over. */
  discard(): void {
    this.epoch += 1;
    this.#clear();
  }

  /** Drops messages beyond the maximum age. */
  dropExpired(now: number): void {
    const [newest] = this.#ids.newest(OLDEST, this.room.oldestAllowed(now) - 1n, 1);
    if (newest !== undefined) this.drop({ from: OLDEST, to: newest }, now);
  }

  /** Drops messages that were not confirmed in time. */
  dropUnconfirmed(now: number): void {
    for (const each of this.#unconfirmed) if (isDue(each.since, now)) this.drop(each, now);
  }

  /** Drops the oldest messages if there are too many, and the intervals before the others. */
  dropSurplus(now: number): void {
    const surplus = this.#ids.size - this.place.maxMessages;
    const cutoff = surplus > 0 ? this.#ids.at(surplus) : undefined;
    if (cutoff === undefined) return;
    this.room.own.end(cutoff);
    this.drop({ from: OLDEST, to: cutoff - 1n }, now);
  }

  #clear(): void {
    this.#ids.removeBetween(OLDEST, NEWEST);
    this.#known = [];
    this.#unconfirmed = [];
    this.#doubtful = [];
    this.#bytes = 0;
    this.#echoes.clear();
    this.room.own.reset();
    for (const observer of this.#observers) observer.cleared();
  }

  #replace(interval: Interval, standing: ReadonlyMap<bigint, Message>, now: number): void {
    const held = this.#ids.newest(interval.from, interval.to);
    const before = new Map(this.get(held).map((message) => [BigInt(message.message_id), message]));
    const put = [...standing]
      .filter(([id, message]) => id >= interval.from && !isSame(before.get(id), message))
      .map(([, message]) => message);
    this.#apply({ put, remove: held.filter((id) => !standing.has(id)), ...this.#cover(interval) }, now);
    this.#ids.renew(interval.from, interval.to, now);
  }

  /** Excludes messages that would be evicted at once. An empty interval may be known for any time. */
  #worthKeeping({ from, to }: Interval, ids: Iterable<bigint>, now: number): Interval | null {
    const cutoff = this.room.cutoff(now);
    const tooOld = [...ids].filter((id) => id < cutoff);
    const keptFrom = tooOld.reduce((after, id) => (id < after ? after : id + 1n), from);
    return keptFrom > to ? null : { from: keptFrom, to };
  }

  #cover(interval: Interval): Pick<Change, "known" | "unconfirmed"> {
    return { known: joinInterval(this.#known, interval), unconfirmed: cutUnconfirmed(this.#unconfirmed, interval) };
  }

  /** No messages are cached there, so none must be confirmed. */
  #aboveNewestHeld(): Interval {
    const newest = this.#ids.at(this.#ids.size - 1);
    return { from: newest === undefined ? OLDEST : newest + 1n, to: NEWEST };
  }

  /** Writes the index first: if that fails, nothing has changed. */
  #apply({ put = [], remove = [], known = this.#known, unconfirmed = this.#unconfirmed }: Change, now: number): void {
    const { channelId, index } = this.place;
    const isCoverageSame = known === this.#known && unconfirmed === this.#unconfirmed;
    const fresh = put.map(({ message_id }) => BigInt(message_id)).filter((id) => !this.#ids.has(id));
    const replaced = put.length === fresh.length ? [] : put.map(({ message_id }) => BigInt(message_id));
    const outgoing = this.get([...remove, ...replaced]);
    index.write(channelId, {
      put,
      remove: remove.map((id) => String(id) as MessageId),
      ...(!isCoverageSame && { complete: toHeld(known, unconfirmed) }),
    });
    // Unconfirmed messages were not served before; messages that became unconfirmed must not be served now.
    const isSameServed = unconfirmed === this.#unconfirmed || unconfirmed.length + this.#unconfirmed.length === 0;
    const { turned, relinked } = this.#echoes.change(outgoing, put);
    const changed = [...remove, ...put.map(({ message_id }) => BigInt(message_id)), ...turned];
    for (const observer of this.#observers) {
      if (isSameServed) observer.changed(changed);
      else observer.cleared();
      if (isSameServed && relinked.length > 0) observer.relinked(relinked);
    }
    this.#known = known;
    if (unconfirmed !== this.#unconfirmed) this.#doubtful = toIntervals(unconfirmed);
    this.#unconfirmed = unconfirmed;
    for (const id of remove) this.#ids.remove(id);
    this.#ids.add(fresh, now);
    this.#bytes += put.reduce((sum, message) => sum + weighHeld(message), 0);
    this.#bytes -= outgoing.reduce((sum, message) => sum + weighHeld(message), 0);
  }
}

function isSame(a: Message | undefined, b: Message): boolean {
  return a !== undefined && JSON.stringify(a) === JSON.stringify(b);
}
