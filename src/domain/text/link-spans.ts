import { findLinks } from "./links.ts";

/** A range of text, from `start` up to but without `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

export interface LinkSpan extends Span {
  /** The URL alone. */
  readonly link: Span;
}

/** How far to look for the brackets of `[text](url "title")` around the URL. */
const MAX_MASK_CHARACTERS = 1_500;

/**
 * The position of each link, with everything that a client parses together with it: brackets, markdown and the like up to the next white space,
 * and all of `[text](url)`. A text cut inside this range could contain a different link.
 */
export function linkSpans(text: string): LinkSpan[] {
  return findLinks(text).map(({ start, readings }) => {
    const end = start + Math.max(...readings.map(({ length }) => length));
    const from = maskStart(text, start) ?? start;
    const to = from === start ? end : maskEnd(text, end);
    return { start: wordStart(text, from), end: wordEnd(text, to), link: { start, end } };
  });
}

function wordStart(text: string, from: number): number {
  let start = from;
  while (start > 0 && !/[ \t\n\v\f\r]/.test(text.charAt(start - 1))) start -= 1;
  return start;
}

function wordEnd(text: string, from: number): number {
  const length = /[ \t\n\v\f\r]/.exec(text.slice(from))?.index;
  return length === undefined ? text.length : from + length;
}

/** The position of the `[` of `[text](`, if the link follows one. */
function maskStart(text: string, linkStart: number): number | null {
  const target = /\]\(\s*<?$/.exec(text.slice(Math.max(0, linkStart - 64), linkStart));
  if (!target) return null;
  let depth = 1;
  const close = linkStart - target[0].length;
  for (let index = close - 1; index >= Math.max(0, close - MAX_MASK_CHARACTERS); index -= 1) {
    const sign = text.charAt(index);
    depth += sign === "]" ? 1 : sign === "[" ? -1 : 0;
    if (depth === 0) return index;
  }
  return null;
}

/** The position after the closing `)`, which may follow a title. */
function maskEnd(text: string, linkEnd: number): number {
  const close = text.slice(linkEnd, linkEnd + MAX_MASK_CHARACTERS).search(/\)/);
  return close < 0 ? linkEnd : linkEnd + close + 1;
}
