import type { AuditStore } from "./audit-store.ts";
import type { RestoreNote } from "./restore-store.ts";

/** The result of verifying the chain. `thinned` rows were erased by Earshot to save space. `at` is the position of the first error. */
export type AuditVerification =
  | { readonly ok: true; readonly rows: number; readonly thinned: number; readonly head: string }
  | { readonly ok: false; readonly at: number; readonly problem: string };

/** Read-only access to the audit beside the running program. Throws `unavailable` if it cannot be read. */
export interface AuditReader
  extends Pick<AuditStore, "latest" | "housekeeping" | "operation" | "erasedReads" | "erasedOperations"> {
  /** Checks that every row is present, unaltered and in its position. With a head noted earlier, also checks that the chain still
   * contains it. */
  verify(head?: string): Promise<AuditVerification>;
  /** Restores of the data folder from a backup, the oldest first: the chain lacks the rows written between backup and restore. */
  restores(): Promise<readonly RestoreNote[]>;
  /** Safe to repeat. */
  close(): Promise<void>;
}
