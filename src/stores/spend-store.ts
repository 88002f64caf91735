import type { SpendStore, SpendWindow } from "../ports/spend-store.ts";
import { type Database, SYNCED } from "./database.ts";

type WindowRow = Pick<SpendWindow, "kind" | "id" | "tokens"> & { readonly ends_at: number };

interface DayRow {
  readonly started_at: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** @see SpendStore */
export function createSpendStore(database: Database): SpendStore {
  return {
    async load(now) {
      const [windows, [day]] = await Promise.all([
        database.query<WindowRow>("SELECT * FROM spend_windows WHERE ends_at > :now", { now }),
        database.query<DayRow>("SELECT * FROM spend_day"),
      ]);
      return {
        windows: windows.map(({ ends_at: endsAt, kind, id, tokens }) => ({ kind, id, endsAt, tokens })),
        day: day ? { startedAt: day.started_at, inputTokens: day.input_tokens, outputTokens: day.output_tokens } : null,
      };
    },
    save: ({ windows, day, now }) =>
      database.transaction(async (change) => {
        const rows = windows.map(({ kind, id, endsAt, tokens }) => ({ kind, id, ends_at: endsAt, tokens }));
        const replace = "(kind, id) DO UPDATE SET ends_at = excluded.ends_at, tokens = excluded.tokens";
        await change.insert("spend_windows", rows, replace);
        await change.run("DELETE FROM spend_windows WHERE ends_at <= :now", { now });
        if (!day) return;
        await change.run("DELETE FROM spend_day");
        const { startedAt, inputTokens, outputTokens } = day;
        const row = { started_at: startedAt, input_tokens: inputTokens, output_tokens: outputTokens };
        await change.insert("spend_day", [row]);
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
