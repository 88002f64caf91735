/** A person adds this emoji to request an isolated answer: without the context window, without memory, and without being remembered. */
const ISOLATION = "🚫";

/**
 * Whether a person asks for an answer without context. Pass typed text only: a link preview or a forwarded message cannot ask for isolation.
 *
 * @example
 * import { shouldSkipContext } from "earshot";
 *
 * console.log(shouldSkipContext("🚫 what is a sextant?")); // true
 */
export function shouldSkipContext(typed: string): boolean {
  return typed.includes(ISOLATION);
}

/** Removes the emoji, which is not meant for the model. */
export function removeIsolationSign(content: string): string {
  return content.replaceAll(/ *🚫\ufe0f? */gu, " ").trim();
}
