/** How the tokens of a model's context are shared out. Servers such as Ollama silently cut the front off a longer prompt: first of all, the rules. */
export interface ContextBudget {
  readonly tier: "small" | "full";
  /** What may be sent at most. */
  readonly inputTokens: number;
  readonly toolTokens: number;
  /** The window of recent talk and the facts, together. */
  readonly windowTokens: number;
  /** For each result of a tool. */
  readonly resultTokens: number;
  readonly outputTokens: number;
  /** The question, with what is attached to it. */
  readonly questionTokens: number;
  readonly maxPictures: number;
  readonly maxSteps: number;
}

/** A model with less room gets few tools, and few steps. */
const FULL_TIER_TOKENS = 16_384;
const DEFAULT_TOKENS = 4_096;
/** For a model of the default size; others get more or less in proportion. */
const SHARES = { tools: 1_000, window: 1_000, result: 600, output: 600, question: 500 };
/** Every tool there is. */
const ALL_TOOLS_TOKENS = 6_000;
/** More room than this makes answers slower and dearer, not better. */
const MAX_SCALE = 8;
const MAX_OUTPUT_TOKENS = 2_000;
/** What a picture takes in most models. */
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
