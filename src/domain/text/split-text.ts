import { graphemesOf } from "./escape.ts";
import { defangLinks, extractLinks, findLinks, MAX_MESSAGE_CHARACTERS } from "./links.ts";

const FENCE = "```";

/**
 * Splits a long text into messages, at the best place near the end of each: between paragraphs, lines, sentences, words, and in any case between
 * user-perceived characters. A code block that must be split is closed and opened again, so that each part renders correctly. A link is not
 * split: the part ends before it. A link too long for any part is defanged, because half of a link is another link.
 */
export function splitText(text: string, maxCharacters = MAX_MESSAGE_CHARACTERS): string[] {
  const whole = text.trim();
  if (whole.length <= maxCharacters) return whole === "" ? [] : [whole];
  const links = new Set(extractLinks(text));
  return cutParts(whole, maxCharacters).flatMap((part) => {
    const same = defangLinks(part, (link) => links.has(link));
    return same.length <= maxCharacters ? [same] : splitText(same, maxCharacters);
  });
}

function cutParts(text: string, maxCharacters: number): string[] {
  const parts: string[] = [];
  for (let left = { rest: text, reopening: "" }; left.rest !== ""; ) {
    const { part, ...after } = cutPart(left, maxCharacters);
    parts.push(part);
    left = after;
  }
  return parts.filter((part) => part.trim() !== "");
}

/** The rest of a text; `reopening` opens the code block again in which it was cut. */
export interface TextLeft {
  readonly rest: string;
  readonly reopening: string;
}

/** The first part, and what follows. */
export function cutPart({ rest, reopening }: TextLeft, maxCharacters: number): TextLeft & { readonly part: string } {
  const available = maxCharacters - reopening.length;
  if (rest.length <= available) return { part: reopening + rest, rest: "", reopening: "" };
  const cut = cutPosition(rest, available - FENCE.length - 1, reopening !== "");
  const end = beforeLink(rest, cut, { available, reopening });
  const piece = reopening + rest.slice(0, end).trimEnd();
  const open = openFence(piece);
  return {
    part: open === null ? piece : `${piece}\n${FENCE}`,
    rest: rest.slice(end).replace(/^[ \t]*\n|^ +/, ""),
    reopening: open === null ? "" : `${FENCE}${open}\n`,
  };
}

/** The cut itself, or the start of the link that it would split; the end of a link that fills the whole part. */
function beforeLink(
  text: string,
  cut: number,
  { available, reopening }: { available: number; reopening: string },
): number {
  const within = linkSpans(text.slice(0, 2 * cut + MAX_MESSAGE_CHARACTERS)).filter(
    ({ start, end }) => start < cut && cut < end,
  );
  for (const { start, end, link } of within) {
    if (end - start <= available - FENCE.length - 1) return start > 0 ? start : end;
    if (start === 0 && end <= available && openFence(reopening + text.slice(0, end)) === null) return end;
    if (start > 0 && end - start <= available) return start;
    const isCut = link.start < cut && cut < link.end;
    if (isCut && link.start > 0 && link.end - link.start <= available) return link.start;
  }
  return cut;
}

/** The end of the last good break that fits. A code block that begins in the second half is moved to the next part whole. */
function cutPosition(text: string, available: number, insideFence: boolean): number {
  const window = text.slice(0, available);
  const lastFence = window.lastIndexOf(`\n${FENCE}`);
  if (!insideFence && lastFence > available / 2 && openFence(window) !== null) return lastFence + 1;
  for (const breaks of [/\n\n/g, /\n/g, /[.!?…。！？]["')\]]*\s/g, /\s/g]) {
    const last = [...window.matchAll(breaks)].at(-1);
    if (last && last.index + last[0].length > available / 2) return last.index + last[0].length;
  }
  return graphemeBoundary(text, available);
}

/** The last boundary of a user-perceived character up to `available`; one that alone exceeds it is split between code points. */
function graphemeBoundary(text: string, available: number): number {
  let boundary = 0;
  for (const { index } of graphemesOf(text.slice(0, available + 64))) {
    if (index > available) break;
    boundary = index;
  }
  if (boundary > 0) return boundary;
  const code = text.charCodeAt(available - 1);
  return code >= 0xd800 && code <= 0xdbff ? available - 1 : available;
}

/** The language of the code block that is still open at the end, "" without one; null when all are closed. */
function openFence(text: string): string | null {
  let open: string | null = null;
  for (const [, language = ""] of text.matchAll(/^```([\w+-]{0,20})/gm)) open = open === null ? language : null;
  return open;
}

/** A range of text, from `start` up to but without `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

interface LinkSpan extends Span {
  /** The URL alone. */
  readonly link: Span;
}

/** How far to look for the brackets of `[text](url "title")` around the URL. */
const MAX_MASK_CHARACTERS = 1_500;

/**
 * The position of each link, with everything that a client parses together with it: brackets, markdown and the like up to the next white space,
 * and all of `[text](url)`. A text cut inside this range could contain a different link.
 */
function linkSpans(text: string): LinkSpan[] {
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
