import { EarshotError } from "../domain/errors.ts";
import type { AuditEntry, ShownEntry } from "./audit-store.ts";

/** An allowed read decision. */
export interface AllowedRead {
  readonly id: string;
  readonly target: string;
  readonly inputs: object;
}

export interface PackedSource {
  readonly type: string;
  readonly ref: string;
  readonly tokens: number;
  readonly scope: { readonly type: "channel" | "guild" | "person"; readonly id: string };
  readonly decisionId: string;
}

/** Sources of one type and scope that one decision allowed. A decision comes with the first of its groups. */
interface Group {
  readonly decision: string;
  readonly target?: string;
  /** Absent if they are those of the decision before. */
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
 * Packs the new reads of one call: what they have in common is written once. Groups and sources are members of objects, not of lists, because
 * all databases take objects apart by the same SQL.
 */
export function packReads(decisions: readonly AllowedRead[], sources: readonly PackedSource[]): string {
  const alike = Map.groupBy(sources, (one) => `${one.decisionId} ${one.type} ${one.scope.type} ${one.scope.id}`);
  const byDecision = Map.groupBy([...alike.values()].map(toGroup), ({ decision }) => decision);
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
  return JSON.stringify(Object.fromEntries(groups.map((group, index) => [`g${index + 1}`, group])));
}

function toGroup(sources: readonly PackedSource[]): Group {
  const { decisionId, type, scope, ref: first } = sources[0] as PackedSource;
  let prefix = first;
  for (const { ref } of sources) while (!ref.startsWith(prefix)) prefix = prefix.slice(0, -1);
  // Half of a surrogate pair cannot be stored.
  if (!prefix.isWellFormed()) prefix = prefix.slice(0, -1);
  const rest = Object.fromEntries(sources.map(({ ref, tokens }) => [ref.slice(prefix.length), tokens]));
  return { decision: decisionId, type, scope_type: scope.type, scope_id: scope.id, prefix, sources: rest };
}

/** The reads of a call as single decisions and sources. Throws `unavailable` for a row that was altered so that it cannot be read. */
export function toShown(entry: AuditEntry): readonly ShownEntry[] {
  if (entry.kind !== "reads") return [entry];
  const { operation_id, tool, read_at, reads_json } = entry.row;
  try {
    const groups = Object.values(JSON.parse(reads_json) as Readonly<Record<string, Group>>);
    let inputs_json = "{}";
    return groups.flatMap<ShownEntry>(
      ({ decision: id, target, inputs, type, scope_type = "", scope_id = "", prefix, sources }) => {
        if (inputs) inputs_json = JSON.stringify(inputs);
        const decided = { id, operation_id, tool, effect: "read", inputs_json, decided_at: read_at };
        const allowed = { allowed: true, failed_check: null, reason: "all_checks_passed" };
        const loaded = { operation_id, loaded_by: tool, loaded_at: read_at, policy_decision_id: id };
        const read = Object.entries(sources ?? {}).map(([rest, token_count]) => {
          const source = { id: `${type} ${prefix}${rest}`, source_type: `${type}`, source_ref: `${prefix}${rest}` };
          return { kind: "source" as const, row: { ...source, scope_type, scope_id, token_count, ...loaded } };
        });
        return target === undefined ? read : [{ kind: "decision", row: { ...decided, target, ...allowed } }, ...read];
      },
    );
  } catch (cause) {
    const problem = "The audit cannot be read: a row of its reads was altered. See earshot audit verify.";
    throw new EarshotError("unavailable", problem, { cause });
  }
}
