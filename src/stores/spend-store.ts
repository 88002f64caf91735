import type { SpendStore, SpendWindow, SpentDay } from "../ports/spend-store.ts";
import { type Database, SYNCED } from "./database.ts";
import { fromRows, toRows } from "./to-rows.ts";

/** @see SpendStore */
export function createSpendStore(database: Database): SpendStore {
  return {
    async load(now) {
      const [windows, days] = await Promise.all([
        database.query<object>("SELECT * FROM spend_windows WHERE ends_at > :now", { now }),
        database.query<object>("SELECT * FROM spend_day"),
      ]);
      return { windows: fromRows<SpendWindow>(windows), day: fromRows<SpentDay>(days)[0] ?? null };
    },
    save: ({ windows, day, now }) =>
      database.transaction(async (change) => {
        const rows = toRows(windows.map(({ kind, id, endsAt, tokens }) => ({ kind, id, endsAt, tokens })));
        const replace = "(kind, id) DO UPDATE SET ends_at = excluded.ends_at, tokens = excluded.tokens";
        await change.insert("spend_windows", rows, replace);
        await change.run("DELETE FROM spend_windows WHERE ends_at <= :now", { now });
        if (!day) return;
        await change.run("DELETE FROM spend_day");
        const { startedAt, inputTokens, outputTokens } = day;
        await change.insert("spend_day", toRows([{ startedAt, inputTokens, outputTokens }]));
      }),
    // Synced: what a person had erased must not come back after a power failure.
    erase: (person) =>
      database.transaction(async (change) => {
        const erased = await change.query(
          `DELETE FROM spend_windows
            WHERE kind = 'person' AND id = :person OR kind = 'member' AND id LIKE :asMember RETURNING id`,
          { person, asMember: `%/${person}` },
        );
        return erased.length > 0;
      }, SYNCED),
    scrub: () => database.scrub(),
  };
}
