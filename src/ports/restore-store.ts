/** A restore of files of the data folder from a backup. */
export interface RestoreSpan {
  readonly restored_at: number;
  /** Time of the backup: the restored files lack everything since then. */
  readonly backup_at: number;
  /** The files replaced. Unless earshot.db was replaced, only facts that lost their keys are missing. */
  readonly replaced: "database" | "keys" | "both";
}

export interface RestoreNote extends RestoreSpan {
  /** Facts added up to this time come from the backup; 0 for none. */
  readonly facts_until: number;
}

/** Keeps the times of restores permanently. Failures are `unavailable`. */
export interface RestoreStore {
  /** The oldest first. */
  list(): Promise<readonly RestoreNote[]>;
  /** Durable when it resolves. */
  add(note: RestoreNote): Promise<void>;
}

/** Facts up to this time come from an older earshot.db: opt-outs, corrections and perhaps deletions since the backup are missing. 0
 * without such a restore. */
export function factsRestoredUntil(notes: readonly RestoreNote[]): number {
  return Math.max(0, ...notes.map(({ facts_until }) => facts_until));
}

export function isOlderDatabase({ replaced }: RestoreSpan): boolean {
  return replaced !== "keys";
}
