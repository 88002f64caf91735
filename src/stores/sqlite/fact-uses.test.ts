import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CompiledQuery } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { openDurableDatabase } from "./durable-database.ts";
import { createFactUses } from "./fact-uses.ts";

it("uses of facts are counted in an index that holds nothing else, however much was read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-uses-"));
  const database = await openDurableDatabase(join(folder, "earshot.db"));
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
  const plans: string[] = [];
  const execute = <Row>(query: CompiledQuery<Row>): readonly Row[] => {
    const explained = { ...query, sql: `explain query plan ${query.sql}` } as CompiledQuery<{ detail: string }>;
    plans.push(
      database
        .execute(explained)
        .map(({ detail }) => detail)
        .join(),
    );
    return database.execute(query);
  };
  const uses = createFactUses({ ...database, execute });
  const fact = { ref: "a@1", scopeId: "5" };
  expect(await uses.count([fact], { from: 0, until: 5 })).toEqual({ times: new Map(), isMinimum: false });
  for (const index of ["agent_context_sources_of_facts", "operations_by_id", "audit_events_by_operation_id"])
    expect(plans[0]).toContain(`INDEX ${index}`);
});
