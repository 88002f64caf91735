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
