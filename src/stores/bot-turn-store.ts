import type { BotTurn, BotTurnStore } from "../ports/bot-turn-store.ts";
import type { Database } from "./database.ts";

interface TurnRow {
  readonly channel_id: BotTurn["channelId"];
  readonly bot_id: BotTurn["botId"];
  readonly since_human: number;
  readonly answered_at: number;
}

/** @see BotTurnStore */
export function createBotTurnStore(database: Database): BotTurnStore {
  return {
    async load() {
      const rows = await database.query<TurnRow>("SELECT * FROM bot_turns");
      return rows.map(({ channel_id, bot_id, since_human, answered_at }) => ({
        ...{ channelId: channel_id, botId: bot_id, sinceHuman: since_human, answeredAt: answered_at },
      }));
    },
    put: ({ channelId, botId, sinceHuman, answeredAt }) =>
      database.transaction((change) =>
        change.insert(
          "bot_turns",
          [{ channel_id: channelId, bot_id: botId, since_human: sinceHuman, answered_at: answeredAt }],
          `(channel_id, bot_id) DO UPDATE SET since_human = excluded.since_human, answered_at = excluded.answered_at`,
        ),
      ),
    remove: ({ channelId, botId }) =>
      database.transaction((change) =>
        change.run("DELETE FROM bot_turns WHERE channel_id = :channelId AND bot_id = :botId", { channelId, botId }),
      ),
  };
}
