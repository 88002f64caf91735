import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";

/** How far a read has looked. Truthful, and the same whether messages were held or had to be fetched. */
export interface Coverage {
  /** Messages examined. */
  readonly scanned: number;
  /** Times of the oldest and the newest message examined, as their ids tell; null when there was none. */
  readonly from: string | null;
  readonly to: string | null;
  /** Everything that was asked about has been looked at: nothing more is to be found by looking further. */
  readonly complete: boolean;
}

export interface Read {
  /** Newest first. */
  readonly messages: readonly Message[];
  readonly coverage: Coverage;
  /** More may be had by going on from `cursor`. Certain, unless a multiple of 100 was examined: then there may turn out to be none. */
  readonly has_more: boolean;
  /** Opaque; null when there is nothing to go on to. */
  readonly cursor: string | null;
}

export interface Progress {
  readonly scanned: number;
  /** How many may be examined in all. */
  readonly scan: number;
  readonly found: number;
}

export interface ReadOptions {
  /** Messages to return, 1 to 100. */
  readonly limit: number;
  /** Messages that may be examined; by default as many as `limit`. */
  readonly scan?: number;
  /** What they said is examined, but never returned. */
  readonly isLeftOut?: (authorId: UserId) => boolean;
  /**
   * Echoes (see `Echoes`) are passed over as if they had never been written: none is returned, and up to 2,000 of them do not count as
   * examined. Which they are is decided by what this read looks at and what is held for everybody.
   */
  readonly withoutEchoes?: boolean;
  /** From an earlier read of the same kind and place. Throws `invalid` for one that is not. */
  readonly cursor?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface TimelineStats {
  readonly timelines: number;
  readonly messages: number;
  /** Of those, how many are on disk and have not been read again since a gap or a restart. They are not served. */
  readonly unconfirmed: number;
  /** Since when the longest unconfirmed of those is (ms since 1970), and when it will be erased unless Discord confirms it first; null when there are none. */
  readonly unconfirmedSince: number | null;
  readonly eraseAt: number | null;
  /** Channels and threads of which the background still has something to read. */
  readonly unread: number;
  /** Channels whose archived threads it still has to list. */
  readonly unlisted: number;
  /** When it goes on reading after Discord did not answer, or asked to wait (ms since 1970); null while it does not wait. */
  readonly pausedUntil: number | null;
  /** Servers of which it has read as much as there is room for, since the start or their last gap. */
  readonly guildsRead: number;
  /** About so much is taken by them. */
  readonly bytes: number;
  /** Reads answered without, and with, asking Discord. */
  readonly hits: number;
  readonly misses: number;
  /** Pages fetched from Discord. */
  readonly pages: number;
}

/** What is held of one channel or thread. */
export interface ChannelCoverage {
  readonly channelId: ChannelId;
  readonly messages: number;
  /** A DM or a private thread. */
  readonly isPrivate: boolean;
  /** Times between which every message is held (ms since 1970), from the oldest message on. `to` is null where events keep it current. */
  readonly intervals: readonly { readonly from: number; readonly to: number | null }[];
}

/**
 * What is held of each channel and thread, read through to Discord where it is not held. Asks nobody for permission: the gate does.
 * After a gap nothing that was held is served until it was confirmed, because edits and deletions may be among what was missed.
 * Every read throws `not_found` where the bot may not read, `unavailable` or `rate_limited` when Discord must be asked and does not
 * answer, `cancelled` when called off. Calling twice is safe, and the second time free.
 */
export interface Timelines {
  /** The latest messages; a cursor goes on to older ones. */
  recent(channelId: ChannelId, options: ReadOptions): Promise<Read>;
  /** Those right before the message; a cursor goes on to older ones. */
  before(channelId: ChannelId, messageId: MessageId, options: ReadOptions): Promise<Read>;
  /** Those right after the message; a cursor goes on to newer ones. */
  after(channelId: ChannelId, messageId: MessageId, options: ReadOptions): Promise<Read>;
  /** The message with about as many before as after it. There is no going on from there: use `before` and `after`. */
  around(channelId: ChannelId, messageId: MessageId, options: ReadOptions): Promise<Read>;
  /** Those between two times (milliseconds, both included, as ids tell), from the newest on. */
  range(
    channelId: ChannelId,
    span: { readonly from: number; readonly to: number },
    options: ReadOptions,
  ): Promise<Read>;
  /** One message; undefined when there is none of that id (any more). */
  message(channelId: ChannelId, messageId: MessageId, signal?: AbortSignal): Promise<Message | undefined>;
  /**
   * Has the archives of these channels, of the first twenty, listed where nothing of them is known yet, and only their beginning where the background goes on.
   * Gives back those of which all archived threads are known. Where Discord does not answer, a channel is not among them.
   */
  listArchives(channelIds: readonly ChannelId[], signal?: AbortSignal): Promise<ReadonlySet<ChannelId>>;
  /** The message is held, so that reading it costs nothing. */
  holds(channelId: ChannelId, messageId: MessageId): boolean;
  /** Lets go of the messages that somebody wrote, in memory and on disk. What was held is read from Discord again, theirs included. Never throws. */
  letGoOf(authorId: UserId): void;
  stats(): TimelineStats;
  held(): readonly ChannelCoverage[];
  /** Ends reads that are under way. Safe to repeat. */
  close(): Promise<void>;
}
