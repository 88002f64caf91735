import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { openAudit } from "../../src/policy/audit.ts";
import { createAuditStore } from "../../src/stores/audit-store.ts";
import { openTestDatabase } from "../support/test-database.ts";
import { aDecision, anOperation, aSource } from "./entries.ts";

// A program that is killed writes no compile cache at its end.
flushCompileCache();

/** Notes one operation after the other, and says so each time one is kept. Runs until somebody ends it. */
const [file = "", round = "", key = ""] = process.argv.slice(2);
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const audit = await openAudit(createAuditStore(await openTestDatabase(file)), {
  key: Buffer.from(key, "hex"),
  clock: { now: () => Date.now() },
  log: quiet,
  mintId: () => "origin",
});
for (let count = 0; ; count += 1) {
  const id = `${round}-${count}`;
  audit.note(anOperation({ id }));
  audit.note(aDecision({ operation_id: id }));
  for (let source = 0; source < count % 40; source += 1)
    audit.note(aSource({ source_ref: `7/${source}`, operation_id: id }));
  await audit.settled();
  writeSync(1, `${id}\n`);
}
