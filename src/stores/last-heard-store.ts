import { Serial } from "../domain/serial.ts";
import type { LastHeard } from "../ports/last-heard.ts";
import type { Database } from "./database.ts";

const OF_OTHER_COUNTS = `bot_id = :bot AND shards <> :shards
  AND :shards = (SELECT count(*) FROM last_heard WHERE bot_id = :bot AND shards = :shards)`;

/** @see LastHeard */
export function createLastHeardStore(database: Database): LastHeard {
  const saving = new Serial();
  return {
    async load(bot, [shard, shards]) {
      const rows = await database.query<{ readonly heard_at: number }>(
        `SELECT heard_at FROM last_heard WHERE bot_id = :bot
          ORDER BY CASE WHEN shard = :shard AND shards = :shards THEN 0 ELSE 1 END, heard_at LIMIT 1`,
        { bot, shard, shards },
      );
      return rows[0]?.heard_at ?? null;
    },
    save: (bot, [shard, shards], at) =>
      saving.run(() =>
        database.transaction(async (change) => {
          await change.insert(
            "last_heard",
            [{ bot_id: bot, shard, shards, heard_at: at }],
            "(bot_id, shard, shards) DO UPDATE SET heard_at = excluded.heard_at",
          );
          await change.run(`DELETE FROM last_heard WHERE ${OF_OTHER_COUNTS}`, { bot, shards });
        }),
      ),
  };
}
