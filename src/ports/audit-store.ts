/** One request, as it was opened. Times are milliseconds since 1970, ids are text. */
export interface OperationRow {
  readonly id: string;
  readonly client: string;
  readonly actor_id: string;
  readonly guild_id: string | null;
  readonly channel_id: string;
  readonly thread_id: string | null;
  readonly message_id: string | null;
  /** The message that the request's message replies to. */
  readonly parent_message_id: string | null;
  readonly purpose: string;
  /** A channel's id, or "actor" if the answer is for the actor alone. */
  readonly destination: string;
  readonly opened_at: number;
  readonly expires_at: number;
}

/** An allowed or denied access, with all inputs of the decision; an allowed read omits inputs that the operation's other rows contain. */
export interface DecisionRow {
  /** Unique within the operation. */
  readonly id: string;
  readonly operation_id: string;
  readonly tool: string;
  readonly effect: string;
  /** Such as "channel:123". */
  readonly target: string;
  readonly allowed: boolean;
  /** The check that denied it; null if all allowed it. */
  readonly failed_check: string | null;
  readonly reason: string;
  readonly inputs_json: string;
  readonly decided_at: number;
}

/** One source that was read, by reference. Its text is not stored. */
export interface SourceRow {
  /** Its type and reference: unique within the operation. */
  readonly id: string;
  readonly operation_id: string;
  readonly source_type: string;
  readonly source_ref: string;
  readonly scope_type: string;
  readonly scope_id: string;
  readonly loaded_by: string;
  readonly loaded_at: number;
  readonly token_count: number;
  readonly policy_decision_id: string;
}

/** The allowed read decisions and the sources of one call that are new to its operation. */
interface ReadsRow {
  readonly operation_id: string;
  readonly tool: string;
  readonly read_at: number;
  /** A keyed hash of all their texts. */
  readonly texts_hash: string;
  /** See `packReads`. */
  readonly reads_json: string;
}

/** An exact action that waits for one person. Its content is not stored. */
export interface ConfirmationRow {
  readonly id: string;
  readonly operation_id: string;
  readonly actor_id: string;
  readonly tool: string;
  readonly destination: string;
  readonly action_hash: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** An event of an operation or a confirmation, such as an effect begun and done. */
export interface EventRow {
  readonly operation_id: string;
  readonly name: string;
  readonly detail_json: string;
  readonly happened_at: number;
}

export type AuditEntry =
  | { readonly kind: "operation"; readonly row: OperationRow }
  | { readonly kind: "decision"; readonly row: DecisionRow }
  | { readonly kind: "reads"; readonly row: ReadsRow }
  | { readonly kind: "confirmation"; readonly row: ConfirmationRow }
  | { readonly kind: "event"; readonly row: EventRow };

/** An entry as it is shown: the reads of a call are its single decisions and sources. */
export type ShownEntry = Exclude<AuditEntry, { kind: "reads" }> | { readonly kind: "source"; readonly row: SourceRow };

export type AuditKind = AuditEntry["kind"];

/** A row as it is stored and hashed: its place in the chain, then its columns in the order of `AUDIT_COLUMNS`. */
type StoredRow = readonly [seq: number, ...values: (string | number | null)[]];

/** One row with its hash, which also covers the hash before it. */
export interface ChainRow {
  readonly kind: AuditKind;
  readonly row: StoredRow;
  readonly hash: string;
}

export interface ChainPoint {
  readonly seq: number;
  readonly hash: string;
}

/** Positions per chain. Each process that writes has its own chain; the second chain starts after the first one's last possible
 * position. */
export const CHAIN_PLACES = 2 ** 40;

export function chainOf(seq: number): number {
  return Math.floor(seq / CHAIN_PLACES);
}

/** Start and end of a chain: the rows kept are those after `base`, up to and including `head`. */
export interface ChainEnds {
  readonly base: ChainPoint;
  readonly head: ChainPoint;
  /** A keyed hash of the two. */
  readonly seal: string;
}

/** An interval of positions whose rows were erased to save space; this record replaces them. */
export interface ThinnedInterval {
  readonly from: number;
  readonly to: number;
  /** The hash of the interval's last row: the chain continues from it. */
  readonly hash: string;
  /** A keyed hash of the whole record and of the hash before the interval. */
  readonly seal: string;
}

/** Positions that can be thinned, with the hashes at both ends. Includes neighbouring intervals that were thinned before. */
export interface ThinCandidate extends Omit<ThinnedInterval, "seal"> {
  /** The hash of the row before `from`. */
  readonly before: string;
}

/** `reads`: the reads of calls, and searches. `operations`: operations without any other row left. */
export type ThinTarget = "reads" | "operations";

export interface ThinRequest {
  readonly target: ThinTarget;
  readonly client: string;
  /** Only operations that ended up to this time. */
  readonly endedBy: number;
  /** Only operations after this position. */
  readonly after: number;
  /** Approximate. */
  readonly maxRows: number;
}

export interface ThinBatch {
  readonly intervals: readonly ThinCandidate[];
  readonly rows: number;
  /** Positions of the first and the last operation examined. Continue after the last. */
  readonly operations: { readonly first: number; readonly last: number };
  /** Number of read rows in the batch, by the position of their operation. */
  readonly erased: Readonly<Record<string, number>>;
}

/** Number of read rows of an operation. */
export interface ReadUsage {
  readonly seq: number;
  readonly client: string;
  readonly endedAt: number;
  readonly rows: number;
}

export interface ChainChange {
  /** The ends required before the change; null to begin a chain. */
  readonly after: ChainEnds | null;
  readonly rows: readonly ChainRow[];
  /** The ends after the change. Everything up to a moved base is erased. */
  readonly ends: ChainEnds;
  /** Intervals whose rows are erased, with earlier thinned intervals inside them. */
  readonly thinned?: readonly ThinnedInterval[];
}

/** Limits of a cut: rows older than `before`, not beyond the position `last`, in batches of about `most` rows. */
interface CutRequest {
  readonly before: number;
  readonly last: number;
  readonly most: number;
}

/** An operation in a list, with counts of its sources and refusals. */
export interface OperationSummary {
  readonly operation: OperationRow;
  readonly sources: number;
  readonly refusals: number;
  /** Its read rows may have been erased to save space, so `sources` counts only the remaining ones. */
  readonly isThinned: boolean;
}

/** An empty filter matches every operation. */
export interface OperationFilter {
  readonly actorId?: string;
  /** Name of a tool that was used or refused. */
  readonly tool?: string;
  /** Only those in which something was refused. */
  readonly isRefused?: boolean;
  /** Opened at this time or later. */
  readonly since?: number;
}

/** Rows of one operation's reads that were erased to save space. */
export interface ErasedReads {
  readonly rows: number;
  readonly erasedAt: number;
}

export interface ErasedOperations {
  /** Operations that ended before this time were pruned; null if none were. */
  readonly prunedBefore: number | null;
  /** Number of operations erased to save space. They had only reads. */
  readonly thinned: number;
}

/** A message that the bot sent within an operation. */
export interface SentMessage {
  readonly client: string;
  readonly actorId: string;
  readonly channelId: string;
  /** An answer of the built-in agent, which follows its sources. */
  readonly isAnswer: boolean;
}

/** Keeps rows and their chain; knows no key. Failures are `unavailable`, except where a method says otherwise. */
export interface AuditStore {
  /** Null if the chain was not begun. */
  ends(chain: number): Promise<ChainEnds | null>;
  /** The ends of every chain, ordered by position. Empty also if one of them is out of position. */
  allEnds(): Promise<readonly ChainEnds[]>;
  /**
   * Atomic and durable. Throws `misconfigured` if the ends are not those of `after`, which means that another process writes the same
   * chain, or if a chain is begun where rows exist.
   */
  write(change: ChainChange): Promise<void>;
  /**
   * Finds the longest prefix of the chain that is older than `before`, contains only whole operations and fits one batch, or else the
   * shortest such prefix. Returns its end; null if there is none.
   */
  findCut(request: CutRequest): Promise<ChainPoint | null>;
  /** Bytes in use on disk, without reusable free space. */
  size(): Promise<number>;
  /** A page of operations of one chain after a position, in order. Empty after the last. */
  readUsage(request: { after: number; limit: number }): Promise<readonly ReadUsage[]>;
  /** The oldest of a client's rows that can be thinned. Null if no operation is left to examine; a batch may have no intervals. */
  findThinnable(request: ThinRequest): Promise<ThinBatch | null>;
  /** The latest events that belong to no operation, such as `pruned` and `thinned`, newest first. */
  housekeeping(limit: number): Promise<readonly EventRow[]>;
  /** All events of one name, within operations and outside of them. */
  eventsNamed(name: string): Promise<readonly EventRow[]>;
  /** All entries of one operation, in the order in which they were written. Empty if there are none. */
  operation(id: string): Promise<readonly ShownEntry[]>;
  /** Null if no row of its reads was erased, and for an unknown operation. */
  erasedReads(operationId: string): Promise<ErasedReads | null>;
  erasedOperations(): Promise<ErasedOperations>;
  /** Newest first. */
  latest(limit: number, filter?: OperationFilter): Promise<readonly OperationSummary[]>;
  /** Operations of these clients that ended after this time or have not ended, in the order in which they were opened. */
  operationsSince(request: { since: number; clients: readonly string[] }): Promise<readonly OperationRow[]>;
  /** Operations in which the message was sent, or found to have been sent. Empty if it is unknown or was pruned. */
  sent(messageId: string): Promise<readonly SentMessage[]>;
  /** A consistent snapshot, unaffected by later writes. It must be closed. */
  openSnapshot(): Promise<AuditSnapshot>;
}

/** Returns what is stored, even if it is invalid, ordered by position. Positions may be infinite. Throws for rows that cannot be read. */
export interface AuditSnapshot {
  readonly allEnds: readonly ChainEnds[];
  thinned(): Promise<readonly ThinnedInterval[]>;
  rows(kind: AuditKind, from: number, to: number): Promise<readonly RowText[]>;
  /** Safe to repeat. */
  close(): Promise<void>;
}

/** The text is `JSON.stringify` of the stored row, which is the hashed form. */
export type RowText = readonly [seq: number, text: string, hash: string];
