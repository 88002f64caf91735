/** The token budget of the model calls within one operation. */
export interface OperationSpending {
  /**
   * Counts these tokens at once, for the answer, the person and the server. Throws `rate_limited`, and counts nothing, if that would exceed
   * a limit; the message names the limit, and `retryAfter` says when it ends, if waiting helps.
   */
  reserve(tokens: number): Reservation;
}

export interface Reservation {
  /** Replaces the reserved tokens by the used ones. Only the first call counts. Without a call, the reserved tokens stay spent. */
  settle(usage: SpentTokens): void;
}

export interface SpentTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
}
