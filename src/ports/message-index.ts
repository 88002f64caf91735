import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Interval } from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import type { Keyword } from "../domain/search/keywords.ts";

/** Ids of a channel of which everything that stands there is held. */
export interface HeldInterval extends Interval {
  /** Deletions and edits in it may have been missed since this time (ms since 1970). Null: events keep it current. */
  readonly unconfirmedSince: number | null;
}

export interface IndexChange {
  /** Added, or put in the place of what was held under the same id. */
  readonly put?: readonly Message[];
  readonly remove?: readonly MessageId[];
  /** Which intervals of the channel are complete from now on; unchanged when absent. */
  readonly complete?: readonly HeldInterval[];
}

/** What an index that outlives the process holds of one channel. */
export interface HeldChannel {
  readonly channelId: ChannelId;
  /** Null in a DM, and where no message says. */
  readonly guildId: GuildId | null;
  readonly isThread: boolean;
  readonly messageIds: readonly MessageId[];
  /** In rising order. Times are as they were written: a damaged file may say anything. */
  readonly complete: readonly HeldInterval[];
}

/**
 * Messages by channel and id, with their words. Everything is synchronous and short. Message ids are unique across channels, as
 * Discord's are. When the database fails, the index closes itself: every call throws `unavailable` from then on, and nothing that it held
 * may be served any more. The same holds after `close`.
 */
export interface MessageIndex {
  /** Why it has closed itself; null while it works. Never the text of a message. */
  readonly failure: string | null;
  /**
   * All of it or nothing. What was removed or replaced is not found again, and on disk its bytes are gone when this returns. Safe to
   * repeat. Throws `invalid` for a message that is held for another channel.
   */
  write(channelId: ChannelId, change: IndexChange): void;
  /** In the order asked for; what is not held is left out. */
  get(channelId: ChannelId, messageIds: readonly MessageId[]): Message[];
  /** All that somebody wrote, by channel. */
  writtenBy(authorId: UserId): ReadonlyMap<ChannelId, readonly MessageId[]>;
  /**
   * Those within the interval that may contain all keywords, newest first, at most `limit`. No message is decoded for that: the caller
   * reads them, a few at a time, and compares. Where the keywords are too short to be looked up, all that there are. In memory it takes longer the
   * more messages there are in the interval.
   */
  candidates(
    channelId: ChannelId,
    keywords: readonly Keyword[],
    within: Interval & { readonly limit: number },
  ): MessageId[];
  /** Everything of the channel goes at once, its intervals too; on disk also its bytes. Safe to repeat. */
  forget(channelId: ChannelId): void;
  /** Gives back some of the memory that forgotten channels took; false when there is none to give back. */
  tidy(): boolean;
  /** What was there already when the index was opened; nothing in memory. */
  held(): HeldChannel[];
  /**
   * Notes that all events up to this time (ms since 1970) were heard and written. Written in order with everything else: what is lost in a power
   * cut is never older than what is left.
   */
  noteHeard(at: number): void;
  /** What was noted last, also by an earlier process; null when nothing was. */
  heardAt(): number | null;
  /** Bytes taken, in memory or on disk. */
  bytes(): number;
  /** Safe to repeat. */
  close(): void;
}

/**
 * In memory when the file is null. Throws `misconfigured` for what the operator has to put right: a file that cannot be written, is in use, or
 * is another program's. Throws `unavailable` when the file is damaged or cannot be used now; `startEmpty` deletes it first. One of another version starts empty.
 */
export type OpenMessageIndex = (file: string | null, options?: { readonly startEmpty?: boolean }) => MessageIndex;
