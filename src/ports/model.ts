/** A language model. The prompt goes to the operator of the server; the answer is plain text and proves nothing. */
export interface Model {
  /** Tokens that it holds, prompt and answer together. A longer prompt would be cut, at its beginning. Any length when absent. */
  readonly contextTokens?: number;
  /**
   * Answers once. Not the same twice, and each time it is paid for. Throws an `EarshotError` and nothing else: `rate_limited` (with
   * `retryAfter` where that is known), `timeout` when it takes too long, `cancelled` when the signal says so, and `unavailable` for all other
   * ways to fail. Does not try again by itself.
   */
  generate(request: GenerateRequest): Promise<Generation>;
}

export interface GenerateRequest {
  /** Our own words. Others' words belong into the prompt, in a block. */
  readonly system: string;
  readonly prompt: string;
  readonly maxOutputTokens: number;
  /** One that aborts because of its own timeout makes `timeout` of it. */
  readonly signal?: AbortSignal;
}

interface Generation {
  /** Without what the model thought aloud; empty when it said nothing. Breaks off where it had no more room. */
  readonly text: string;
  /** As counted by the server; our own upper estimate where it does not say. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}
