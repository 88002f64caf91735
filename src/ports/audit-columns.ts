import type { AuditEntry, AuditKind } from "./audit-store.ts";

type Row<Kind extends AuditKind> = Extract<AuditEntry, { kind: Kind }>["row"];

type ColumnType<Value> = [Value] extends [boolean]
  ? "flag"
  : [Value] extends [number]
    ? "integer"
    : [Value] extends [string]
      ? "text" | "json"
      : "text or null";

/** The columns of each kind of row. Their order is part of every hash: changing it voids all existing chains. */
export const AUDIT_COLUMNS: {
  readonly [Kind in AuditKind]: { readonly [Name in keyof Row<Kind>]-?: ColumnType<Row<Kind>[Name]> };
} = {
  operation: {
    id: "text",
    client: "text",
    actor_id: "text",
    guild_id: "text or null",
    channel_id: "text",
    thread_id: "text or null",
    message_id: "text or null",
    parent_message_id: "text or null",
    purpose: "text",
    destination: "text",
    opened_at: "integer",
    expires_at: "integer",
  },
  decision: {
    id: "text",
    operation_id: "text",
    tool: "text",
    effect: "text",
    target: "text",
    allowed: "flag",
    failed_check: "text or null",
    reason: "text",
    inputs_json: "json",
    decided_at: "integer",
  },
  reads: { operation_id: "text", tool: "text", read_at: "integer", texts_hash: "text", reads_json: "json" },
  confirmation: {
    id: "text",
    operation_id: "text",
    actor_id: "text",
    tool: "text",
    destination: "text",
    action_hash: "text",
    created_at: "integer",
    expires_at: "integer",
  },
  event: { operation_id: "text", name: "text", detail_json: "json", happened_at: "integer" },
};

export const AUDIT_KINDS = Object.keys(AUDIT_COLUMNS) as readonly AuditKind[];

type Columns = readonly (readonly [name: string, type: string])[];

export const COLUMNS = Object.fromEntries(
  AUDIT_KINDS.map((kind) => [kind, Object.entries(AUDIT_COLUMNS[kind])]),
) as unknown as Readonly<Record<AuditKind, Columns>>;

export function toEntry(kind: AuditKind, stored: Readonly<Record<string, unknown>>): AuditEntry {
  const row = Object.fromEntries(
    COLUMNS[kind].map(([name, type]) => [name, type === "flag" ? stored[name] === 1 : stored[name]]),
  );
  return { kind, row } as unknown as AuditEntry;
}
