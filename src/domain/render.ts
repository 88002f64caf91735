/** Characters that could move the cursor, hide text, turn its direction or break a line. U+200D joins emoji and stays. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to catch
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu;

/** One line that shows what is there: line breaks as ⏎, nothing that a terminal or a reader could be fooled by. */
export function toLine(text: string): string {
  return text
    .replace(/\r\n|[\r\n\u2028\u2029]/g, "⏎")
    .replaceAll("\t", " ")
    .replace(UNSAFE, "");
}

export interface Names {
  user(id: string): string | undefined;
  channel(id: string): string | undefined;
  role(id: string): string | undefined;
}

/** Puts names in the place of mention tokens, where they are known to whoever is going to read. */
export function withNames(content: string, names: Names): string {
  return content
    .replace(/<@!?(\d{1,20})>/g, (token, id: string) => prefixed("@", names.user(id)) ?? token)
    .replace(/<#(\d{1,20})>/g, (token, id: string) => prefixed("#", names.channel(id)) ?? token)
    .replace(/<@&(\d{1,20})>/g, (token, id: string) => prefixed("@", names.role(id)) ?? token)
    .replace(/<a?:(\w{1,40}):\d{1,20}>/g, ":$1:");
}

function prefixed(sign: string, name: string | undefined): string | undefined {
  return name === undefined ? undefined : sign + name;
}
