import type { Spending } from "../../policy/spending.ts";
import type { SpentTokens } from "../../ports/operation-spending.ts";

/** Per million tokens, in the operator's currency. */
export interface Prices {
  readonly input: number;
  readonly output: number;
}

export interface SpentSource extends Pick<Spending, "totals"> {
  /** Null if they are not configured. */
  readonly prices: Prices | null;
}

/** In the currency of the prices; null without prices. */
export function priceTokens({ inputTokens, outputTokens }: SpentTokens, prices: Prices | null): number | null {
  return prices && (inputTokens * prices.input + outputTokens * prices.output) / 1_000_000;
}
