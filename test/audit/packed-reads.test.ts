import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SourceRow } from "../../src/ports/audit-store.ts";
import { expandReads, packReads } from "../../src/ports/packed-reads.ts";
import { emptyFolder, openTestAudit } from "./open-test-audit.ts";

const CALL = { operation_id: "operation-1", tool: "search_messages", read_at: 1_200 };
const anyText = fc.string({ unit: fc.constantFrom("7", "/", '"', "\\", "@", "ü", "🐢"), maxLength: 6 });
const anyDecision = fc.record({ target: anyText, inputs: fc.record({ roles: fc.array(anyText, { maxLength: 2 }) }) });
const anyRead = fc.record({
  decision: fc.nat(3),
  type: fc.constantFrom("discord_message", "docs"),
  scope: fc.record({ type: fc.constantFrom("channel", "guild"), id: anyText }),
  sources: fc.array(fc.record({ ref: anyText, tokens: fc.nat(5_000) }), { maxLength: 4 }),
});
/** The reads of a call; some of its decisions were made by an earlier one. */
const anyReads = fc
  .record({ decisions: fc.array(anyDecision, { maxLength: 3 }), read: fc.array(anyRead, { maxLength: 4 }) })
  .map(({ decisions, read }) => {
    let last = 0;
    return {
      decisions: decisions.map((each, index) => ({ id: `d${index}`, ...each })),
      read: read.map(({ decision, sources, ...each }) => ({
        ...{ ...each, decisionId: `d${decision}`, hash: "ab" },
        sources: sources.map((source) => ({ ...source, id: `s${++last}` })),
      })),
    };
  });

function sourcesOf({ read }: typeof anyReads extends fc.Arbitrary<infer Reads> ? Reads : never): SourceRow[] {
  return read
    .flatMap(({ decisionId, type, scope, sources }) =>
      sources.map(({ id, ref, tokens }) => ({
        ...{ id, operation_id: CALL.operation_id, source_type: type, source_ref: ref, scope_type: scope.type },
        ...{ scope_id: scope.id, loaded_by: CALL.tool, loaded_at: CALL.read_at, token_count: tokens },
        policy_decision_id: decisionId,
      })),
    )
    .sort(byId);
}

const byId = (one: { id: string }, other: { id: string }) => Number(one.id.slice(1)) - Number(other.id.slice(1));

describe("the packed reads of a call", () => {
  it("expand to every decision with its inputs, and to every source", () => {
    fc.assert(
      fc.property(anyReads, (reads) => {
        const packed = packReads(CALL, reads);
        const shown = expandReads(packed);
        const sources = shown.flatMap(({ kind, row }) => (kind === "source" ? [row] : []));
        expect(sources.sort(byId)).toEqual(sourcesOf(reads));
        expect(packed.sources).toBe(sources.length);
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
      await keep([{ kind: "reads", row: packReads({ ...CALL, operation_id }, reads) }]);
      const sql = "SELECT * FROM agent_context_sources WHERE operation_id = :operation_id";
      const rows = await database.query<SourceRow>(sql, { operation_id });
      expect(rows.sort(byId)).toEqual(sourcesOf(reads).map((row) => ({ ...row, operation_id })));
    });
    await fc.assert(run, { numRuns: 30 });
    await close();
  });

  it("cannot be shown once they were altered so that they are no reads any more", () => {
    for (const reads_json of ["{", "null", '{"g1":{"decision":"d1","sources":{"s1":null}}}'])
      expect(() => expandReads({ ...CALL, sources: 1, reads_json })).toThrow("See earshot audit verify");
  });
});
