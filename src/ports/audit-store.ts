/** One request being served, as it was opened. Times are milliseconds since 1970, ids are text. */
export interface OperationRow {
  readonly id: string;
  readonly client: string;
  readonly actor_id: string;
  readonly guild_id: string | null;
  readonly channel_id: string;
  readonly thread_id: string | null;
  readonly message_id: string | null;
  /** The message that the asking one answers. */
  readonly parent_message_id: string | null;
  readonly purpose: string;
  /** A channel's id, or "actor" when the person who asked reads the answer alone. */
  readonly destination: string;
  readonly opened_at: number;
  readonly expires_at: number;
}

/** Allowed or denied, with everything it was decided by; for an allowed read, without what the operation's other rows tell. */
export interface DecisionRow {
  /** Unique within the operation. */
  readonly id: string;
  readonly operation_id: string;
  readonly tool: string;
  readonly effect: string;
  /** Of what: such as "channel:123". */
  readonly target: string;
  readonly allowed: boolean;
  /** Which of the checks said no; null when all said yes. */
  readonly failed_check: string | null;
  readonly reason: string;
  readonly inputs_json: string;
  readonly decided_at: number;
}

/** One thing that was read, by reference. Its text is nowhere here. */
export interface SourceRow {
  /** Unique within the operation. */
  readonly id: string;
  readonly operation_id: string;
  readonly source_type: string;
  readonly source_ref: string;
  readonly source_hash: string;
  readonly scope_type: string;
  readonly scope_id: string;
  readonly loaded_by: string;
  readonly loaded_at: number;
  readonly token_count: number;
  readonly policy_decision_id: string;
}

/** An exact action that waits for one named human. Its bytes are nowhere here. */
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

/** Something that happened to an operation or a confirmation, such as an effect begun and done. */
export interface EventRow {
  readonly operation_id: string;
  readonly name: string;
  readonly detail_json: string;
  readonly happened_at: number;
}

export type AuditEntry =
  | { readonly kind: "operation"; readonly row: OperationRow }
  | { readonly kind: "decision"; readonly row: DecisionRow }
  | { readonly kind: "source"; readonly row: SourceRow }
  | { readonly kind: "confirmation"; readonly row: ConfirmationRow }
  | { readonly kind: "event"; readonly row: EventRow };

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

/** Each process that writes has a chain of its own, with this many places: those of the second begin where the first could have its last. */
export const CHAIN_PLACES = 2 ** 40;

/** The number of the chain that a place belongs to. */
export function chainOf(seq: number): number {
  return Math.floor(seq / CHAIN_PLACES);
}

/** From where to where a chain goes: what is kept has the places after `base`, up to and including `head`. */
export interface ChainEnds {
  readonly base: ChainPoint;
  readonly head: ChainPoint;
  /** A keyed hash of the two. */
  readonly seal: string;
}

/** Places whose rows and links were erased to save room: one record stands for all of them. */
export interface ThinnedInterval {
  readonly from: number;
  readonly to: number;
  /** Of the last row that stood there: the chain goes on from it. */
  readonly hash: string;
  /** A keyed hash of all this, and of the hash before the interval. */
  readonly seal: string;
}

/** Places that can be thinned, with the hashes at both ends. Includes neighbouring intervals that were thinned before. */
export interface ThinCandidate extends Omit<ThinnedInterval, "seal"> {
  /** The hash of the place before `from`. */
  readonly before: string;
}

/** `reads`: sources, allowed read decisions and searches. `operations`: those of which no other row is left. */
export type ThinTarget = "reads" | "operations";

export interface ThinRequest {
  readonly target: ThinTarget;
  readonly client: string;
  /** Only operations that ended up to this time. */
  readonly endedBy: number;
  /** Only operations noted after this place. */
  readonly after: number;
  /** The approximate number of rows. */
  readonly maxRows: number;
}

export interface ThinBatch {
  readonly intervals: readonly ThinCandidate[];
  readonly rows: number;
  /** The places of the first and the last operation that was looked at. Continue after the last. */
  readonly operations: { readonly first: number; readonly last: number };
  /** By the place of each operation: how many rows of its reads are among them. */
  readonly erased: Readonly<Record<string, number>>;
}

/** How many rows of reads an operation has. */
export interface ReadUsage {
  readonly seq: number;
  readonly client: string;
  readonly endedAt: number;
  readonly rows: number;
}

export interface ChainChange {
  /** What the ends must be before; null to begin a chain. */
  readonly after: ChainEnds | null;
  readonly rows: readonly ChainRow[];
  /** What they are from then on. Everything up to a base that has moved is erased. */
  readonly ends: ChainEnds;
  /** The rows and links of these are erased; earlier intervals within them too. */
  readonly thinned?: readonly ThinnedInterval[];
}

/** How far back is to be erased: what is older than `before`, not beyond the place `last`, in portions of about `most` rows. */
interface CutRequest {
  readonly before: number;
  readonly last: number;
  readonly most: number;
}

/** An operation in a list, with how much there is to tell of it. */
export interface OperationSummary {
  readonly operation: OperationRow;
  readonly sources: number;
  readonly refusals: number;
  /** Its rows of reads may have been erased to save room: `sources` tells only those that are left. */
  readonly isThinned: boolean;
}

/** Which operations are wanted; all where nothing is said. */
export interface OperationFilter {
  readonly actorId?: string;
  /** Name of a tool that was used or refused. */
  readonly tool?: string;
  /** Only those in which something was refused. */
  readonly isRefused?: boolean;
  /** Opened at this time or later. */
  readonly since?: number;
}

/** Rows of one operation's reads that were erased to save room. */
export interface ErasedReads {
  /** Null where it is only known that some may have been erased. */
  readonly rows: number | null;
  readonly erasedAt: number;
}

/** Whole operations that were erased, with all their rows. */
export interface ErasedOperations {
  /** Those that ended before this time were pruned; null when none were. */
  readonly prunedBefore: number | null;
  /** How many had nothing but reads and were erased to save room. */
  readonly thinned: number;
}

/** That a message of the bot's was sent within an operation. */
export interface SentMessage {
  readonly client: string;
  readonly actorId: string;
  readonly channelId: string;
  /** It is an answer of the agent's own, which follows its sources. */
  readonly isAnswer: boolean;
}

/** Keeps rows and their chain; knows no key. Failures are `unavailable`, except where a method says otherwise. */
export interface AuditStore {
  /** Null when that chain was not begun. */
  ends(chain: number): Promise<ChainEnds | null>;
  /** The ends of every chain, in the order of their places. Empty also where one is not in its place. */
  allEnds(): Promise<readonly ChainEnds[]>;
  /**
   * All of it or nothing, and it outlives the process. Throws `misconfigured` when the ends are not those of `after`: somebody else
   * writes the same chain. Beginning a chain throws the same where there are rows already.
   */
  write(change: ChainChange): Promise<void>;
  /**
   * The end of a beginning of the chain that is older than `before` and holds only whole operations; the longest one within the
   * portion, or the next one after it. Null when there is none.
   */
  findCut(request: CutRequest): Promise<ChainPoint | null>;
  /** Bytes in use on disk, without what can be written to again. */
  size(): Promise<number>;
  /** A page of operations of one chain after a place, in their order. Empty after the last. */
  readUsage(request: { after: number; limit: number }): Promise<readonly ReadUsage[]>;
  /** The oldest of a client's rows that can be thinned. Null when no operation is left to look at; a batch may be without intervals. */
  findThinnable(request: ThinRequest): Promise<ThinBatch | null>;
  /** The latest events that belong to no operation, such as `pruned` and `thinned`, newest first. */
  housekeeping(limit: number): Promise<readonly EventRow[]>;
  /** All events of one name, within operations and without. */
  eventsNamed(name: string): Promise<readonly EventRow[]>;
  /** Everything about one operation, in the order in which it was noted. Empty when there is nothing. */
  operation(id: string): Promise<readonly AuditEntry[]>;
  /** Null when no row of its reads was erased, and for an operation that is not there. */
  erasedReads(operationId: string): Promise<ErasedReads | null>;
  erasedOperations(): Promise<ErasedOperations>;
  /** Newest first; only those that the filter wants. */
  latest(limit: number, filter?: OperationFilter): Promise<readonly OperationSummary[]>;
  /** The operations of these clients that ended after a time, or have not yet, in the order in which they were opened. */
  operationsSince(request: { since: number; clients: readonly string[] }): Promise<readonly OperationRow[]>;
  /** Within which operations a message was sent, or found to have been. Empty for what is not known, or was pruned. */
  sent(messageId: string): Promise<readonly SentMessage[]>;
  /** One moment of everything, whatever is written meanwhile. It must be closed. */
  openSnapshot(): Promise<AuditSnapshot>;
}

/** Shows what is there as it is, also where it makes no sense. Places may be infinite. Both are in the order of the places. Throws for what cannot be read. */
export interface AuditSnapshot {
  readonly allEnds: readonly ChainEnds[];
  /** In the order of their places. */
  thinned(): Promise<readonly ThinnedInterval[]>;
  links(from: number, to: number): Promise<readonly ChainLink[]>;
  rows(kind: AuditKind, from: number, to: number): Promise<readonly RowText[]>;
  /** Safe to repeat. */
  close(): Promise<void>;
}

/** The text is what `JSON.stringify` makes of the stored row: that is what is hashed. */
export type RowText = readonly [seq: number, text: string];

export type ChainLink = readonly [seq: number, kind: string, hash: string];
