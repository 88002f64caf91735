import type { ChannelId, UserId } from "../../domain/ids.ts";
import type { BotTurn, BotTurnStore } from "../../ports/bot-turn-store.ts";
import { compileQuery, type DurableDatabase, type Slot } from "./durable-database.ts";
import { translateErrors } from "./translate-errors.ts";

/** @see BotTurnStore */
export function createBotTurnStore({ kysely, execute, transaction }: DurableDatabase): BotTurnStore {
  const all = compileQuery(() => kysely.selectFrom("bot_turns").selectAll());
  const put = compileQuery((slot: Slot<BotTurn>) => {
    const counts = { since_human: slot("sinceHuman"), answered_at: slot("answeredAt") };
    return kysely
      .insertInto("bot_turns")
      .values({ channel_id: slot("channelId"), bot_id: slot("botId"), ...counts })
      .onConflict((conflict) => conflict.columns(["channel_id", "bot_id"]).doUpdateSet(counts));
  });
  const remove = compileQuery((slot: Slot<Pick<BotTurn, "channelId" | "botId">>) =>
    kysely.deleteFrom("bot_turns").where("channel_id", "=", slot("channelId")).where("bot_id", "=", slot("botId")),
  );
  return {
    load: () =>
      translateErrors("How often bots were answered cannot be read; is earshot.db damaged?", () =>
        execute(all({})).map((row) => ({
          channelId: row.channel_id as ChannelId,
          botId: row.bot_id as UserId,
          sinceHuman: row.since_human,
          answeredAt: row.answered_at,
        })),
      ),
    put: (turn) => transaction((connection) => void connection.execute(put(turn))),
    remove: (turn) => transaction((connection) => void connection.execute(remove(turn))),
  };
}
