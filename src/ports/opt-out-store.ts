/** Keeps who wants to be left out. It never sees an id, only a keyed hash of it. Failures are `unavailable`. */
export interface OptOutStore {
  /** All hashes. */
  load(): Promise<readonly string[]>;
  /** Written to the disk when it returns. Adding one again changes nothing. */
  add(hash: string, at: number): Promise<void>;
  /** Nothing happens when there is none. */
  remove(hash: string): Promise<void>;
}
