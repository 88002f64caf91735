import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";

/** The range of a read. Truthful, and the same whether messages were cached or fetched. */
export interface Coverage {
  /** Messages examined. */
  readonly scanned: number;
  /** Times of the oldest and the newest message examined, derived from their ids; null if there was none. */
  readonly from: string | null;
  readonly to: string | null;
  /** Everything in range was examined: reading further finds nothing more. */
  readonly complete: boolean;
}

export interface Read {
  /** Newest first. */
  readonly messages: readonly Message[];
  readonly coverage: Coverage;
  /** `cursor` leads to more messages. Certain, unless a multiple of 100 was examined: then there may be none. */
  readonly has_more: boolean;
  /** Opaque; null if there is nothing left to read. */
  readonly cursor: string | null;
}

export interface Progress {
  readonly scanned: number;
  /** Maximum number of messages to examine. */
  readonly scan: number;
  readonly found: number;
}

export interface ReadOptions {
  /** Messages to return, 1 to 100. */
  readonly limit: number;
  /** Messages that may be examined; defaults to `limit`. */
  readonly scan?: number;
  /** Their messages are examined, but never returned. */
  readonly isLeftOut?: (authorId: UserId) => boolean;
  /**
   * Skips echoes (see `Echoes`) as if they did not exist: none is returned, and up to 2,000 of them do not count as examined. This read and
   * the messages cached by the background reader decide which messages are echoes.
   */
  readonly withoutEchoes?: boolean;
  /** From an earlier read of the same kind and place. Throws `invalid` for any other. */
  readonly cursor?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface TimelineStats {
  readonly timelines: number;
  readonly messages: number;
  /** Messages on disk that were not read again since a gap or a restart. They are not served. */
  readonly unconfirmed: number;
  /** Time (ms since 1970) since which the oldest of them is unconfirmed, and when it will be erased unless Discord confirms it first;
   * null if there are none. */
  readonly unconfirmedSince: number | null;
  readonly eraseAt: number | null;
  /** Channels and threads with history left for the background reader. */
  readonly unread: number;
  /** Channels whose archived threads must still be listed. */
  readonly unlisted: number;
  /** When the background reader continues after a failure or rate limit (ms since 1970); null while it does not wait. */
  readonly pausedUntil: number | null;
  /** Servers that it has read up to their quota, since the start or their last gap. */
  readonly guildsRead: number;
  /** Approximate size of the cached messages. */
  readonly bytes: number;
  /** Reads answered without, and with, a request to Discord. */
  readonly hits: number;
  readonly misses: number;
  readonly pages: number;
}

/** The cached messages of one channel or thread. */
export interface ChannelCoverage {
  readonly channelId: ChannelId;
  readonly messages: number;
  /** A DM or a private thread. */
  readonly isPrivate: boolean;
  /** Time intervals without missing messages (ms since 1970), from the oldest message on. `to` is null if events keep it current. */
  readonly intervals: readonly { readonly from: number; readonly to: number | null }[];
}

/**
 * The message cache of each channel and thread, read through to Discord. Does not check access: the gate does. After a gap, cached messages
 * are served only once confirmed, because edits and deletions may have been missed. Every read throws `not_found` if the bot cannot read
 * the channel, `unavailable` or `rate_limited` if Discord must be asked and does not answer, `cancelled` when aborted. Calling twice is
 * safe, and the second time free.
 */
export interface Timelines {
  /** The latest messages; the cursor continues with older ones. */
  recent(channelId: ChannelId, options: ReadOptions): Promise<Read>;
  /** Messages right before this one; the cursor continues with older ones. */
  before(channelId: ChannelId, messageId: MessageId, options: ReadOptions): Promise<Read>;
  /** Messages right after this one; the cursor continues with newer ones. */
  after(channelId: ChannelId, messageId: MessageId, options: ReadOptions): Promise<Read>;
  /** The message with about as many before as after it. Without a cursor: use `before` and `after`. */
  around(channelId: ChannelId, messageId: MessageId, options: ReadOptions): Promise<Read>;
  /** Messages between two times (milliseconds, both included, by their ids), the newest first. */
  range(
    channelId: ChannelId,
    span: { readonly from: number; readonly to: number },
    options: ReadOptions,
  ): Promise<Read>;
  /** Undefined if it does not exist (any more). */
  message(channelId: ChannelId, messageId: MessageId, signal?: AbortSignal): Promise<Message | undefined>;
  /**
   * Lists the archived threads of these channels, at most twenty, if none are known yet; only the first page if the background reader
   * continues. Returns the channels whose archived threads are all known, without those for which Discord did not answer.
   */
  listArchives(channelIds: readonly ChannelId[], signal?: AbortSignal): Promise<ReadonlySet<ChannelId>>;
  holds(channelId: ChannelId, messageId: MessageId): boolean;
  /** Drops the cached messages of an author, in memory and on disk. The affected ranges are read from Discord again, theirs included.
   * Never throws. */
  letGoOf(authorId: UserId): void;
  stats(): TimelineStats;
  held(): readonly ChannelCoverage[];
  /** Ends reads in progress. Safe to repeat. */
  close(): Promise<void>;
}
