import fc from "fast-check";
import type {
  AuditEntry,
  ConfirmationRow,
  DecisionRow,
  EventRow,
  OperationRow,
  SourceRow,
} from "../../src/ports/audit-store.ts";

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
    effect: "read",
    target: "channel:7",
    allowed: true,
    failed_check: null,
    reason: "all_checks_passed",
    inputs_json: "{}",
    decided_at: 1_100,
    ...row,
  },
});

export const aSource = (row: Partial<SourceRow> = {}): AuditEntry => ({
  kind: "source",
  row: {
    id: "source-1",
    operation_id: "operation-1",
    source_type: "discord_message",
    source_ref: "7/100",
    source_hash: "ab",
    scope_type: "channel",
    scope_id: "7",
    loaded_by: "discord.channel.messages",
    loaded_at: 1_200,
    token_count: 12,
    policy_decision_id: "decision-1",
    ...row,
  },
});

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

/** Every string there can be, halves of surrogate pairs and NUL included. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.array(fc.nat(0xffff), { maxLength: 5 }).map((codes) => String.fromCharCode(...codes)),
);
const anyTime = fc.maxSafeNat();

/** An entry of one of a few operations. */
const anyEntry: fc.Arbitrary<AuditEntry> = fc
  .record({
    kind: fc.constantFrom("operation", "decision", "source", "confirmation", "event"),
    operation: fc.constantFrom("operation-1", "operation-2", "operation-3"),
    text: anyText,
    other: fc.option(anyText),
    time: anyTime,
    flag: fc.boolean(),
  })
  .map(({ kind, operation, text, other, time, flag }) => {
    switch (kind) {
      case "operation":
        return anOperation({ id: operation, client: text, thread_id: other, opened_at: time });
      case "decision":
        return aDecision({
          operation_id: operation,
          reason: text,
          failed_check: other,
          allowed: flag,
          decided_at: time,
        });
      case "source":
        return aSource({ operation_id: operation, source_ref: text, source_hash: other ?? "", token_count: time });
      case "confirmation":
        return aConfirmation({ operation_id: operation, tool: text, created_at: time });
      default:
        return anEvent({ operation_id: operation, detail_json: text, happened_at: time });
    }
  });

export const anyEntries = (minLength: number, maxLength = 12): fc.Arbitrary<AuditEntry[]> =>
  fc.array(anyEntry, { minLength, maxLength });
