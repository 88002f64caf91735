import { escapeContent, MAX_CONTENT_CHARACTERS, quoteContent, quoteName } from "./escape.ts";

/**
 * The pieces of a line, so that it can be read in one way only:
 *
 * - a string: our own words, as they are;
 * - `words`: what somebody wrote, unmarked, up to the end of the line or to one of our brackets;
 * - `quoted`: what somebody wrote, in double quotes that it cannot close;
 * - `name`: a name that people chose, as one word or in double quotes;
 * - `label` and `text`: text in a message that its author did not type, in our brackets: `⟦link preview: …⟧`;
 * - `bracketed`: our own words next to others', such as the handles of the messages a line cites: `⟦m1, m2⟧`.
 *
 * Escaped text never contains `⟦` or `⟧`, so whatever is in these brackets is ours.
 */
export type LinePiece =
  | string
  | { readonly words: string }
  | { readonly quoted: string }
  | { readonly name: string }
  | { readonly label: string; readonly text: string }
  | { readonly bracketed: string };

/** A longer text as several pieces, none of which is cut. */
export function splitWords(text: string): LinePiece[] {
  const pieces: LinePiece[] = [];
  for (let rest = text.trim(); rest !== ""; ) {
    const isLast = rest.length <= MAX_CONTENT_CHARACTERS;
    const space = isLast ? rest.length : rest.lastIndexOf(" ", MAX_CONTENT_CHARACTERS);
    const end = space > MAX_CONTENT_CHARACTERS / 2 || isLast ? space : MAX_CONTENT_CHARACTERS;
    pieces.push(...(pieces.length === 0 ? [] : [" "]), { words: rest.slice(0, end).toWellFormed() });
    rest = rest.slice(end).trim();
  }
  return pieces;
}

/** A shorter text in brackets is of no use. */
const MIN_BRACKET_CHARACTERS = 40;

/** `words` get `maxCharacters`; all brackets together share as many again. */
export function renderPieces(
  pieces: readonly LinePiece[],
  nonce: string | null,
  maxCharacters = MAX_CONTENT_CHARACTERS,
): string {
  const brackets = pieces.filter((piece) => typeof piece !== "string" && "label" in piece).length;
  const perBracket = Math.max(MIN_BRACKET_CHARACTERS, Math.floor(maxCharacters / Math.max(1, brackets)));
  return pieces.map((piece) => renderPiece(piece, nonce, { words: maxCharacters, brackets: perBracket })).join("");
}

function renderPiece(piece: LinePiece, nonce: string | null, limits: { words: number; brackets: number }): string {
  if (typeof piece === "string") return piece;
  if ("words" in piece) return escapeContent(piece.words, nonce, limits.words) || "(no text)";
  if ("quoted" in piece) return quoteContent(piece.quoted, nonce, limits.words);
  if ("name" in piece) return quoteName(piece.name, nonce);
  if ("bracketed" in piece) return `⟦${piece.bracketed}⟧`;
  return `⟦${piece.label}: ${escapeContent(piece.text, nonce, limits.brackets) || "(no text)"}⟧`;
}
