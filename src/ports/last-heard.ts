/** When this bot was last known to hear everything, kept across restarts, so that what happened in between can be named. */
export interface LastHeard {
  /** Null when nothing was ever saved for this bot, or it cannot be read. */
  load(botId: string): Promise<number | null>;
  /** Safe to repeat. A value that is lost only makes the next reported gap longer. */
  save(botId: string, at: number): Promise<void>;
}
