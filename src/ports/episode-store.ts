import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";

/** A talk of the agent with somebody: who, where and when, and never what was said. */
export interface Episode {
  readonly id: string;
  /** With whom the agent talked. */
  readonly partnerId: UserId;
  readonly isBot: boolean;
  readonly channelId: ChannelId;
  /** Null in direct messages. */
  readonly guildId: GuildId | null;
  readonly startedAt: number;
  readonly lastAt: number;
}

/** One message of a talk: the partner's, or the agent's own. */
export interface EpisodeLine {
  readonly messageId: MessageId;
  readonly authorId: UserId;
  readonly isBot: boolean;
  /** The message of the same talk that it answers; null for any other. */
  readonly replyTo: MessageId | null;
  readonly sentAt: number;
}

export interface PlacedLine extends EpisodeLine {
  readonly partnerId: UserId;
  readonly channelId: ChannelId;
}

/** Which talks are meant. */
export interface TalkQuery {
  readonly partnerIds: readonly UserId[];
  readonly channelIds: readonly ChannelId[];
}

/** Keeps with whom the agent talked, by ids alone. Failures are `unavailable`. */
export interface EpisodeStore {
  /** The latest talk with somebody in a channel, and how many lines it has; null when there is none. */
  latest(partnerId: UserId, channelId: ChannelId): Promise<{ episode: Episode; lines: number } | null>;
  /** Adds lines to a talk, which begins or goes on. A line that is there already stays as it is. */
  add(episode: Episode, lines: readonly EpisodeLine[]): Promise<void>;
  /** A line by its message; null when there is none. */
  line(messageId: MessageId): Promise<EpisodeLine | null>;
  /** Where the agent talked with any of these, each channel once, in the order of their ids. */
  channelsWith(partnerIds: readonly UserId[]): Promise<readonly ChannelId[]>;
  /** Lines of these talks, the newest first. */
  lines(query: TalkQuery, limit: number): Promise<readonly PlacedLine[]>;
  /** All talks with somebody with their lines, the newest first, the lines in the order in which they were said. */
  talksOf(partnerId: UserId): Promise<readonly (Episode & { readonly lines: readonly EpisodeLine[] })[]>;
  count(partnerId: UserId): Promise<number>;
  /** Forgets all talks with somebody; how many there were. Safe to repeat. */
  erase(person: UserId): Promise<number>;
  /** Messages that are no longer there. Talks of which no line is left are forgotten. */
  removeMessages(messageIds: readonly MessageId[]): Promise<void>;
  removeChannel(channelId: ChannelId): Promise<void>;
  removeGuild(guildId: GuildId): Promise<void>;
  /** Forgets talks that ended before that time. */
  forgetBefore(time: number): Promise<void>;
  /** Sees to it that nothing which was erased is left on the disk. False where that has to be repeated. */
  scrub(): Promise<boolean>;
}
