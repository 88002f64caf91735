import type { EarshotError } from "../../domain/errors.ts";
import type { Channel } from "../../domain/guild.ts";
import type { ChannelId, GuildId } from "../../domain/ids.ts";
import type { Message } from "../../domain/message.ts";
import type { Operation } from "../../policy/operation.ts";
import type { Progress } from "../../ports/timelines.ts";

/** What a call may reach. */
interface TalkAccess {
  /** Nobody will know the answer but those in a direct conversation. */
  readonly isPrivate: boolean;
  /** One of the servers concerned cannot be reached. */
  readonly isCutOff: boolean;
  /** The error for what cannot be found. */
  absent(): EarshotError;
  /** Must run before all servers are looked through. */
  learnGuilds(): Promise<void>;
  mayNameGuild(id: GuildId): boolean;
  readable(guildId: GuildId): ChannelId[];
  /** Whether the history may be read. */
  mayReadBack(id: ChannelId): boolean;
  mustRead(id: ChannelId): { channel: Channel; decisionId: string };
  mayUseOthers(id: ChannelId, isByName: boolean): boolean;
}

/** Where a call notes what it read. */
interface TalkRecord {
  /** Messages examined. */
  scanned: number;
  searched(channelIds: readonly ChannelId[]): void;
  read(channel: Channel, messages: readonly Message[], decisionId: string): void;
  namedGuild(id: GuildId, name: string): void;
}

/** The call within which talks are recalled. */
export interface TalkCall {
  readonly operation: Operation;
  readonly access: TalkAccess;
  readonly record: TalkRecord;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Everything whose history may be read here. */
  channels(): Promise<Channel[]>;
}
