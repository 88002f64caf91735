import type { ExpressionBuilder, ExpressionWrapper, RawBuilder, SqlBool } from "kysely";
import { sql } from "kysely";
import type { AuditTables } from "./audit-tables.ts";
import { jsonValue } from "./sqlite-expressions.ts";

/** A member of what an event tells. */
export function detail<Value>(path: string): RawBuilder<Value | null> {
  return jsonValue<Value>("audit_events.detail_json", path);
}

/** How many rows of the operation's reads an event says were erased; null when it names none of this operation. */
export const erasedRows = sql<number | null>`audit_events.detail_json ->> ('$.erased."' || operations.seq || '"')`;

type Tables = "audit_events" | "operations";

/** Whether an event tells that rows of an operation's reads were erased. Earlier versions noted only the first and the last operation of a batch. */
export function tellsErasedReads(
  eb: ExpressionBuilder<AuditTables, Tables>,
): ExpressionWrapper<AuditTables, Tables, SqlBool> {
  return eb.and([
    eb("audit_events.operation_id", "=", ""),
    eb("audit_events.name", "=", "thinned"),
    eb(detail<string>("$.client"), "=", eb.ref("operations.client")),
    eb("operations.seq", ">=", detail<number>("$.first")),
    eb("operations.seq", "<=", detail<number>("$.last")),
    eb.or([eb(detail("$.erased"), "is", null), eb(erasedRows, "is not", null)]),
  ]);
}
