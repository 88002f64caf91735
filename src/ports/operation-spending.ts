/** What the calls of a model within one operation may use. */
export interface OperationSpending {
  /**
   * Counts these tokens at once, for the answer, the person and the server. Throws `rate_limited`, and counts nothing, when a limit would be passed;
   * the message says which, and `retryAfter` when it ends, where waiting helps.
   */
  reserve(tokens: number): Reservation;
}

export interface Reservation {
  /** Replaces the reserved tokens by those that were used. Only the first call counts. Without any, the reserved tokens stay spent. */
  settle(usage: SpentTokens): void;
}

export interface SpentTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
}
