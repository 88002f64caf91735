import type { OptOutStore } from "../../ports/opt-out-store.ts";
import { compileQuery, type DurableDatabase, type Slot } from "./durable-database.ts";
import { translateErrors } from "./translate-errors.ts";

/** @see OptOutStore */
export function createOptOutStore({ kysely, execute, transaction }: DurableDatabase): OptOutStore {
  const all = compileQuery(() => kysely.selectFrom("opt_outs").select("hash"));
  const add = compileQuery((slot: Slot<{ hash: string; at: number }>) =>
    kysely
      .insertInto("opt_outs")
      .values({ hash: slot("hash"), opted_out_at: slot("at") })
      .onConflict((conflict) => conflict.doNothing()),
  );
  const remove = compileQuery((slot: Slot<{ hash: string }>) =>
    kysely.deleteFrom("opt_outs").where("hash", "=", slot("hash")),
  );
  // Synced: an opt-out must not be undone by a power failure.
  const isSynced = true;
  return {
    load: () => translateErrors("Who opted out cannot be read", () => execute(all({})).map(({ hash }) => hash)),
    add: (hash, at) => transaction((connection) => void connection.execute(add({ hash, at })), { isSynced }),
    remove: (hash) => transaction((connection) => void connection.execute(remove({ hash })), { isSynced }),
  };
}
