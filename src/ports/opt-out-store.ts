/** Keeps who opted out, as keyed hashes; it never sees an id. Failures are `unavailable`. */
export interface OptOutStore {
  load(): Promise<readonly string[]>;
  /** Durable when it resolves. Adding a hash again changes nothing. */
  add(hash: string, at: number): Promise<void>;
  /** Does nothing if there is none. */
  remove(hash: string): Promise<void>;
}
