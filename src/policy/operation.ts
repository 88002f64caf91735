import type { ChannelId, GuildId, MessageId, UserId } from "../domain/ids.ts";
import type { Grant } from "./grant.ts";

/** An authenticated program. */
export interface Client {
  readonly name: string;
  readonly grant: Grant;
}

/** Where a request was made. */
interface Origin {
  readonly guildId: GuildId | null;
  readonly channelId: ChannelId;
  /** The message that asked, where there is one. */
  readonly messageId: MessageId | null;
}

/** What has been read: the channels and threads whose content reached the caller. */
export interface Label {
  readonly sources: Set<ChannelId>;
}

/** One request being served. Actor, origin and destination are fixed when it is opened. */
export interface Operation {
  /** Unguessable: whoever knows it, and is the client it was given to, may act within it. */
  readonly id: string;
  readonly client: Client;
  /** On whose behalf. Never taken from a tool's arguments. */
  readonly actor: UserId;
  readonly origin: Origin;
  /** Where the answer will be read. */
  readonly destination: ChannelId;
  readonly label: Label;
  readonly expiresAt: number;
}
