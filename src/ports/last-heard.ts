/** The time up to which each shard of this bot received every event, kept across restarts, so that the gap can be reported. `shard`: its
 * number, and the number of shards. */
export interface LastHeard {
  /** Null if nothing was ever saved for this bot. A shard without a value, as after their number changed, gets the earliest value of
   * all. Throws `unavailable`. */
  load(botId: string, shard: readonly [id: number, count: number]): Promise<number | null>;
  /** Safe to repeat and to overlap; the latest value counts. A lost value only makes the next gap longer. Throws `unavailable`. */
  save(botId: string, shard: readonly [id: number, count: number], at: number): Promise<void>;
}
