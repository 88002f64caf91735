import type { ChannelId, MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { Query } from "../domain/search/query.ts";
import type { Coverage, Progress, Read, ReadOptions } from "./timelines.ts";

/** Where a request was made: what is talked about there is more likely meant. */
export interface Here {
  readonly channelId: ChannelId;
  /** Whether a channel is close to it: its threads, or of the same category. */
  isNear(channelId: ChannelId): boolean;
  /** Channels count more in which this person has spoken, as far as their messages are searched; null where that must not be known. */
  readonly actor: UserId | null;
}

export interface SearchRequest {
  /** Only these are searched, and only they shape the ranking. Where not all can be searched, the first come first. */
  readonly channelIds: readonly ChannelId[];
  readonly query: Query;
  /** A query that asks for nothing in particular is answered with everything, the newest first. */
  readonly everything?: boolean;
  /** Hits to return, 1 to 100. */
  readonly limit: number;
  /**
   * How many of the newest messages, in all channels together, are searched whether they are held or have to be fetched first; 0 or more,
   * counted in pages of 100. In a guild that the background has read ahead, what it holds for everybody is searched too, and does not count.
   */
  readonly scan: number;
  /** Only what is held: Discord is asked nothing. */
  readonly heldOnly?: boolean;
  /** Never hits: the message that asks, for one. */
  readonly except?: readonly MessageId[];
  /** Whether questions put to the agent, and its answers, count as well (see `Echoes`); they do not unless given. */
  readonly withEchoes?: boolean;
  /** What it refuses is neither a hit nor shown around one. */
  readonly isWanted?: (message: Message) => boolean;
  /** Of a channel only this person's messages are searched, as if nobody else had spoken there; null for all. */
  readonly onlyBy?: (channelId: ChannelId) => UserId | null;
  /** Absent where a request was made outside of Discord. */
  readonly here?: Here;
  /** From an earlier search for the same. Throws `invalid` for one that is not. */
  readonly cursor?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Hit {
  readonly message: Message;
  /**
   * How many words of the query the message has itself, in any form, its author's name included; `none`: they were said around it, or it is
   * close in meaning. `all` for a query without words.
   */
  readonly words_in_message: "all" | "some" | "none";
  /** The question put to the agent that it answers, be it by way of the agent's own answer: it is found by the words of that, too. */
  readonly question: Message | null;
  /** What makes it understandable: what it answers, its answers, its neighbours; oldest first. No message is given twice in a result. */
  readonly around: readonly Message[];
}

export interface SearchResult {
  /** The best first. */
  readonly hits: readonly Hit[];
  readonly coverage: Coverage;
  /** How many of the messages were compared semantically, the newest; null when the query was answered by its words alone. */
  readonly compared: number | null;
  /**
   * Where not everything was searched: everything since this time was, in every channel; the latest of the channels' ends. Null where of some channel
   * nothing was searched, and where `coverage` is complete.
   */
  readonly everything_since: string | null;
  /** Of some channels more was searched than that. */
  readonly further_back: boolean;
  /** How many of the messages searched count against `scan`: those that were not held for everybody. */
  readonly counted: number;
  /** There are more hits to be had from `cursor`. */
  readonly has_more: boolean;
  readonly cursor: string | null;
  /** What was not searched here was left to Discord's own search, which finds much but not all. `not_needed`: everything was searched here, or, where hits are ordered by time, enough to know the newest. */
  readonly older: "searched" | "not_ready" | "not_needed" | "unavailable";
  /** Not everything was searched, and the background still reads history: later the same search will look further back. */
  readonly still_reading: boolean;
  /** Some of the channels could not be read now, or not in full: what is held of them was searched. */
  readonly unreachable: boolean;
}

/**
 * Searches what is held of channels, read through to Discord where it is not held. Asks nobody for permission: the gate does. Throws as
 * `Timelines` does. Calling twice is safe.
 */
export interface Search {
  /**
   * The messages that fit the query best. Channels that the bot may not read are as good as absent. Where everything lies within reach, the result does
   * not depend on what was held, unless an embedder is asked and does not answer in time. Throws `invalid` for a query with nothing to look for,
   * unless everything is asked for.
   */
  find(request: SearchRequest): Promise<SearchResult>;
  /**
   * The messages of one channel that contain all words of the query, also within longer words, whatever their case or accents, from the newest on.
   * By default 1,000 messages are examined. Throws `invalid` for a query without a word.
   */
  contains(channelId: ChannelId, query: string, options: ReadOptions & { readonly before?: MessageId }): Promise<Read>;
  /** Lets go of what is kept of somebody's messages beside the timelines, and of all cached answers and queries. Never throws. */
  letGoOf(authorId: UserId): void;
  /** Safe to repeat. */
  close(): Promise<void>;
}
