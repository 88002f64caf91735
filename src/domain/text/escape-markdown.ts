import { graphemesOf, singleLine } from "./escape.ts";

/**
 * Text that may stay unescaped: addresses without formatting characters, and mentions and emoji, which Discord shows to each reader by their own permissions.
 */
const WHOLE = /https?:\/\/[^\s<>[\]【】()*`|\\⏎]+|<(?:@[!&]?|#)\d{1,20}>|<a?:\w{2,32}:\d{1,20}>/g;
/** Brackets of both kinds form the agent's citations; the other characters are Discord's markdown. */
const FORMATS = /[\\`*_~|[\]【】<]/g;
/** Forms a heading, a list, small print or a quotation, but only at the start of a line. */
const OPENS_A_LINE = /^(?:[#>+-]|\d{1,9}(?=\.))/;

/**
 * Text by others as one line of a Discord message, cut to `maxLength`: it cannot format, hide or disguise a link, and no character, address
 * or mention is split.
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

/** Pieces that are kept or dropped as a whole. */
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
  // The dot after a number makes a list.
  if (opening !== "") yield /\d/.test(opening) ? `${opening}\\` : `\\${opening}`;
  for (const { segment } of graphemesOf(rest)) yield segment.replace(FORMATS, "\\$&");
}
