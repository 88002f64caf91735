export const MAX_CONTENT_CHARACTERS = 300;
const MAX_NAME_CHARACTERS = 64;
const MAX_INPUT_CHARACTERS = 100;

/** All brackets except those common in people's writing that do not resemble Earshot's. They become `[` and `]`. */
const OPENER = /[[\p{Ps}\u23a1-\u23a3]--[\(\[\{（｛「『《〈‚„〝]]/gv;
const CLOSER = /[[\p{Pe}\u23a4-\u23a6]--[\)\]\}）｝」』》〉〞〟]]/gv;

/** Text that looks like the start of a block line, with or without a handle: `m7 [now] Sarah:`. */
const HEADING = /(^|⏎)( *(?:\p{L}{0,2}\p{N}{1,6}|-)? *)\[(?=[^\]⏎]{0,40}\](?: [^⏎:]{1,80})?:)/gu;

/** The same without a time, where it looks like a line of its own: `⏎m8 Sarah:`. */
const BARE_HEADING = /(⏎ *[mfp])(\d{1,6}(?: [^⏎:]{1,80})?:)/giu;

const COLON =
  /[:\u02d0\u02f8\u0589\u05c3\u0703\u0704\u16ec\u1803\u1809\u205a\u2236\ua4fd\ua789\ufe13\ufe30\ufe55\uff1a]/g;
const QUOTE = /["\u00ab\u00bb\u02ba\u02ee\u05f4\u201a\u201c-\u201f\u2033\u2036\u275d\u275e\u301d-\u301f\uff02]/g;
const SINGLE_QUOTE = /['\u2018\u2019\u201b\u2032\uff07]/g;

/** Created on first use, because it is slow. */
let segmenter: Intl.Segmenter | null = null;

/** Escapes content for use in one line of a block: it cannot imitate the frame of the block, a line of it, or its brackets. */
export function escapeContent(content: string, nonce: string | null, maxCharacters = MAX_CONTENT_CHARACTERS): string {
  const text = escapeBrackets(singleLine(content))
    .replace(/\[(?=\[)/g, "[ ")
    .replace(/\](?=\])/g, "] ")
    .replace(HEADING, "$1$2(")
    .replace(BARE_HEADING, "$1 $2");
  return cutMiddle(escapeFences(escapeNonce(text, nonce)).trim(), maxCharacters);
}

/** Escapes content in double quotes that it cannot close. */
export function quoteContent(content: string, nonce: string | null, maxCharacters = MAX_CONTENT_CHARACTERS): string {
  return `"${escapeContent(content.replace(QUOTE, "'"), nonce, maxCharacters)}"`;
}

/** Escapes a whole text and keeps its line breaks: no block can begin or end in it. */
export function escapeLines(words: string, nonce: string | null): string {
  const lines = words.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/).map(singleLine);
  return escapeNonce(escapeBrackets(lines.join("\n")), nonce);
}

/** Removes brackets, colons and double quotes from a name: they mark where a name ends in its line. */
export function escapeName(name: string, nonce: string | null): string {
  const text = escapeBrackets(singleLine(name).replace(QUOTE, "'"))
    .replace(/[\p{Ps}]/gu, "{")
    .replace(/[\p{Pe}]/gu, "}")
    .replace(COLON, ";")
    .replace(/[⏎ ]+/g, " ");
  return cutMiddle(escapeFences(escapeNonce(text, nonce)).trim(), MAX_NAME_CHARACTERS) || "(no name)";
}

/** A name for use in Earshot's own sentences: one word as it is, anything else in double quotes that it cannot close. */
export function quoteName(name: string, nonce: string | null = null): string {
  const line = escapeBrackets(singleLine(name).replace(QUOTE, "'")).replace(/[⏎ ]+/g, " ");
  const text = cutMiddle(escapeFences(escapeNonce(line, nonce)).trim(), MAX_NAME_CHARACTERS);
  // One word may contain emoji, and is neither a handle nor an id. Not a constant, because compiling the list of all emoji would delay the
  // start.
  const isOneWord = /^(?![MFPmfp]?\d+$)(?![.'’\-])[\p{L}\p{N}\p{M}_.'’\-\p{RGI_Emoji}]+$/v.test(text);
  return isOneWord ? text : `"${text}"`;
}

/** A caller's input for use in Earshot's own sentences, in quotation marks that it cannot close. */
export function quoteInput(input: string, mark: "'" | '"' = "'"): string {
  const line = escapeBrackets(singleLine(input.slice(0, MAX_INPUT_CHARACTERS)));
  return mark + (mark === "'" ? line.replace(SINGLE_QUOTE, "’") : line.replace(QUOTE, "'")) + mark;
}

/** Also removes combining marks on brackets: they could make it look like another bracket. */
function escapeBrackets(text: string): string {
  return text
    .replace(OPENER, "[")
    .replace(CLOSER, "]")
    .replace(/([[\]])\p{M}+/gu, "$1");
}

function escapeFences(text: string): string {
  return text.replace(/`{3,}/g, "`").replace(/~{3,}/g, "~");
}

const DIGITS = /^[0-9]+$/;

function escapeNonce(text: string, nonce: string | null): string {
  // Most texts contain no nonce, and compiling an expression for each takes longer than everything else. Digits have no upper case.
  if (nonce === null || (DIGITS.test(nonce) && !text.includes(nonce))) return text;
  return text.replace(new RegExp(`${nonce}\\p{M}*`, "giu"), "…");
}

/** Keeps the beginning (two thirds) and the end (one third) with … between, and cuts only between user-perceived characters. */
function cutMiddle(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const head = Math.floor(((maxCharacters - 1) * 2) / 3);
  const tail = text.length - (maxCharacters - 1 - head);
  const segments = graphemesOf(text);
  const atTail = segments.containing(tail) ?? { index: tail, segment: "" };
  const end = segments.containing(head)?.index ?? head;
  const start = atTail.index === tail ? tail : atTail.index + atTail.segment.length;
  return `${text.slice(0, end)}…${text.slice(start)}`;
}

/** The maximum of combining marks on one letter. Real scripts need up to six; more would cover neighbouring lines. */
const MAX_MARKS = 6;

const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

/** Spaces of every width, and characters that look like one. */
const SPACE = /[\t\p{Zs}\u2800]/gu;

/** Emoji built with a joiner or a variation selector; nothing else needs these characters. */
const EMOJI = String.raw`\p{ExtPict}(?:[\ufe0e\ufe0f]|\p{EMod})?(?:\u200d\p{ExtPict}(?:[\ufe0e\ufe0f]|\p{EMod})?)*|[\d#*]\ufe0f\u20e3`;

/** Control, bidi and invisible characters, without the format characters of Arabic, which are visible. */
const INVISIBLE = String.raw`[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]--[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]`;

const EMOJI_OR_INVISIBLE = new RegExp(`(${EMOJI})|${INVISIBLE}`, "gv");
const NO_CHARACTER = /\p{Noncharacter_Code_Point}/gu;
const PILED_MARKS = new RegExp(String.raw`(\p{M}{${MAX_MARKS}})\p{M}+`, "gu");

/** One line without control or invisible characters: nothing in it can fool a terminal or a reader. Line breaks become ⏎. Idempotent. */
export function singleLine(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  return text
    .toWellFormed()
    .replace(LINE_BREAK, "⏎")
    .replace(SPACE, " ")
    .replace(NO_CHARACTER, "\ufffd")
    .replace(EMOJI_OR_INVISIBLE, "$1")
    .replace(PILED_MARKS, "$1");
}

/** User-perceived characters. */
export function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}
