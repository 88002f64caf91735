const CODE = /```[\s\S]+?```|(?<!`)(`{1,2})(?!`)[\s\S]+?(?<!`)\1(?!`)/g;

/** Markdown without code blocks and spans, in which Discord ignores mentions. */
export function withoutCode(text: string): string {
  return text.replaceAll(CODE, " ");
}
