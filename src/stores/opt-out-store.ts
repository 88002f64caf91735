import type { OptOutStore } from "../ports/opt-out-store.ts";
import { type Database, SYNCED } from "./database.ts";

/** @see OptOutStore */
export function createOptOutStore(database: Database): OptOutStore {
  return {
    async load() {
      const rows = await database.query<{ readonly hash: string }>("SELECT hash FROM opt_outs");
      return rows.map(({ hash }) => hash);
    },
    // Synced: an opt-out must not be undone by a power failure.
    add: (hash, at) =>
      database.transaction((change) => change.insert("opt_outs", [{ hash, opted_out_at: at }], "DO NOTHING"), SYNCED),
    remove: (hash) =>
      database.transaction((change) => change.run("DELETE FROM opt_outs WHERE hash = :hash", { hash }), SYNCED),
  };
}
