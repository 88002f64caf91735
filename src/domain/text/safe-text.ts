import { toLine } from "./render.ts";

const LONGEST_CONTENT = 300;
const LONGEST_NAME = 64;

/** Openers and closers that are at home in people's writing and resemble none of ours. All others become `[` and `]`. */
const OPENER = /[[\p{Ps}\u23a1-\u23a3]--[\(\[\{（｛「『《〈‚„〝]]/gv;
const CLOSER = /[[\p{Pe}\u23a4-\u23a6]--[\)\]\}）｝」』》〉〞〟]]/gv;

/** The beginning of one of our lines, perhaps with a handle: `m7 [now] Sarah:`. */
const HEADING = /(^|⏎)( *(?:\p{L}{0,2}\p{N}{1,6}|-)? *)\[(?=[^\]⏎]{0,40}\](?: [^⏎:]{1,80})?:)/gu;

const COLON =
  /[:\u02d0\u02f8\u0589\u05c3\u0703\u0704\u16ec\u1803\u1809\u205a\u2236\ua4fd\ua789\ufe13\ufe30\ufe55\uff1a]/g;
const QUOTE = /["\u00ab\u00bb\u02ba\u02ee\u05f4\u201a\u201c-\u201f\u2033\u2036\u275d\u275e\u301d-\u301f\uff02]/g;

const SEGMENTER = new Intl.Segmenter();

/** Content that cannot be taken for a part of the block around it. */
export function toSafeContent(content: string, nonce: string): string {
  const text = withPlainBrackets(toLine(content))
    .replace(/\[(?=\[)/g, "[ ")
    .replace(/\](?=\])/g, "] ")
    .replace(HEADING, "$1$2(");
  return cut(withoutFences(withoutNonce(text, nonce)).trim(), LONGEST_CONTENT) || "(no text)";
}

/** Somebody's own words in full, line by line, in which no block can begin or end. */
export function toSafeWords(words: string, nonce: string): string {
  const lines = words.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/).map(toLine);
  return withoutNonce(withPlainBrackets(lines.join("\n")), nonce);
}

/** A name without brackets, colons and double quotes, which are what sets a name off from the rest of its line. */
export function toSafeName(name: string, nonce: string): string {
  const text = withPlainBrackets(toLine(name).replace(QUOTE, "'"))
    .replace(/[\p{Ps}]/gu, "{")
    .replace(/[\p{Pe}]/gu, "}")
    .replace(COLON, ";")
    .replace(/[⏎ ]+/g, " ");
  return cut(withoutFences(withoutNonce(text, nonce)).trim(), LONGEST_NAME) || "(no name)";
}

/** Marks on a bracket could make another one of it. */
function withPlainBrackets(text: string): string {
  return text
    .replace(OPENER, "[")
    .replace(CLOSER, "]")
    .replace(/([[\]])\p{M}+/gu, "$1");
}

function withoutFences(text: string): string {
  return text.replace(/`{3,}/g, "`").replace(/~{3,}/g, "~");
}

function withoutNonce(text: string, nonce: string): string {
  return text.replace(new RegExp(`${nonce}\\p{M}*`, "giu"), "…");
}

/** The beginning and the end, two thirds to one, with … between; no user-perceived character is torn, and one that has no room is left out. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.floor(((most - 1) * 2) / 3);
  const tail = text.length - (most - 1 - head);
  const segments = SEGMENTER.segment(text);
  const atTail = segments.containing(tail) ?? { index: tail, segment: "" };
  const end = segments.containing(head)?.index ?? head;
  const start = atTail.index === tail ? tail : atTail.index + atTail.segment.length;
  return `${text.slice(0, end)}…${text.slice(start)}`;
}
