import type { BotTurn, BotTurnStore } from "../ports/bot-turn-store.ts";
import type { Database } from "./database.ts";
import { fromRows, toRows } from "./to-rows.ts";

/** @see BotTurnStore */
export function createBotTurnStore(database: Database): BotTurnStore {
  return {
    load: async () => fromRows<BotTurn>(await database.query<object>("SELECT * FROM bot_turns")),
    put: ({ channelId, botId, sinceHuman, answeredAt }) =>
      database.transaction((change) =>
        change.insert(
          "bot_turns",
          toRows([{ channelId, botId, sinceHuman, answeredAt }]),
          "(channel_id, bot_id) DO UPDATE SET since_human = excluded.since_human, answered_at = excluded.answered_at",
        ),
      ),
    remove: ({ channelId, botId }) =>
      database.transaction((change) =>
        change.run("DELETE FROM bot_turns WHERE channel_id = :channelId AND bot_id = :botId", { channelId, botId }),
      ),
  };
}
