import type { MessageId } from "../ids.ts";
import { estimateTokens } from "../text/tokens.ts";

/** One point of a summary, and the messages it cites. */
export interface Bullet {
  /** One line. Contains text that others wrote, so it must be presented as untrusted. */
  readonly text: string;
  readonly cites: readonly MessageId[];
}

/** The cost of a handle with the comma before it, and of the rest of the line. */
const CITE_TOKENS = 5;
const LINE_TOKENS = 4;

/** An upper estimate of the cost of a bullet with its handles. */
export function bulletTokens({ text, cites }: Bullet): number {
  return estimateTokens(text) + cites.length * CITE_TOKENS + LINE_TOKENS;
}

/** The first bullets that fit. */
export function fitBullets(bullets: readonly Bullet[], maxTokens: number): Bullet[] {
  let remaining = maxTokens;
  const end = bullets.findIndex((bullet) => {
    remaining -= bulletTokens(bullet);
    return remaining < 0;
  });
  return bullets.slice(0, end < 0 ? bullets.length : end);
}
