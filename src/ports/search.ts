import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { Query } from "../domain/search/query.ts";
import type { Coverage, Progress, Read, ReadOptions } from "./timelines.ts";

/** The channel of the request: a search there more likely means messages close to it. */
export interface Here {
  readonly channelId: ChannelId;
  /** True for its threads and for channels of the same category. */
  isNear(channelId: ChannelId): boolean;
  /** Channels in which this person has written rank higher, judged by the messages searched; null if that must not be revealed. */
  readonly actor: UserId | null;
}

export interface SearchRequest {
  /** Only these are searched, and only they shape the ranking. If not all can be searched, the first ones take precedence. */
  readonly channelIds: readonly ChannelId[];
  readonly query: Query;
  /** A query that asks for nothing in particular returns everything, the newest first. */
  readonly everything?: boolean;
  /** Hits to return, 1 to 100. */
  readonly limit: number;
  /**
   * Number of newest messages, in all channels together, that are searched whether they are cached or must be fetched first; 0 or more,
   * counted in pages of 100. In a guild that the background reader has read, the messages it cached are searched too, and do not count.
   */
  readonly scan: number;
  /** Searches the cache only, without requests to Discord. */
  readonly heldOnly?: boolean;
  /** Never hits, such as the message that asks. */
  readonly except?: readonly MessageId[];
  /** Whether questions to the agent and its answers (see `Echoes`) can be hits; false by default. */
  readonly withEchoes?: boolean;
  /** A refused message is neither a hit nor shown around one. */
  readonly isWanted?: (message: Message) => boolean;
  /** Searches only this person's messages in the channel, as if others had not written there; null for all. */
  readonly onlyBy?: (channelId: ChannelId) => UserId | null;
  /** Absent for a request from outside of Discord. */
  readonly here?: Here;
  /** From an earlier search with the same query. Throws `invalid` for any other. */
  readonly cursor?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Hit {
  readonly message: Message;
  /**
   * How many of the query's words the message itself contains, in any form, its author's name included. `none`: they occur around it, or it
   * matches semantically. `all` for a query without words.
   */
  readonly words_in_message: "all" | "some" | "none";
  /** The question to the agent that the message answers, directly or through the agent's answer; the question's words count as a match,
   * too. */
  readonly question: Message | null;
  /** Context of the hit: the message it replies to, its replies, its neighbours; oldest first. No message occurs twice in a result. */
  readonly around: readonly Message[];
}

export interface SearchResult {
  /** The best first. */
  readonly hits: readonly Hit[];
  readonly coverage: Coverage;
  /** Number of messages compared semantically, the newest ones; null if only words were compared. */
  readonly compared: number | null;
  /**
   * If not everything was searched: the time since which every channel was searched completely, the latest of the channels' ends. Null if
   * nothing was searched in some channel, and if `coverage` is complete.
   */
  readonly everything_since: string | null;
  /** Some channels were searched further back than that. */
  readonly further_back: boolean;
  /** Number of searched messages that count against `scan`: those not cached by the background reader. */
  readonly counted: number;
  /** `cursor` leads to more hits. */
  readonly has_more: boolean;
  readonly cursor: string | null;
  /** Whether Discord's own search, which finds much but not all, covered the messages not searched here. `not_needed`: everything was
   * searched here, or, if hits are ordered by time, enough to know the newest. */
  readonly older: "searched" | "not_ready" | "not_needed" | "unavailable";
  /** Not everything was searched, and the background reader is still reading: the same search will cover more later. */
  readonly still_reading: boolean;
  /** Some channels could not be read now, or not completely: only their cached messages were searched. */
  readonly unreachable: boolean;
}

/**
 * Searches cached messages, and fetches missing ones from Discord. Does not check access: the gate does. Throws as `Timelines` does.
 * Calling twice is safe.
 */
export interface Search {
  /**
   * The messages that match the query best. Channels that the bot cannot read count as absent. If everything is within reach, the result
   * does not depend on the cache, unless an embedder does not answer in time. Throws `invalid` for a query with nothing to search for,
   * unless `everything` is set.
   */
  find(request: SearchRequest): Promise<SearchResult>;
  /**
   * Messages of one channel that contain all words of the query, also within longer words, ignoring case and accents, the newest first. By
   * default 1,000 messages are examined. Throws `invalid` for a query without a word.
   */
  contains(channelId: ChannelId, query: string, options: ReadOptions & { readonly before?: MessageId }): Promise<Read>;
  /** Drops all data derived from a person's messages outside the timelines, and all cached answers and queries. Never throws. */
  letGoOf(authorId: UserId): void;
  /** Safe to repeat. */
  close(): Promise<void>;
}
