/** That files of the data folder were put back from a backup. */
export interface RestoreSpan {
  readonly restored_at: number;
  /** When the backup was made: what happened in between is missing from what was put back. */
  readonly backup_at: number;
  /** Which files. Without an older earshot.db nothing is missing but facts that lost their keys. */
  readonly replaced: "database" | "keys" | "both";
}

export interface RestoreNote extends RestoreSpan {
  /** Facts that were added up to this time come from the backup; 0 for none. */
  readonly facts_until: number;
}

/** Keeps when the data folder was restored, for good. Failures are `unavailable`. */
export interface RestoreStore {
  /** The oldest first. */
  list(): Promise<readonly RestoreNote[]>;
  /** Written to the disk when it returns. */
  add(note: RestoreNote): Promise<void>;
}

/** Facts up to this time come from an older earshot.db: opt-outs, corrections and perhaps endings since then are missing. 0 where there was no such restore. */
export function factsRestoredUntil(notes: readonly RestoreNote[]): number {
  return Math.max(0, ...notes.map(({ facts_until }) => facts_until));
}

export function isOlderDatabase({ replaced }: RestoreSpan): boolean {
  return replaced !== "keys";
}
