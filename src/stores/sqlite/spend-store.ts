import type { SpendStore, SpendWindow, SpentDay } from "../../ports/spend-store.ts";
import { compileQuery, type DurableDatabase, type Slot } from "./durable-database.ts";
import { translateErrors } from "./translate-errors.ts";

/** @see SpendStore */
export function createSpendStore({ kysely, execute, transaction, scrub }: DurableDatabase): SpendStore {
  const queries = compileQueries(kysely);
  return {
    load: (now) =>
      translateErrors("How much of the model was used cannot be read; is earshot.db damaged?", () => {
        const windows = execute(queries.windows({ now }));
        const [day] = execute(queries.day({}));
        return {
          windows: windows.map(({ kind, id, ends_at, tokens }) => ({ kind, id, endsAt: ends_at, tokens })),
          day: day
            ? { startedAt: day.started_at, inputTokens: day.input_tokens, outputTokens: day.output_tokens }
            : null,
        };
      }),
    save: ({ windows, day, now }) =>
      transaction((connection) => {
        for (const window of windows) connection.execute(queries.putWindow(window));
        connection.execute(queries.removeEnded({ now }));
        if (!day) return;
        connection.execute(queries.removeDays({}));
        connection.execute(queries.addDay(day));
      }),
    erase: (person) =>
      // Synced: what a person had erased must not come back after a power failure.
      transaction(
        (connection) => {
          const { numAffectedRows = 0n } = connection.execute(queries.erase({ person, asMember: `%/${person}` }));
          return numAffectedRows > 0n;
        },
        { isSynced: true },
      ),
    scrub: () => translateErrors("The database cannot be written; is the disk full?", scrub),
  };
}

function compileQueries(kysely: DurableDatabase["kysely"]) {
  return {
    windows: compileQuery((slot: Slot<{ now: number }>) =>
      kysely.selectFrom("spend_windows").selectAll().where("ends_at", ">", slot("now")),
    ),
    day: compileQuery(() => kysely.selectFrom("spend_day").selectAll()),
    putWindow: compileQuery((slot: Slot<SpendWindow>) => {
      const counts = { ends_at: slot("endsAt"), tokens: slot("tokens") };
      return kysely
        .insertInto("spend_windows")
        .values({ kind: slot("kind"), id: slot("id"), ...counts })
        .onConflict((conflict) => conflict.columns(["kind", "id"]).doUpdateSet(counts));
    }),
    removeEnded: compileQuery((slot: Slot<{ now: number }>) =>
      kysely.deleteFrom("spend_windows").where("ends_at", "<=", slot("now")),
    ),
    removeDays: compileQuery(() => kysely.deleteFrom("spend_day")),
    addDay: compileQuery((slot: Slot<SpentDay>) =>
      kysely.insertInto("spend_day").values({
        started_at: slot("startedAt"),
        input_tokens: slot("inputTokens"),
        output_tokens: slot("outputTokens"),
      }),
    ),
    erase: compileQuery((slot: Slot<{ person: string; asMember: string }>) =>
      kysely
        .deleteFrom("spend_windows")
        .where((window) =>
          window.or([
            window.and([window("kind", "=", "person"), window("id", "=", slot("person"))]),
            window.and([window("kind", "=", "member"), window("id", "like", slot("asMember"))]),
          ]),
        ),
    ),
  };
}
