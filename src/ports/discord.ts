import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Message } from "../domain/message.ts";
import type { Directory } from "./directory.ts";

/** What the edge reports, in the order in which it happened. A message is announced once, however often Discord sends it. */
export type DiscordEvent =
  | { readonly type: "message"; readonly message: Message }
  /** Also sent when Discord adds a link preview: `edited_ts` tells whether a person edited it. */
  | { readonly type: "message_update"; readonly message: Message }
  | { readonly type: "message_delete"; readonly channelId: ChannelId; readonly messageIds: readonly MessageId[] }
  | {
      readonly type: "reaction";
      readonly action: "add" | "remove" | "clear";
      readonly channelId: ChannelId;
      readonly messageId: MessageId;
      /** Null for a clearing by a moderator. */
      readonly userId: UserId | null;
      /** Null when all emoji were cleared. */
      readonly emoji: string | null;
    }
  /** The channel or thread came into being, or into sight. */
  | { readonly type: "channel"; readonly channelId: ChannelId }
  | { readonly type: "channel_deleted"; readonly channelId: ChannelId; readonly guildId: GuildId }
  /** The bot may no longer read it. It may still exist; what was held of it must not be served. */
  | { readonly type: "access_lost"; readonly channelId: ChannelId; readonly guildId: GuildId }
  | { readonly type: "guild"; readonly guildId: GuildId }
  /** The bot was removed, or the guild deleted: everything held of it must go. */
  | { readonly type: "guild_removed"; readonly guildId: GuildId; readonly channelIds: readonly ChannelId[] }
  | { readonly type: "connection"; readonly state: ConnectionState }
  | Gap;

export type ConnectionState = "connecting" | "ready" | "reconnecting" | "closed";

/** A stretch of time in which events may have been missed, edits and deletions included. */
export interface Gap {
  readonly type: "gap";
  /** ISO times; everything outside of them was heard. */
  readonly from: string;
  readonly to: string;
  readonly reason: "resume_refused" | "restart" | "events_lost";
  /** The guilds concerned; direct messages are concerned when `shard` is 0. */
  readonly guildIds: readonly GuildId[];
  readonly shard: number;
}

export interface HistoryPage {
  /** 1 to 100. */
  readonly limit: number;
  /** At most one of the three. */
  readonly before?: MessageId;
  readonly after?: MessageId;
  readonly around?: MessageId;
}

/** The connection to Discord or a compatible server. Nobody else talks to it. */
export interface Discord {
  readonly applicationId: string;
  readonly botId: UserId;
  readonly botName: string;
  readonly directory: Directory;
  /** What is limited because an intent is missing, in words; empty when nothing is. */
  readonly limits: readonly string[];
  readonly state: ConnectionState;
  /**
   * Calls the listener for every event from now on; the first listener also gets what happened since the connection was opened. Returns
   * the way to stop. A listener must not throw.
   */
  listen(listener: (event: DiscordEvent) => void): () => void;
  /**
   * One page of history, newest first, straight from Discord. Throws `not_found` where the bot may not read (without asking Discord),
   * `rate_limited` or `unavailable` when Discord does not answer.
   */
  history(channelId: ChannelId, page: HistoryPage, signal?: AbortSignal): Promise<Message[]>;
  /** Ends the connection. Safe to repeat. */
  close(): Promise<void>;
}
