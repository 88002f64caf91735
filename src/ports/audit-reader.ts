import type { AuditStore } from "./audit-store.ts";
import type { RestoreNote } from "./restore-store.ts";

/** What became of checking the chain. `thinned` rows were erased by Earshot to save room. `at` is the place of the first thing that is wrong. */
export type AuditVerification =
  | { readonly ok: true; readonly rows: number; readonly thinned: number; readonly head: string }
  | { readonly ok: false; readonly at: number; readonly problem: string };

/** For those who only look at the audit, beside the running program. Throws `unavailable` where it cannot be read. */
export interface AuditReader
  extends Pick<AuditStore, "latest" | "housekeeping" | "operation" | "erasedReads" | "erasedOperations"> {
  /** Whether every row is there, unaltered and in its place. With a head that was noted earlier: whether it still is in the chain. */
  verify(head?: string): Promise<AuditVerification>;
  /** When files of the data folder were put back from a backup, the oldest first: what was noted since the backup is missing from the chain. */
  restores(): Promise<readonly RestoreNote[]>;
  /** Safe to repeat. */
  close(): Promise<void>;
}
