import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Interval } from "../domain/intervals.ts";
import type { Message } from "../domain/message.ts";
import type { Keyword } from "../domain/search/keywords.ts";

/** An interval of a channel without missing messages. */
export interface HeldInterval extends Interval {
  /** Time (ms since 1970) from which edits and deletions in it may have been missed; null while events keep it current. */
  readonly unconfirmedSince: number | null;
}

export interface IndexChange {
  /** Added, or replacing the message of the same id. */
  readonly put?: readonly Message[];
  readonly remove?: readonly MessageId[];
  /** The channel's complete intervals after the change; unchanged when absent. */
  readonly complete?: readonly HeldInterval[];
}

/** The contents of an index for one channel, when it is opened. */
export interface HeldChannel {
  readonly channelId: ChannelId;
  /** Null in a DM, and if no message tells. */
  readonly guildId: GuildId | null;
  readonly isThread: boolean;
  readonly messageIds: readonly MessageId[];
  /** In ascending order. Times are as they were written: a damaged file can contain any value. */
  readonly complete: readonly HeldInterval[];
}

/**
 * Messages by channel and id, with their text. Every call is synchronous and short. Message ids are unique across channels, as in Discord.
 * When the database fails, the index closes itself: every call throws `unavailable` from then on, and its contents must no longer be
 * served. The same holds after `close`.
 */
export interface MessageIndex {
  /** Why it has closed itself; null while it works. Never the text of a message. */
  readonly failure: string | null;
  /**
   * Atomic. Removed or replaced messages are not found again, and their bytes are gone from the disk when this returns. Safe to repeat.
   * Throws `invalid` for a message that is indexed for another channel.
   */
  write(channelId: ChannelId, change: IndexChange): void;
  /** In the order requested; missing messages are left out. */
  get(channelId: ChannelId, messageIds: readonly MessageId[]): Message[];
  /** All messages by an author, by channel. */
  writtenBy(authorId: UserId): ReadonlyMap<ChannelId, readonly MessageId[]>;
  /**
   * Messages within the interval that may contain all keywords, newest first, at most `limit`. No message is decoded: the caller reads
   * them, a few at a time, and compares. If the keywords are too short for a lookup, returns all messages. In memory, the cost grows with
   * the number of messages in the interval.
   */
  candidates(
    channelId: ChannelId,
    keywords: readonly Keyword[],
    within: Interval & { readonly limit: number },
  ): MessageId[];
  /** Deletes all messages and intervals of the channel at once, on disk also their bytes. Safe to repeat. */
  forget(channelId: ChannelId): void;
  /** Frees some of the memory that forgotten channels used; false if there is none to free. */
  tidy(): boolean;
  /** Contents from before the index was opened; empty in memory. */
  held(): HeldChannel[];
  /**
   * Notes that all events up to this time (ms since 1970) were received and written. Ordered with all other writes: after a power cut, the
   * surviving time is never newer than the surviving messages.
   */
  noteHeard(at: number): void;
  /** The last value of `noteHeard`, also by an earlier process; null if there is none. */
  heardAt(): number | null;
  /** In memory or on disk. */
  bytes(): number;
  /** Safe to repeat. */
  close(): void;
}

/**
 * In memory if the file is null. Throws `misconfigured` if the operator must act: the file cannot be written, is in use, or belongs to
 * another program. Throws `unavailable` if the file is damaged or cannot be used now; `startEmpty` deletes it first. A file of another
 * version starts empty.
 */
export type OpenMessageIndex = (file: string | null, options?: { readonly startEmpty?: boolean }) => MessageIndex;
