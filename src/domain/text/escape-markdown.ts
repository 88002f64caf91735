import { graphemesOf, singleLine } from "./escape.ts";

/**
 * Text that may stay unescaped: addresses without formatting characters, and mentions and emoji, which Discord shows to each reader by their own permissions.
 */
const WHOLE = /https?:\/\/[^\s<>[\]【】()*`|\\⏎]+|<(?:@[!&]?|#)\d{1,20}>|<a?:\w{2,32}:\d{1,20}>/g;
/** Brackets of both kinds make a citation of the agent's, beside what Discord makes of them. */
const FORMATS = /[\\`*_~|[\]【】<]/g;
/** Makes a heading, a list, small print or a quotation, but only where a line begins. */
const OPENS_A_LINE = /^(?:[#>+-]|\d{1,9}(?=\.))/;

/**
 * Others' words as one line of a message on Discord, cut to `maxLength`: nothing in it formats, hides or leads elsewhere than it says, and
 * no character, address or mention is torn apart.
 */
export function escapeMarkdown(text: string, maxLength: number): string {
  const kept: string[] = [];
  let length = 0;
  for (const piece of piecesOf(singleLine(text).trim())) {
    kept.push(piece);
    length += piece.length;
    if (length <= maxLength) continue;
    while (kept.length > 0 && length >= maxLength) length -= kept.pop()?.length ?? 0;
    return `${kept.join("")}…`;
  }
  return kept.join("");
}

/** Pieces of text that are shown together or not at all. */
function* piecesOf(line: string): Generator<string> {
  let end = 0;
  for (const { 0: whole, index } of line.matchAll(WHOLE)) {
    yield* charactersOf(line.slice(end, index), end === 0);
    yield whole;
    end = index + whole.length;
  }
  yield* charactersOf(line.slice(end), end === 0);
}

function* charactersOf(text: string, isStart: boolean): Generator<string> {
  const opening = isStart ? (OPENS_A_LINE.exec(text)?.[0] ?? "") : "";
  const rest = text.slice(opening.length);
  // A number makes a list by the dot behind it.
  if (opening !== "") yield /\d/.test(opening) ? `${opening}\\` : `\\${opening}`;
  for (const { segment } of graphemesOf(rest)) yield segment.replace(FORMATS, "\\$&");
}
