import { toAudienceKey } from "../../domain/audience.ts";
import type { GuildId } from "../../domain/ids.ts";
import { audiencesOf, type Fact } from "../../domain/memory/fact.ts";
import { estimateTokens } from "../../domain/text/tokens.ts";
import type { Audit } from "../../policy/audit.ts";
import type { Decision, DecisionInput } from "../../policy/decide.ts";
import type { Operation } from "../../policy/operation.ts";
import type { DecisionRow, SourceRow } from "../../ports/audit-store.ts";
import type { Label } from "../../sources/label.ts";

/** Something that a call read. */
export interface Loaded {
  readonly type: string;
  readonly ref: string;
  readonly content: string;
  /** Hashed instead of the content. */
  readonly sealed?: string;
  readonly scope: { readonly type: "channel" | "guild" | "person"; readonly id: string };
  readonly decisionId: string;
}

interface Decided {
  readonly target: string;
  readonly decision: Decision;
  readonly effect: string;
  readonly inputs: object;
}

/** The call that read or decided something. */
interface RowCall {
  readonly operation: Pick<Operation, "id">;
  readonly tool: string;
  readonly now: number;
}

/** In one row. */
export const MAX_SOURCES = 50;
/** 128 bits: enough that nobody finds another text of the same keyed hash. There is one for every message read. */
const SOURCE_HASH_LENGTH = 32;

export function toSourceRow(
  id: string,
  { type, ref, content, sealed, scope, decisionId }: Loaded,
  { operation, tool, now, audit }: RowCall & { readonly audit: Pick<Audit, "hash"> },
): SourceRow {
  return {
    id,
    operation_id: operation.id,
    source_type: type,
    source_ref: ref,
    source_hash: audit.hash(sealed ?? content).slice(0, SOURCE_HASH_LENGTH),
    scope_type: scope.type,
    scope_id: scope.id,
    loaded_by: tool,
    loaded_at: now,
    token_count: estimateTokens(content),
    policy_decision_id: decisionId,
  };
}

export function toDecisionRow(
  id: string,
  { target, decision, effect, inputs }: Decided,
  { operation, tool, now }: RowCall,
): DecisionRow {
  return {
    id,
    operation_id: operation.id,
    tool,
    effect,
    target,
    allowed: decision.allowed,
    failed_check: decision.failed,
    reason: decision.reason,
    inputs_json: JSON.stringify(inputs),
    decided_at: now,
  };
}

/** All inputs of a decision, with what the operation has read so far. */
export function toInputs(question: DecisionInput, { channels, integrity }: Label): object {
  const { origin, destination, roles, actorReads, botReads } = question;
  const read = [...channels].slice(0, MAX_SOURCES);
  const held = roles && [...roles];
  return { origin, destination: destination ?? "actor", roles: held, actorReads, botReads, read, integrity };
}

/** Where something belongs: to a server, else to a person. */
export function toScope(guildId: GuildId | null | undefined, personId: string): Loaded["scope"] {
  return guildId ? { type: "guild", id: guildId } : { type: "person", id: personId };
}

/** Such as `facts of actor for person` or `facts of project:5 for channel:7`. No row of a decision names people. */
export function toFactTarget(fact: Fact, { actor }: Pick<Operation, "actor">): string {
  const { scope, scopeId, subjectId } = fact;
  const person = subjectId === actor ? "actor" : "person";
  const audiences = audiencesOf(fact).map((ref) => (ref.kind === "person" ? ref.kind : toAudienceKey(ref)));
  return `facts of ${scope === "user" ? person : `${scope}:${scopeId}`} for ${audiences.join(" and ")}`;
}
