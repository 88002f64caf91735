import type { RestoreStore } from "../../ports/restore-store.ts";
import { compileQuery, type DurableDatabase, type Slot } from "./durable-database.ts";
import type { DurableTables } from "./durable-tables.ts";
import { translateErrors } from "./translate-errors.ts";

/** @see RestoreStore */
export function createRestoreStore({ kysely, execute, transaction }: DurableDatabase): RestoreStore {
  const all = compileQuery(() =>
    kysely.selectFrom("restores").select(["restored_at", "backup_at", "replaced", "facts_until"]).orderBy("seq"),
  );
  const add = compileQuery((slot: Slot<Omit<DurableTables["restores"], "seq">>) =>
    kysely.insertInto("restores").values({
      restored_at: slot("restored_at"),
      backup_at: slot("backup_at"),
      replaced: slot("replaced"),
      facts_until: slot("facts_until"),
    } as never),
  );
  return {
    list: () => translateErrors("When the data folder was restored cannot be read", () => execute(all({}))),
    add: (note) => transaction((connection) => void connection.execute(add(note)), { isSynced: true }),
  };
}
