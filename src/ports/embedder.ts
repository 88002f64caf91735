/** Turns texts into vectors whose closeness reflects closeness in meaning. The texts are sent to the model server. */
export interface Embedder {
  /** Equal as long as vectors are comparable. Safe to log. */
  readonly id: string;
  /**
   * One vector per text, in their order, all equally long and finite; all zeros if a text has no meaning. No texts, no vectors. Long texts
   * may be cut. The same text gives nearly the same vector. Throws only `EarshotError`: `rate_limited` (with `retryAfter` if known),
   * `timeout`, `cancelled` when the signal aborts, and `unavailable` for all other failures. Never retries; calling twice is safe but costs
   * twice.
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
}
