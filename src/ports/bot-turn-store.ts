import type { ChannelId, UserId } from "../domain/ids.ts";

/** How the agent and a bot have talked in a channel. */
export interface BotTurn {
  readonly channelId: ChannelId;
  readonly botId: UserId;
  /** How often the bot has addressed the agent there since a person last spoke. */
  readonly sinceHuman: number;
  /** When it was last answered there; 0 for never. */
  readonly answeredAt: number;
}

/** Keeps how often bots were answered, so that a restart begins no talk again that had come to rest. Failures are `unavailable`. */
export interface BotTurnStore {
  load(): Promise<readonly BotTurn[]>;
  /** Replaces the one of this bot in this channel. */
  put(turn: BotTurn): Promise<void>;
  /** Safe to repeat. */
  remove(turn: Pick<BotTurn, "channelId" | "botId">): Promise<void>;
}
