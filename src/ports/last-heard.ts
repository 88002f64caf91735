/** When this bot was last known to hear everything, kept across restarts, so that what happened in between can be named. */
export interface LastHeard {
  /** Null when nothing was ever saved for this bot; 0 when something was, but it cannot be read: then anything may have been missed. */
  load(botId: string): Promise<number | null>;
  /** Resolves once it is on disk. Safe to repeat and to overlap; the latest counts. A value that is lost only makes the next gap longer. */
  save(botId: string, at: number): Promise<void>;
}
