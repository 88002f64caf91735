/** Text that every database can store: none stores halves of surrogate pairs, and PostgreSQL stores no NUL. Idempotent. */
export function toStorable(text: string): string {
  return text.isWellFormed() && !text.includes("\0") ? text : text.toWellFormed().replaceAll("\0", "\ufffd");
}

/** NUL, and halves of surrogate pairs, after any number of escaped backslashes. */
const ESCAPED = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gi;

/** The same for JSON, in which PostgreSQL rejects their escaped forms. */
export function toStorableJson(json: string): string {
  return toStorable(json.includes("\\u") ? json.replaceAll(ESCAPED, "$1\\ufffd") : json);
}
