import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeAuditStore } from "./audit-store.suite.ts";
import { createAuditStore } from "./audit-store.ts";
import { openDurableDatabase } from "./sqlite/open-sqlite.ts";

describeAuditStore("SQLite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-audit-"));
  const open = () => openDurableDatabase(join(folder, "earshot.db"));
  let database = await open();
  return {
    store: createAuditStore(database),
    async reopen() {
      await database.close();
      database = await open();
      return createAuditStore(database);
    },
    async close() {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
});
