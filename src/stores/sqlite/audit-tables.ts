import { AUDIT_COLUMNS } from "../../ports/audit-columns.ts";
import type {
  AuditKind,
  ConfirmationRow,
  DecisionRow,
  EventRow,
  OperationRow,
  SourceRow,
} from "../../ports/audit-store.ts";

type Placed = {
  /** The place in the chain. */
  readonly seq: number;
};

export interface AuditTables {
  readonly operations: OperationRow & Placed;
  readonly policy_decisions: Omit<DecisionRow, "allowed"> & Placed & { readonly allowed: number };
  readonly agent_context_sources: SourceRow & Placed;
  readonly confirmations: ConfirmationRow & Placed;
  readonly audit_events: EventRow & Placed;
  readonly audit_chain: Placed & { readonly kind: string; readonly hash: string };
  /** One for each interval; its place is the first of the interval. */
  readonly audit_thinned: Placed & { readonly last_seq: number; readonly hash: string; readonly seal: string };
  /** One row, at place 1. */
  readonly audit_ends: Placed & {
    readonly base_seq: number;
    readonly base_hash: string;
    readonly head_seq: number;
    readonly head_hash: string;
    readonly seal: string;
  };
}

/** Where the rows of each kind are, which column says whose they are, and which say until when they matter. */
export const TABLES = {
  operation: { name: "operations", operation: "id", times: ["opened_at", "expires_at"] },
  decision: { name: "policy_decisions", operation: "operation_id", times: ["decided_at"] },
  source: { name: "agent_context_sources", operation: "operation_id", times: ["loaded_at"] },
  confirmation: { name: "confirmations", operation: "operation_id", times: ["created_at", "expires_at"] },
  event: { name: "audit_events", operation: "operation_id", times: ["happened_at"] },
} as const satisfies Record<AuditKind, { name: keyof AuditTables; operation: string; times: readonly string[] }>;

/** For queries that are the same for several tables. */
export type AnyTables = Readonly<Record<string, Readonly<Record<string, string | number | null>>>>;

/** In the order of a stored row. */
export function columnsOf(kind: AuditKind): readonly string[] {
  return ["seq", ...Object.keys(AUDIT_COLUMNS[kind])];
}
