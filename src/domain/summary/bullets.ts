import type { MessageId } from "../ids.ts";
import { estimateTokens } from "../text/tokens.ts";

/** One point of a summary, and the messages it rests on. */
export interface Bullet {
  /** One line. Holds others' words: it is to be shown as such. */
  readonly text: string;
  readonly cites: readonly MessageId[];
}

/** What a handle costs, with the comma before it, and what a line costs besides. */
const CITE_TOKENS = 5;
const LINE_TOKENS = 4;

/** About what a bullet costs when it is shown with handles: an upper estimate. */
export function bulletTokens({ text, cites }: Bullet): number {
  return estimateTokens(text) + cites.length * CITE_TOKENS + LINE_TOKENS;
}

/** The first bullets, as far as there is room. */
export function fitBullets(bullets: readonly Bullet[], maxTokens: number): Bullet[] {
  let room = maxTokens;
  const end = bullets.findIndex((bullet) => {
    room -= bulletTokens(bullet);
    return room < 0;
  });
  return bullets.slice(0, end < 0 ? bullets.length : end);
}
