import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Values } from "./database.ts";
import { createFactUses } from "./fact-uses.ts";
import { openDurableDatabase } from "./sqlite/open-sqlite.ts";

it("uses of facts are counted in an index that holds nothing else, however much was read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-uses-"));
  const database = await openDurableDatabase(join(folder, "earshot.db"));
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
  const plans: string[] = [];
  const query = async <Row>(sql: string, values?: Values): Promise<Row[]> => {
    const plan = await database.query<{ detail: string }>(`explain query plan ${sql}`, values);
    plans.push(plan.map(({ detail }) => detail).join());
    return database.query(sql, values);
  };
  const uses = createFactUses({ query });
  const fact = { ref: "a@1", scopeId: "5" };
  expect(await uses.count([fact], { from: 0, until: 5 })).toEqual({ times: new Map(), isMinimum: false });
  for (const index of ["agent_context_sources_of_facts", "operations_by_id", "audit_events_by_operation_id"])
    expect(plans[0]).toContain(`INDEX ${index}`);
});
