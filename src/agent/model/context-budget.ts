/** The token budgets of a model's context. Servers such as Ollama silently cut the start of a longer prompt, which contains the rules. */
export interface ContextBudget {
  readonly tier: "small" | "full";
  /** Maximum input of a step. */
  readonly inputTokens: number;
  readonly toolTokens: number;
  /** The context window and the facts, together. */
  readonly windowTokens: number;
  /** Per tool result. */
  readonly resultTokens: number;
  readonly outputTokens: number;
  /** The question, with its attachments. */
  readonly questionTokens: number;
  readonly maxPictures: number;
  readonly maxSteps: number;
}

/** A model with a smaller context gets few tools and few steps. */
const FULL_TIER_TOKENS = 16_384;
const DEFAULT_TOKENS = 4_096;
/** For a model of the default size; others are scaled proportionally. */
const SHARES = { tools: 1_000, window: 1_000, result: 600, output: 600, question: 500 };
/** Enough for all tools. */
const ALL_TOOLS_TOKENS = 6_000;
/** Larger budgets make answers slower and costlier, not better. */
const MAX_SCALE = 8;
const MAX_OUTPUT_TOKENS = 2_000;
/** Tokens per picture in most models. */
export const PICTURE_TOKENS = 800;
const MAX_PICTURES = 4;

export function toContextBudget(contextTokens: number): ContextBudget {
  const scale = Math.min(contextTokens / DEFAULT_TOKENS, MAX_SCALE);
  const share = (tokens: number) => Math.floor(tokens * scale);
  const outputTokens = Math.min(share(SHARES.output), MAX_OUTPUT_TOKENS);
  const isFull = contextTokens >= FULL_TIER_TOKENS;
  return {
    tier: isFull ? "full" : "small",
    inputTokens: contextTokens - outputTokens,
    toolTokens: isFull ? Math.max(share(SHARES.tools), ALL_TOOLS_TOKENS) : share(SHARES.tools),
    windowTokens: share(SHARES.window),
    resultTokens: share(SHARES.result),
    outputTokens,
    questionTokens: share(SHARES.question),
    maxPictures: Math.min(MAX_PICTURES, Math.max(1, Math.floor(contextTokens / 4 / PICTURE_TOKENS))),
    maxSteps: isFull ? 8 : 4,
  };
}
