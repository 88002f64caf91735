/** By this sign somebody asks to be answered in isolation: without the window, without memory, and without being remembered. */
const ISOLATION = "🚫";

export function shouldSkipContext(content: string): boolean {
  return content.includes(ISOLATION);
}

/** What was asked, without the sign, which is not meant for the model. */
export function withoutIsolationSign(content: string): string {
  return content.replaceAll(/ *🚫\ufe0f? */gu, " ").trim();
}
