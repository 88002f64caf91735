import { EarshotError } from "../domain/errors.ts";
import type { AuditEntry, ReadsRow, ShownEntry } from "./audit-store.ts";

/** An allowed read decision. */
export interface AllowedRead {
  readonly id: string;
  readonly target: string;
  readonly inputs: object;
}

/** Sources of one type and scope that one decision allowed. */
export interface PackedSources {
  readonly decisionId: string;
  readonly type: string;
  readonly scope: { readonly type: string; readonly id: string };
  readonly sources: readonly { readonly ref: string; readonly tokens: number }[];
}

/** A decision comes with the first of its groups, and its inputs unless they are those of the decision before. */
interface Group {
  readonly decision: string;
  readonly target?: string;
  readonly inputs?: object;
  readonly type?: string;
  readonly scope_type?: string;
  readonly scope_id?: string;
  /** The beginning of every reference. */
  readonly prefix?: string;
  /** The tokens of each source, by the rest of its reference. */
  readonly sources?: Readonly<Record<string, number>>;
}

/**
 * Packs the new reads of one call into one row: what they have in common is written once. Groups and sources are members of objects, not of
 * lists, because all databases take objects apart by the same SQL.
 */
export function packReads(
  call: Pick<ReadsRow, "operation_id" | "tool" | "read_at" | "texts_hash">,
  { decisions, read }: { readonly decisions: readonly AllowedRead[]; readonly read: readonly PackedSources[] },
): ReadsRow {
  const byDecision = Map.groupBy(read.map(toGroup), ({ decision }) => decision);
  const groups: Group[] = [];
  let before = "";
  for (const { id, target, inputs } of decisions) {
    const [first, ...more] = byDecision.get(id) ?? [];
    const text = JSON.stringify(inputs);
    groups.push({ decision: id, target, ...(text !== before && { inputs }), ...first }, ...more);
    byDecision.delete(id);
    before = text;
  }
  groups.push(...[...byDecision.values()].flat());
  const named = Object.fromEntries(groups.map((group, index) => [`g${index + 1}`, group]));
  const sources = read.reduce((sum, each) => sum + each.sources.length, 0);
  return { ...call, sources, reads_json: JSON.stringify(named) };
}

function toGroup({ decisionId, type, scope, sources }: PackedSources): Group {
  let prefix = sources[0]?.ref ?? "";
  for (const { ref } of sources) while (!ref.startsWith(prefix)) prefix = prefix.slice(0, -1);
  // Half of a surrogate pair cannot be stored.
  if (!prefix.isWellFormed()) prefix = prefix.slice(0, -1);
  const rest = Object.fromEntries(sources.map(({ ref, tokens }) => [ref.slice(prefix.length), tokens]));
  return { decision: decisionId, type, scope_type: scope.type, scope_id: scope.id, prefix, sources: rest };
}

/** The reads of a call as single decisions and sources. Throws `unavailable` for a row that was altered so that it cannot be read. */
export function toShown(entry: AuditEntry): readonly ShownEntry[] {
  return entry.kind === "reads" ? expandReads(entry.row) : [entry];
}

/** @see toShown */
export function expandReads({ operation_id, tool, read_at, reads_json }: ReadsRow): ShownEntry[] {
  try {
    const groups = Object.values(JSON.parse(reads_json) as Readonly<Record<string, Group>>);
    let inputs_json = "{}";
    return groups.flatMap(({ decision, target, inputs, type, scope_type, scope_id, prefix, sources }) => {
      if (inputs) inputs_json = JSON.stringify(inputs);
      const decided = { id: decision, operation_id, tool, effect: "read", inputs_json, decided_at: read_at };
      const allowed = { allowed: true, failed_check: null, reason: "all_checks_passed" };
      const loaded = { operation_id, loaded_by: tool, loaded_at: read_at, policy_decision_id: decision };
      const scope = { source_type: type ?? "", scope_type: scope_type ?? "", scope_id: scope_id ?? "" };
      return [
        ...(target === undefined ? [] : [{ kind: "decision" as const, row: { ...decided, target, ...allowed } }]),
        ...Object.entries(sources ?? {}).map(([rest, token_count]) => {
          const source_ref = `${prefix}${rest}`;
          const id = `${type} ${source_ref}`;
          return { kind: "source" as const, row: { id, source_ref, token_count, ...scope, ...loaded } };
        }),
      ];
    });
  } catch (cause) {
    const problem = "The audit cannot be read: a row of its reads was altered. See earshot audit verify.";
    throw new EarshotError("unavailable", problem, { cause });
  }
}
