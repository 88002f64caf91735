const CODE = /```[\s\S]+?```|(?<!`)(`{1,2})(?!`)[\s\S]+?(?<!`)\1(?!`)/g;

/** Markdown without its blocks and spans of code. Discord reads no mention in those. */
export function withoutCode(text: string): string {
  return text.replaceAll(CODE, " ");
}
