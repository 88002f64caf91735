/** By this sign somebody asks to be answered in isolation: without the window, without memory, and without being remembered. */
const ISOLATION = "🚫";

/** Only the person's own words count: a link preview or a forwarded message cannot ask for it. */
export function shouldSkipContext(typed: string): boolean {
  return typed.includes(ISOLATION);
}

/** What was asked, without the sign, which is not meant for the model. */
export function removeIsolationSign(content: string): string {
  return content.replaceAll(/ *🚫\ufe0f? */gu, " ").trim();
}
