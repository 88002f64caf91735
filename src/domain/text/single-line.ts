/** How many marks may stand on one letter. Writing needs up to six; piles of them cover the lines around. */
const MAX_MARKS = 6;

const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

/** Spaces of every width, and what looks like one. */
const SPACE = /[\t\p{Zs}\u2800]/gu;

/** Emoji that are built with a joiner or a variation selector; nothing else needs these. */
const EMOJI = String.raw`\p{ExtPict}(?:[\ufe0e\ufe0f]|\p{EMod})?(?:\u200d\p{ExtPict}(?:[\ufe0e\ufe0f]|\p{EMod})?)*|[\d#*]\ufe0f\u20e3`;

/** What moves the cursor, turns the direction, or cannot be seen. The signs of Arabic that are format characters can be seen. */
const UNSEEN = String.raw`[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]--[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]`;

const EMOJI_OR_UNSEEN = new RegExp(`(${EMOJI})|${UNSEEN}`, "gv");
const NO_CHARACTER = /\p{Noncharacter_Code_Point}/gu;
const PILED_MARKS = new RegExp(String.raw`(\p{M}{${MAX_MARKS}})\p{M}+`, "gu");

/** One line that shows what is there: line breaks as ⏎, nothing that a terminal or a reader could be fooled by. Doing it twice changes nothing. */
export function singleLine(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  return text
    .toWellFormed()
    .replace(LINE_BREAK, "⏎")
    .replace(SPACE, " ")
    .replace(NO_CHARACTER, "\ufffd")
    .replace(EMOJI_OR_UNSEEN, "$1")
    .replace(PILED_MARKS, "$1");
}
