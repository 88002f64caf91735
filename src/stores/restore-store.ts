import type { RestoreNote, RestoreStore } from "../ports/restore-store.ts";
import { type Database, SYNCED } from "./database.ts";

/** @see RestoreStore */
export function createRestoreStore(database: Database): RestoreStore {
  return {
    list: () =>
      database.query<RestoreNote>("SELECT restored_at, backup_at, replaced, facts_until FROM restores ORDER BY seq"),
    add: ({ restored_at, backup_at, replaced, facts_until }) =>
      database.transaction(
        (change) => change.insert("restores", [{ restored_at, backup_at, replaced, facts_until }]),
        SYNCED,
      ),
  };
}
