import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";

/** A talk of the agent with a person or bot: participants, place and times, never the text. */
export interface Episode {
  readonly id: string;
  /** The person or bot that the agent talked with. */
  readonly partnerId: UserId;
  readonly isBot: boolean;
  readonly channelId: ChannelId;
  /** Null in direct messages. */
  readonly guildId: GuildId | null;
  readonly startedAt: number;
  readonly lastAt: number;
}

/** One message of a talk, by the partner or the agent. */
export interface EpisodeLine {
  readonly messageId: MessageId;
  readonly authorId: UserId;
  readonly isBot: boolean;
  /** The message of the same talk that it replies to; null otherwise. */
  readonly replyTo: MessageId | null;
  readonly sentAt: number;
}

export interface PlacedLine extends EpisodeLine {
  readonly partnerId: UserId;
  readonly channelId: ChannelId;
}

export interface TalkQuery {
  readonly partnerIds: readonly UserId[];
  readonly channelIds: readonly ChannelId[];
}

/** Keeps the agent's talks, by ids alone. Failures are `unavailable`. */
export interface EpisodeStore {
  /** The latest talk with a partner in a channel, and its number of lines; null if there is none. */
  latest(partnerId: UserId, channelId: ChannelId): Promise<{ episode: Episode; lines: number } | null>;
  /** Adds lines to a new or existing talk. Existing lines stay unchanged. */
  add(episode: Episode, lines: readonly EpisodeLine[]): Promise<void>;
  /** Null if there is none. */
  line(messageId: MessageId): Promise<EpisodeLine | null>;
  /** Channels in which the agent talked with any of these partners, each once, ordered by id. */
  channelsWith(partnerIds: readonly UserId[]): Promise<readonly ChannelId[]>;
  /** Lines of these talks, the newest first. */
  lines(query: TalkQuery, limit: number): Promise<readonly PlacedLine[]>;
  /** All talks with a partner, the newest first, with their lines in chronological order. */
  talksOf(partnerId: UserId): Promise<readonly (Episode & { readonly lines: readonly EpisodeLine[] })[]>;
  count(partnerId: UserId): Promise<number>;
  /** Deletes all talks with a person; returns their number. Safe to repeat. */
  erase(person: UserId): Promise<number>;
  /** Removes the lines of deleted messages. Talks without lines are deleted. */
  removeMessages(messageIds: readonly MessageId[]): Promise<void>;
  removeChannel(channelId: ChannelId): Promise<void>;
  removeGuild(guildId: GuildId): Promise<void>;
  /** Deletes talks that ended before this time. */
  forgetBefore(time: number): Promise<void>;
  /** Overwrites erased data on the disk. False if it has to be repeated. */
  scrub(): Promise<boolean>;
}
