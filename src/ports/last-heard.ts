/** When each shard of this bot was last known to hear everything, kept across restarts, so that what happened in between can be named. `shard`: its number, and how many there are. */
export interface LastHeard {
  /** Null when nothing was ever saved for this bot. The earliest of all where nothing was for this shard, as after their number changed. Throws `unavailable`. */
  load(botId: string, shard: readonly [id: number, count: number]): Promise<number | null>;
  /** Safe to repeat and to overlap; the latest counts. A value that is lost only makes the next gap longer. Throws `unavailable`. */
  save(botId: string, shard: readonly [id: number, count: number], at: number): Promise<void>;
}
