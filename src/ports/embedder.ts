/** Turns texts into vectors: the closer two of them point, the closer the texts in meaning. The texts travel to the server that runs it. */
export interface Embedder {
  /** The same for as long as its vectors can be compared with each other. Fit for a log. */
  readonly id: string;
  /**
   * One vector per text, in their order, all equally long and of finite numbers; only zeros where a text has no meaning. No texts, no vectors.
   * Long texts may be cut. The same text gives the same vector, about. Throws an `EarshotError` and nothing else: `rate_limited` (with
   * `retryAfter` where that is known), `timeout` when it takes too long, `cancelled` when the signal says so, and `unavailable` for all other
   * ways to fail. Does not try again by itself; calling twice is safe, and each time it is paid for.
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
}
