/** A pasted token, without what is often copied along: spaces around it, quotes, and the word "Bot" of the HTTP header. */
export function cleanBotToken(pasted: string): string {
  return pasted
    .trim()
    .replace(/^(["'`])(.*)\1$/s, "$2")
    .trim()
    .replace(/^bot\s+/i, "");
}

/** Whether an HTTP header can carry it. Only Discord can say whether it is a token. */
export function isBotToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
