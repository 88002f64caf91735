import fc from "fast-check";
import type { AuditEntry } from "../../src/ports/audit-store.ts";
import { aConfirmation, aDecision, anEvent, anOperation, aSource } from "./entries.ts";

/** Every string there can be, halves of surrogate pairs and NUL included. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.array(fc.nat(0xffff), { maxLength: 5 }).map((codes) => String.fromCharCode(...codes)),
);
const anyTime = fc.maxSafeNat();

/** An entry of one of a few operations. */
const anyEntry: fc.Arbitrary<AuditEntry> = fc
  .record({
    kind: fc.constantFrom("operation", "decision", "reads", "confirmation", "event"),
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
      case "reads":
        return aSource({ operation_id: operation, source_ref: text, scope_id: other ?? "", token_count: time });
      case "confirmation":
        return aConfirmation({ operation_id: operation, tool: text, created_at: time });
      default:
        return anEvent({ operation_id: operation, detail_json: text, happened_at: time });
    }
  });

export const anyEntries = (minLength: number, maxLength = 12): fc.Arbitrary<AuditEntry[]> =>
  fc.array(anyEntry, { minLength, maxLength });
