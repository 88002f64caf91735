/** A language model. The prompt is sent to the operator of its server; the answer is untrusted plain text. */
export interface Model {
  /** Context length in tokens, for prompt and answer together; unlimited when absent. The server would cut the beginning of a longer
   * prompt. */
  readonly contextTokens?: number;
  /**
   * Answers once. Each call costs tokens, and no two answers are equal. Throws only `EarshotError`: `rate_limited` (with `retryAfter` if
   * known), `timeout`, `cancelled` when the signal aborts, and `unavailable` for all other failures. Never retries.
   */
  generate(request: GenerateRequest): Promise<Generation>;
}

export interface GenerateRequest {
  /** Earshot's own words. Text by others belongs into the prompt, in a block. */
  readonly system: string;
  readonly prompt: string;
  readonly maxOutputTokens: number;
  /** A signal that aborts because of its own timeout gives `timeout`. */
  readonly signal?: AbortSignal;
}

interface Generation {
  /** Without the model's thinking; may be empty. Cut off at the token limit. */
  readonly text: string;
  /** As counted by the server; Earshot's own upper estimate if it does not say. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}
