import type {
  AuditEntry,
  ConfirmationRow,
  DecisionRow,
  EventRow,
  OperationRow,
  SourceRow,
} from "../../src/ports/audit-store.ts";
import { type PackedSource, packReads } from "../../src/ports/packed-reads.ts";

export const anOperation = (row: Partial<OperationRow> = {}): AuditEntry => ({
  kind: "operation",
  row: {
    id: "operation-1",
    client: "brain",
    actor_id: "11",
    guild_id: "5",
    channel_id: "7",
    thread_id: null,
    message_id: "100",
    parent_message_id: null,
    purpose: "answer",
    destination: "7",
    opened_at: 1_000,
    expires_at: 2_000,
    ...row,
  },
});

export const aDecision = (row: Partial<DecisionRow> = {}): AuditEntry => ({
  kind: "decision",
  row: {
    id: "decision-1",
    operation_id: "operation-1",
    tool: "discord.channel.messages",
    effect: "speak",
    target: "channel:7",
    allowed: true,
    failed_check: null,
    reason: "all_checks_passed",
    inputs_json: "{}",
    decided_at: 1_100,
    ...row,
  },
});

/** The row of a call that read one source. `target`: of a new decision that allowed it. */
export const aSource = (row: Partial<SourceRow> = {}, { hash = "ab", target = "" } = {}): AuditEntry => {
  const { source_type = "discord_message", source_ref = "7/100", token_count = 12 } = row;
  const { scope_type = "channel", scope_id = "7", policy_decision_id = "decision-1" } = row;
  const { operation_id = "operation-1", loaded_by = "discord.channel.messages", loaded_at = 1_200 } = row;
  const scope = { type: scope_type as "channel", id: scope_id };
  const source: PackedSource = {
    type: source_type,
    ref: source_ref,
    tokens: token_count,
    scope,
    decisionId: policy_decision_id,
  };
  const decisions = target === "" ? [] : [{ id: policy_decision_id, target, inputs: {} }];
  const reads_json = packReads(decisions, [source]);
  return { kind: "reads", row: { operation_id, tool: loaded_by, read_at: loaded_at, texts_hash: hash, reads_json } };
};

export const aConfirmation = (row: Partial<ConfirmationRow> = {}): AuditEntry => ({
  kind: "confirmation",
  row: {
    id: "confirmation-1",
    operation_id: "operation-1",
    actor_id: "11",
    tool: "discord.send",
    destination: "8",
    action_hash: "cd",
    created_at: 1_300,
    expires_at: 1_900,
    ...row,
  },
});

export const anEvent = (row: Partial<EventRow> = {}): AuditEntry => ({
  kind: "event",
  row: { operation_id: "operation-1", name: "confirmed", detail_json: "{}", happened_at: 1_400, ...row },
});
