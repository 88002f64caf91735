import type { ChannelId, UserId } from "../domain/ids.ts";

export interface BotTurn {
  readonly channelId: ChannelId;
  readonly botId: UserId;
  /** Messages by the bot that addressed the agent there since a person last wrote. */
  readonly sinceHuman: number;
  /** Time of the agent's last reply there; 0 for never. */
  readonly answeredAt: number;
}

/** Keeps how often bots were answered, so that a restart does not revive a conversation of bots that had stopped. Failures are
 * `unavailable`. */
export interface BotTurnStore {
  load(): Promise<readonly BotTurn[]>;
  /** Replaces the entry of this bot in this channel. */
  put(turn: BotTurn): Promise<void>;
  /** Safe to repeat. */
  remove(turn: Pick<BotTurn, "channelId" | "botId">): Promise<void>;
}
