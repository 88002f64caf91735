import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SourceRow } from "../../src/ports/audit-store.ts";
import { packReads, toShown } from "../../src/ports/packed-reads.ts";
import { emptyFolder, openTestAudit } from "./open-test-audit.ts";

const CALL = { operation_id: "operation-1", tool: "search_messages", read_at: 1_200, texts_hash: "ab" };
const anyText = fc.string({ unit: fc.constantFrom("7", "/", '"', "\\", "@", "ü", "🐢"), maxLength: 6 });
const anyDecision = fc.record({ target: anyText, inputs: fc.record({ roles: fc.array(anyText, { maxLength: 2 }) }) });
const anySource = fc.record({
  type: fc.constantFrom("discord_message", "docs"),
  ref: anyText,
  tokens: fc.nat(5_000),
  scope: fc.record({ type: fc.constantFrom("channel" as const, "guild" as const), id: anyText }),
  decisionId: fc.nat(3).map((number) => `d${number}`),
});
/** The reads of a call; some of its decisions were made by an earlier one. */
const anyReads = fc.record({
  decisions: fc
    .array(anyDecision, { maxLength: 3 })
    .map((all) => all.map((each, index) => ({ id: `d${index}`, ...each }))),
  sources: fc.uniqueArray(anySource, { selector: ({ type, ref }) => `${type} ${ref}`, maxLength: 9 }),
});
type Reads = typeof anyReads extends fc.Arbitrary<infer Each> ? Each : never;

const pack = ({ decisions, sources }: Reads) => ({ ...CALL, reads_json: packReads(decisions, sources) });
const sourcesOf = ({ sources }: Reads): SourceRow[] =>
  sources.map(({ decisionId, type, scope, ref, tokens }) => ({
    ...{ id: `${type} ${ref}`, operation_id: CALL.operation_id, source_type: type, source_ref: ref },
    ...{ scope_type: scope.type, scope_id: scope.id, loaded_by: CALL.tool, loaded_at: CALL.read_at },
    ...{ token_count: tokens, policy_decision_id: decisionId },
  }));

/** In one order, whatever it is. */
const sorted = (rows: readonly SourceRow[]) => rows.map((row) => JSON.stringify(row, COLUMNS)).sort();
const COLUMNS = [
  ...["id", "operation_id", "source_type", "source_ref", "scope_type", "scope_id"],
  ...["loaded_by", "loaded_at", "token_count", "policy_decision_id"],
];

describe("the packed reads of a call", () => {
  it("expand to every decision with its inputs, and to every source", () => {
    fc.assert(
      fc.property(anyReads, (reads) => {
        const shown = toShown({ kind: "reads", row: pack(reads) });
        const sources = shown.flatMap(({ kind, row }) => (kind === "source" ? [row] : []));
        expect(sorted(sources)).toEqual(sorted(sourcesOf(reads)));
        const decisions = shown.flatMap(({ kind, row }) => (kind === "decision" ? [row] : []));
        expect(decisions).toEqual(
          reads.decisions.map(({ id, target, inputs }) => ({
            ...{ id, operation_id: CALL.operation_id, tool: CALL.tool, effect: "read", target, allowed: true },
            ...{ failed_check: null, reason: "all_checks_passed", decided_at: CALL.read_at },
            inputs_json: JSON.stringify(inputs),
          })),
        );
      }),
    );
  });

  it("are rows of agent_context_sources, with the same columns and values", async () => {
    const { keep, database, close } = await openTestAudit(join(emptyFolder(), "earshot.db"));
    const run = fc.asyncProperty(anyReads, async (reads) => {
      const operation_id = `operation-${Math.random()}`;
      await keep([{ kind: "reads", row: { ...pack(reads), operation_id } }]);
      const sql = "SELECT * FROM agent_context_sources WHERE operation_id = :operation_id";
      const rows = await database.query<SourceRow>(sql, { operation_id });
      expect(sorted(rows)).toEqual(sorted(sourcesOf(reads).map((row) => ({ ...row, operation_id }))));
      for (const row of rows) expect(Object.keys(row)).toEqual(COLUMNS);
    });
    await fc.assert(run, { numRuns: 30 });
    await close();
  });

  it("cannot be shown once they were altered so that they are no reads any more", () => {
    for (const reads_json of ["{", "null", '{"g1":null}'])
      expect(() => toShown({ kind: "reads", row: { ...CALL, reads_json } })).toThrow("See earshot audit verify");
  });
});
